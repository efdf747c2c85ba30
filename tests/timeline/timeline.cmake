callsig_test(output.timeline quick ${CMAKE_COMMAND} -E env CALLSIG_BUILD=${PROJECT_BINARY_DIR}
             ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_timeline.py)
