# What the documentation says is true of the tree: its paths exist, its links and its picture are whole, its commands run.
callsig_test(docs.pages quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_pages.py)
callsig_test(docs.build quick ${CMAKE_COMMAND} -E env CALLSIG_BUILD=${PROJECT_BINARY_DIR}
             ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_build.py)
callsig_test(docs.readme quick ${CMAKE_COMMAND} -E env CALLSIG_BUILD=${PROJECT_BINARY_DIR}
             ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_readme.py)
