# Test: each header of each layer compiles alone as C11, with warnings as errors.
#
#   cmake -DCOMPILER=cc -DROOTS=build/roots -DOPTIONS=-I… -P headers.cmake
#
# Every layer's include root holds one link, NAME -> folder (prm_layer), so the roots list all headers.
# Kernel headers whose #error guards ask for a device or for definitions are skipped: they compile with the
# programs that include them.
cmake_minimum_required(VERSION 3.25)

file(GLOB links LIST_DIRECTORIES true ${ROOTS}/*/*)
set(roots "")
foreach(link IN LISTS links)
  get_filename_component(root ${link} DIRECTORY)
  list(APPEND roots -I${root})
endforeach()

# a header of macros alone is a header too: the unit that includes it is not empty
set(unit ${CMAKE_CURRENT_BINARY_DIR}/header_alone.c)
file(WRITE ${unit} "typedef int header_alone;\n")

set(count 0)
set(wrong 0)
foreach(link IN LISTS links)
  get_filename_component(name ${link} NAME)
  file(GLOB headers ${link}/*.h)
  foreach(path IN LISTS headers)
    get_filename_component(header ${path} NAME)
    execute_process(
      COMMAND ${COMPILER} -std=c11 -fsyntax-only -Wall -Wextra -Wpedantic -Werror
        -D_POSIX_C_SOURCE=200809L ${roots} ${OPTIONS} -include ${name}/${header} ${unit}
      RESULT_VARIABLE failed ERROR_VARIABLE log)
    if(name STREQUAL kernels AND log MATCHES "error: #error")
      continue()
    endif()
    math(EXPR count "${count} + 1")
    if(failed)
      message("${name}/${header} does not compile alone:\n${log}")
      math(EXPR wrong "${wrong} + 1")
    endif()
  endforeach()
endforeach()

message("${count} headers, ${wrong} do not compile alone")
if(count EQUAL 0 OR wrong GREATER 0)
  message(FATAL_ERROR "failed")
endif()
