# Pipelines of real threads whose truth is known: what is read of them while they run, and the verdict on each.
callsig_python_tests(pipelines ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
