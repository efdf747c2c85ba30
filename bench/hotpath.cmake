# The hot path's instructions, against the bounds of hotpath_bound.txt.
callsig_test(bench.hotpath quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/hotpath_instructions.py
             ${PROJECT_BINARY_DIR} --bound ${CMAKE_CURRENT_LIST_DIR}/hotpath_bound.txt)
set_tests_properties(bench.hotpath PROPERTIES SKIP_RETURN_CODE 77)
