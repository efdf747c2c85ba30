# What `make install` copies is enough for outside projects.
callsig_test(install quick ${CMAKE_COMMAND} -E env CALLSIG_BUILD=${PROJECT_BINARY_DIR}
             ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_install.py)
