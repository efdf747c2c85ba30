# aarch64: the runtime built by the cross compiler, and programs that run with it under qemu-user. Skipped, by name, where one of them
# is missing.
foreach(case IN ITEMS arguments recursion threads signals control forks contexts linked sampled sleds compilers other_index)
  callsig_test(aarch64.${case} full ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/aarch64/test_aarch64.py
               --callsig $<TARGET_FILE:callsig_cli> --work ${PROJECT_BINARY_DIR}/aarch64 ${case})
  # They share the runtime that the first one builds.
  set_tests_properties(aarch64.${case} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 RESOURCE_LOCK aarch64)
endforeach()
