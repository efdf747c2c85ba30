# Everything at once, for a while: as `make soak` does for an hour.
callsig_test(soak full ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_soak.py --build ${PROJECT_BINARY_DIR} --seconds 20)
set_tests_properties(soak PROPERTIES PROCESSORS 2)
