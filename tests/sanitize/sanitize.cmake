# The command, the libraries and their unit tests again, built with AddressSanitizer and UndefinedBehaviorSanitizer.
callsig_test(sanitize quick ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh address,undefined ${PROJECT_BINARY_DIR}/sanitize)
set_tests_properties(sanitize PROPERTIES TIMEOUT 1200 PROCESSORS 2)
