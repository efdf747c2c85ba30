# The tests of the libraries and of the command again, built with AddressSanitizer and UndefinedBehaviorSanitizer. Those of the readers
# of untrusted files are quick: all fuzz targets, and what damages recordings. It takes longest of all, so it begins.
set(sanitize ${PROJECT_BINARY_DIR}/sanitize)
callsig_test(sanitize quick ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh readers ${sanitize})
callsig_test(sanitize.all full ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh asan ${sanitize})
callsig_test(sanitize.fuzz full ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh asan ${sanitize} -L full -R "^(fuzz|unit\\.output\\.(dump|reader))")
set_tests_properties(sanitize sanitize.all sanitize.fuzz PROPERTIES PROCESSORS 2 RESOURCE_LOCK sanitize)
set_tests_properties(sanitize PROPERTIES TIMEOUT 1800 COST 1000)

# The thread that samples for a monitor, and what it shares with the program's own, under ThreadSanitizer; and the command that reads a program whose
# threads come and go.
callsig_test(sanitize.threads full ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh tsan ${PROJECT_BINARY_DIR}/sanitize-thread)
set_tests_properties(sanitize.threads PROPERTIES TIMEOUT 1800 PROCESSORS 2)
