# engine/primitives: each in the device's own shape, in the GPU's (TUNED), with the GPU's usual groups, and under
# Oclgrind in both shapes.
function(primitive_test name)
  prm_test(test_${name} SOURCES test_${name}.c USES prm_primitives LABELS device TUNED OCLGRIND)
  add_test(NAME test_${name}.wg256 COMMAND test_${name})
  set_tests_properties(test_${name}.wg256 PROPERTIES LABELS device TIMEOUT 400
    ENVIRONMENT "${PRM_SANITIZER_ENVIRONMENT};PRMD_TUNING=shape=gpu,wg=256,chunks=7,radix_bits=5,lanes=1")
endfunction()

foreach(name scan compact radix_sort segmented_sort permutation histogram bin bin_values random rank cuckoo graph_search)
  primitive_test(${name})
endforeach()

prm_test(test_hash_slots SOURCES test_hash_slots.c USES prm_device LABELS device)
