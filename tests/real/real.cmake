# Real programs from Debian's source packages, built and run as they are. Sources and builds stay below the build folder and
# serve every test that needs them.
set(CALLSIG_SOURCES ${PROJECT_BINARY_DIR}/sources)
set(CALLSIG_REAL_OUT ${PROJECT_BINARY_DIR}/real)
set(CALLSIG_REAL_OPTIONS --sources ${CALLSIG_SOURCES} --out ${CALLSIG_REAL_OUT} --build ${PROJECT_BINARY_DIR})

callsig_test(real.sources quick ${PROJECT_SOURCE_DIR}/scripts/get-sources.sh ${CALLSIG_SOURCES})
set_tests_properties(real.sources PROPERTIES FIXTURES_SETUP real_sources)

# callsig_real_test(NAME LABEL SECONDS SCRIPT ARGUMENTS...): a driver below tests/ that needs the sources.
function(callsig_real_test name label seconds script)
  callsig_test(${name} ${label} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/${script} ${CALLSIG_REAL_OPTIONS} ${ARGN})
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED real_sources TIMEOUT ${seconds})
endfunction()

foreach(program IN ITEMS lua zstd sqlite3 jsonnet)
  callsig_real_test(real.equality.${program} quick 600 real/equality.py --quick ${program})
  callsig_real_test(real.equality_full.${program} full 7200 real/equality.py --full ${program})
endforeach()
callsig_real_test(real.index quick 900 real/index.py --quick)
callsig_real_test(real.index_full full 7200 real/index.py --full)
