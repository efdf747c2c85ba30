# aarch64: the runtime built by the cross compiler, and programs that run with it under qemu-user. Skipped, by name, where one of them
# is missing.
function(callsig_aarch64_test name script case)
  callsig_test(aarch64.${name} full ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/aarch64/${script}
               --callsig $<TARGET_FILE:callsig_cli> --work ${PROJECT_BINARY_DIR}/aarch64 ${case})
  # They share the runtime that the first one builds.
  set_tests_properties(aarch64.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 RESOURCE_LOCK aarch64)
endfunction()
foreach(case IN ITEMS arguments recursion threads signals control forks contexts linked sampled asked sleds compilers other_index interrupted)
  callsig_aarch64_test(${case} test_aarch64.py ${case})
endforeach()
foreach(case IN ITEMS longjmp exceptions fork thread_ends ends signals segv faults malloc coroutines mapped_stack plugins deep grow
                      close_fds own_stderr small_stack shared_site children before_libc constructors)
  callsig_aarch64_test(guest.${case} test_guests.py ${case})
endforeach()
