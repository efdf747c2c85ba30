# Everything at once, for a while: as `make soak` does for an hour.
callsig_test(soak full ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_soak.py --build ${PROJECT_BINARY_DIR} --seconds 20)
set_tests_properties(soak PROPERTIES PROCESSORS 2)
# How its live reader is judged.
callsig_python_tests(soak ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
