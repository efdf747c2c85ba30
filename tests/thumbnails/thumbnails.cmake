# The example programs.
callsig_python_tests(examples ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
