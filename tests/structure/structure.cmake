# The order of the rooms, and that its check finds what is planted against it.
callsig_test(structure quick ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_rooms.py ${PROJECT_BINARY_DIR})
callsig_python_tests(structure ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
