callsig_test(gstreamer.tracer quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_tracer.py)
set_tests_properties(gstreamer.tracer PROPERTIES ENVIRONMENT CALLSIG_BUILD=${PROJECT_BINARY_DIR} SKIP_RETURN_CODE 77)
