# The tracer for GStreamer, where that is installed.
callsig_python_tests(gstreamer ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
# Its verdicts are of elements that have to get a processor when they have work: not beside two other tests.
set_tests_properties(gstreamer.pipelines_verdicts PROPERTIES PROCESSORS 2)
