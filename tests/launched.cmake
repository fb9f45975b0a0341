# Test: every kernel of the list was launched under Oclgrind, in each shape that has a use for it.
#
#   cmake -DLIST=kernels.def -DFOLDER=… -DSHAPE=cpu|gpu -P launched.cmake
#
# FOLDER holds what the tests noted, TEST.SHAPE.txt: the entries that they launched, one a line.
cmake_minimum_required(VERSION 3.25)

# entries that one shape alone launches
set(cpu_alone
  astar_search bfs_sweep connect_fans graph_heap graph_queue hops_search landmarks_expand order_queries tiles_encode)
set(gpu_alone
  astar_group bfs_finish compact_segments_packed graph_push graph_relax graph_seed graph_settle landmarks_relax
  scan_segments_packed)

set(launched "")
file(GLOB notes ${FOLDER}/*.${SHAPE}.txt)
foreach(note IN LISTS notes)
  file(STRINGS ${note} names)
  list(APPEND launched ${names})
endforeach()

set(other gpu)
if(SHAPE STREQUAL gpu)
  set(other cpu)
endif()
set(wrong 0)
file(STRINGS ${LIST} rows REGEX "^KERNEL\\(")
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^KERNEL\\([^,]+, *[^,]+, *([a-z0-9_]+)\\)$" "\\1" entry "${row}")
  if(entry IN_LIST ${other}_alone)
    if(entry IN_LIST launched)
      message(SEND_ERROR "${entry} is not of the ${other} shape alone")
      set(wrong 1)
    endif()
  elseif(NOT entry IN_LIST launched)
    message(SEND_ERROR "no test launched ${entry} in the ${SHAPE} shape")
    set(wrong 1)
  endif()
endforeach()
if(NOT rows)
  message(FATAL_ERROR "no kernels in ${LIST}")
endif()
if(NOT wrong)
  message(STATUS "all kernels were launched that the ${SHAPE} shape uses")
endif()
