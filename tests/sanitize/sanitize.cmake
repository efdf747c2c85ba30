# The tests of the libraries and of the command again, and the readers of damaged input, built with AddressSanitizer and
# UndefinedBehaviorSanitizer. It takes longest of all, so it begins. Of the command's tests, those of exports, merges and
# of damaged and hostile input are quick. What reports and compares them, and what spends its time in compilers, in
# starting programs and commands that only refuse, or in statistics is among the full tests, as is more damaged input.
set(rest "^(cli\\.(at_once|beside|browse|callsig_cc|counters|diff|flags|index|musl|options|own_run|page|plot|presets|privacy"
         "|report|run|scaling|score|stages|stragglers|terminal|usage)"
         "|unit\\.output\\.(sampling_errors|verdict)|unit\\.symbols\\.(matrix|notes|sled_sections))$")
list(JOIN rest "" rest)
set(sanitize ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh asan ${PROJECT_BINARY_DIR}/sanitize)
callsig_test(sanitize quick ${sanitize} -L quick -E ${rest})
callsig_test(sanitize.rest full ${sanitize} -L quick -R ${rest})
callsig_test(sanitize.fuzz full ${sanitize} -L full -R "^(fuzz|unit\\.output\\.(dump|reader))")
set_tests_properties(sanitize sanitize.rest sanitize.fuzz PROPERTIES PROCESSORS 2 RESOURCE_LOCK sanitize)
set_tests_properties(sanitize PROPERTIES TIMEOUT 1800 COST 1000)

# The thread that samples for a monitor, and what it shares with the program's own, under ThreadSanitizer.
callsig_test(sanitize.threads full ${PROJECT_SOURCE_DIR}/scripts/sanitize.sh tsan ${PROJECT_BINARY_DIR}/sanitize-thread)
set_tests_properties(sanitize.threads PROPERTIES TIMEOUT 1200 PROCESSORS 2)
