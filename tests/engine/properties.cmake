# Random shapes, by some sizes of work-group in both of a kernel's shapes: property_test(name SIZE …).
function(property_test name)
  add_executable(${name} ${name}.c)
  target_link_libraries(${name} PRIVATE prm_roadmap prm_test_support prm_warnings m)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  foreach(shape cpu gpu)
    set(lanes 1)
    if(shape STREQUAL cpu)
      set(lanes 4)
    endif()
    foreach(wg ${ARGN})
      # few chunks and small digits, other ones each time
      math(EXPR bits "${wg} % 5 + 2")
      add_test(NAME ${name}.${shape}.${wg} COMMAND ${name})
      set_tests_properties(${name}.${shape}.${wg} PROPERTIES LABELS device TIMEOUT 600 SKIP_RETURN_CODE 77
        ENVIRONMENT "${PRM_SANITIZER_ENVIRONMENT};PRMD_TUNING=shape=${shape},wg=${wg},chunks=${bits},radix_bits=${bits},lanes=${lanes}")
    endforeach()
  endforeach()
endfunction()

property_test(test_properties 1 2 4 8 16 32 64 128 256)
property_test(test_neighbor_properties 1 64)

# A fresh cache of kernels is filled by the first run and read by the second: PoCL's, of no other implementation.
add_test(NAME kernel_cache COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:test_histogram>
  -DCACHE=${CMAKE_BINARY_DIR}/tests/kernel_cache -P ${CMAKE_CURRENT_SOURCE_DIR}/kernel_cache.cmake)
set_tests_properties(kernel_cache PROPERTIES LABELS unit TIMEOUT 400 ENVIRONMENT "${PRM_SANITIZER_ENVIRONMENT}")
