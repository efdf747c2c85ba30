# What gcc's plug-in and clang put into programs, and what becomes of it at the link.
callsig_python_tests(instrument ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
