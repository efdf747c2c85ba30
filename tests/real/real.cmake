# Real programs from Debian's source packages, built and run as they are. Sources and builds stay below the build folder and
# serve every test that states "ctest: real".
callsig_test(real.sources quick ${PROJECT_SOURCE_DIR}/scripts/get-sources.sh ${PROJECT_BINARY_DIR}/sources)
set_tests_properties(real.sources PROPERTIES FIXTURES_SETUP real_sources)
callsig_python_tests(real ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
