# The command, the libraries and their unit tests again, built with AddressSanitizer and UndefinedBehaviorSanitizer.
callsig_test(sanitize quick ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh asan ${PROJECT_BINARY_DIR}/sanitize)
set_tests_properties(sanitize PROPERTIES TIMEOUT 1200 PROCESSORS 2)

# The thread that samples for a monitor, and what it shares with the program's own, under ThreadSanitizer.
callsig_test(sanitize.threads full ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh tsan ${PROJECT_BINARY_DIR}/sanitize-thread)
set_tests_properties(sanitize.threads PROPERTIES TIMEOUT 1200 PROCESSORS 2)
