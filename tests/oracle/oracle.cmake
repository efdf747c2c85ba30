# What callsig reports, held against tools that are none of its own: gcov, callgrind, gdb and CPython's cProfile.
add_library(count_hooks MODULE ${CMAKE_CURRENT_LIST_DIR}/count_hooks.c)
set_target_properties(count_hooks PROPERTIES PREFIX "lib" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/oracle)

foreach(program IN ITEMS lua zstd sqlite3)
  callsig_real_test(oracle.counts.${program} quick 900 oracle/counts.py --hooks $<TARGET_FILE:count_hooks> --quick ${program})
  callsig_real_test(oracle.arguments.${program} quick 900 oracle/arguments.py --hooks $<TARGET_FILE:count_hooks> --quick ${program})
endforeach()
callsig_real_test(oracle.twins quick 900 oracle/twins.py --quick)
foreach(program IN ITEMS lua zstd sqlite3)
  callsig_real_test(oracle.twins_full.${program} full 7200 oracle/twins.py --full ${program})
endforeach()
foreach(program IN ITEMS lua zstd sqlite3 jsonnet)
  callsig_real_test(oracle.counts_full.${program} full 7200 oracle/counts.py --hooks $<TARGET_FILE:count_hooks> --full ${program})
  callsig_real_test(oracle.arguments_full.${program} full 7200 oracle/arguments.py --hooks $<TARGET_FILE:count_hooks> --full ${program})
endforeach()

callsig_test(oracle.matching quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_matching.py)
callsig_test(oracle.recursion quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/recursion/recursion.py --build ${PROJECT_BINARY_DIR})
callsig_test(oracle.recursion_full full ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/recursion/recursion.py
             --build ${PROJECT_BINARY_DIR} --full)
callsig_test(oracle.bounded quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/bounded/bounded.py --build ${PROJECT_BINARY_DIR})
callsig_test(oracle.bounded_full full ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/bounded/bounded.py
             --build ${PROJECT_BINARY_DIR} --full)
set_tests_properties(oracle.recursion_full oracle.bounded_full PROPERTIES TIMEOUT 3600)

# Exports, each opened by its own reader. 77: the machine lacks the reader, which the output names.
set(CALLSIG_EXPORT_READERS_PACKAGED callgrind dot flamegraph folded json pprof pstats speedscope)
set(CALLSIG_EXPORT_READERS_ELSEWHERE gprof2dot snakeviz) # which Debian has no package of
foreach(format IN LISTS CALLSIG_EXPORT_READERS_PACKAGED CALLSIG_EXPORT_READERS_ELSEWHERE)
  set(label quick)
  if(format IN_LIST CALLSIG_EXPORT_READERS_ELSEWHERE)
    set(label full)
  endif()
  callsig_test(output.exports.${format} ${label} ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/exports/exports.py
               --build ${PROJECT_BINARY_DIR} --print-calls $<TARGET_FILE:print_calls> ${format})
  set_tests_properties(output.exports.${format} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
callsig_test(output.exports.groups quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/exports/groups.py --build ${PROJECT_BINARY_DIR})
callsig_test(output.exports.browser full ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/exports/browser.py
             --build ${PROJECT_BINARY_DIR} --print-calls $<TARGET_FILE:print_calls>)
set_tests_properties(output.exports.browser PROPERTIES SKIP_RETURN_CODE 77)
callsig_real_test(output.exports.lua quick 600 oracle/exports/real_exports.py lua)
callsig_real_test(output.exports.kcachegrind full 600 oracle/exports/kcachegrind.py --print-calls $<TARGET_FILE:print_calls> lua)
set_tests_properties(output.exports.kcachegrind PROPERTIES SKIP_RETURN_CODE 77)
foreach(program IN ITEMS zstd sqlite3)
  callsig_real_test(output.exports.${program} full 1800 oracle/exports/real_exports.py ${program})
endforeach()

# The report beside CPython's pstats on our own export of the same recording.
callsig_test(output.pstats_report quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/pstats/compare_report.py
             --build ${PROJECT_BINARY_DIR} --print-calls $<TARGET_FILE:print_calls>)
callsig_real_test(output.pstats_report.lua quick 600 oracle/pstats/compare_report.py lua)
foreach(program IN ITEMS zstd sqlite3)
  callsig_real_test(output.pstats_report.${program} full 1800 oracle/pstats/compare_report.py ${program})
endforeach()
