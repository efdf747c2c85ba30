# What the documentation says is true of the tree.
callsig_test(docs.readme quick ${CMAKE_COMMAND} -E env CALLSIG_BUILD=${PROJECT_BINARY_DIR}
             ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_readme.py)
