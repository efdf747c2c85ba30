# The tracer for GStreamer, where that is installed.
callsig_python_tests(gstreamer ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
