# The tests of the command and the libraries again, and the readers of damaged input, built with AddressSanitizer and
# UndefinedBehaviorSanitizer. It takes longest of all, so it begins.
callsig_test(sanitize quick ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh asan ${PROJECT_BINARY_DIR}/sanitize)
set_tests_properties(sanitize PROPERTIES TIMEOUT 1800 PROCESSORS 2 COST 1000 RESOURCE_LOCK sanitize)

# More damaged input than `sanitize` reads, in the same build folder.
callsig_test(sanitize.fuzz full ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh asan ${PROJECT_BINARY_DIR}/sanitize -L full -R ^fuzz)
set_tests_properties(sanitize.fuzz PROPERTIES PROCESSORS 2 RESOURCE_LOCK sanitize)

# The thread that samples for a monitor, and what it shares with the program's own, under ThreadSanitizer.
callsig_test(sanitize.threads full ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh tsan ${PROJECT_BINARY_DIR}/sanitize-thread)
set_tests_properties(sanitize.threads PROPERTIES TIMEOUT 1200 PROCESSORS 2)
