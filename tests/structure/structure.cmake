# The order of the rooms; that its check finds what is planted against it; and that no test is left out in silence.
callsig_test(structure quick ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_rooms.py ${PROJECT_BINARY_DIR})
callsig_python_tests(structure ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
