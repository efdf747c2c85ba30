# speedscope's importer is a case of its own, for its package may not be to be had.
foreach(case IN ITEMS Timeline Speedscope.test_speedscope_reads_chrome)
  callsig_test(output.timeline.${case} quick ${CMAKE_COMMAND} -E env CALLSIG_BUILD=${PROJECT_BINARY_DIR}
               ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_timeline.py ${case})
  set_tests_properties(output.timeline.${case} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
