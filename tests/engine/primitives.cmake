# engine/primitives: each in the device's own shape, in the GPU's (TUNED), with the GPU's usual groups, and under
# Oclgrind in both shapes. Oclgrind does not see that clEnqueueFillBuffer initialises, so there it looks for races
# and overruns alone.
function(primitive_test name)
  prm_test(test_${name} SOURCES test_${name}.c USES prm_primitives LABELS device TUNED)
  add_test(NAME test_${name}.wg256 COMMAND test_${name})
  set_tests_properties(test_${name}.wg256 PROPERTIES LABELS device TIMEOUT 120
    ENVIRONMENT "PRMD_TUNING=shape=gpu,wg=256,chunks=7,radix_bits=5,lanes=1")
  if(PRM_OCLGRIND AND NOT PRM_SANITIZE)
    foreach(tuning shape=cpu,wg=1,chunks=3,radix_bits=8,lanes=4 shape=gpu,wg=16,chunks=3,radix_bits=4,lanes=1)
      string(SUBSTRING ${tuning} 6 3 shape)
      add_test(NAME test_${name}.oclgrind.${shape}
        COMMAND ${PRM_OCLGRIND} --data-races --max-errors 20 $<TARGET_FILE:test_${name}>)
      set_tests_properties(test_${name}.oclgrind.${shape} PROPERTIES LABELS oclgrind TIMEOUT 600
        ENVIRONMENT "PRM_TEST_SMALL=1;PRMD_TUNING=${tuning}"
        FAIL_REGULAR_EXPRESSION "OCLGRIND|Invalid (read|write)|data race|Work-item divergence")
    endforeach()
  endif()
endfunction()

foreach(name scan compact radix_sort histogram bin bin_values random rank cuckoo graph_search)
  primitive_test(${name})
endforeach()
