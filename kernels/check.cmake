# Compiles one flattened device program offline, without a device, in both shapes of machine.
#
#   cmake -DCLANG=clang -DFLAT=…/scan.cl -P check.cmake
#
# A program that needs definitions of its caller lists them in its head, one variant a line:
#
#   check: -DITEM=uint -DDIGIT_BITS=8
cmake_minimum_required(VERSION 3.25)

file(STRINGS ${FLAT} rows REGEX "check: -D")
set(variants "")
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^.*check: " "" row "${row}")
  string(REGEX REPLACE "\\*/.*$" "" row "${row}")
  list(APPEND variants "${row}")
endforeach()
if(NOT variants)
  set(variants "-DNO_VARIANT")
endif()

# a compiler that knows how large groups are keeps to the registers that so many work-items can have
file(STRINGS ${FLAT} entries REGEX "^__kernel")
foreach(entry IN LISTS entries)
  if(NOT entry MATCHES "reqd_work_group_size")
    message(FATAL_ERROR "${FLAT}: how large groups are is not stated: ${entry}")
  endif()
endforeach()

foreach(variant IN LISTS variants)
  separate_arguments(definitions UNIX_COMMAND "${variant}")
  foreach(shape "-DSHAPE_CPU;-DWORKGROUP=1" "-DSHAPE_GPU;-DWORKGROUP=256")
    execute_process(
      COMMAND ${CLANG} -x cl -cl-std=CL1.2 -Xclang -finclude-default-header
        -Xclang -fdeclare-opencl-builtins -D__OPENCL_VERSION__=120
        -target spir64-unknown-unknown -fsyntax-only
        -Wall -Wno-unused-function -Werror
        ${shape} ${definitions} ${FLAT}
      RESULT_VARIABLE failed ERROR_VARIABLE log)
    if(failed)
      message(FATAL_ERROR "${shape} ${variant}\n${log}")
    endif()
  endforeach()
endforeach()
