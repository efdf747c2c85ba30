# What callsig reports, held against tools that are none of its own: gcov, callgrind, gdb, CPython's cProfile, the readers of each export,
# and exact arithmetic.
set(CALLSIG_ORACLE ${CMAKE_CURRENT_LIST_DIR})

add_library(count_hooks MODULE ${CALLSIG_ORACLE}/count_hooks.c)
set_target_properties(count_hooks PROPERTIES PREFIX "lib" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/oracle)
add_executable(print_calls ${CALLSIG_ORACLE}/pstats/print_calls.c)
target_link_libraries(print_calls PRIVATE callsig_test_writers)
add_executable(fit_points ${CALLSIG_ORACLE}/scaling/fit_points.c)
target_include_directories(fit_points PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(fit_points PRIVATE callsig_stats_static)

callsig_python_tests(oracle ${CALLSIG_ORACLE}/test_*.py)
foreach(folder IN ITEMS bounded recursion scaling)
  callsig_python_tests(oracle ${CALLSIG_ORACLE}/${folder}/test_*.py)
endforeach()
callsig_python_tests(output.exports ${CALLSIG_ORACLE}/exports/test_*.py)
callsig_python_tests(output ${CALLSIG_ORACLE}/pstats/test_*.py)
