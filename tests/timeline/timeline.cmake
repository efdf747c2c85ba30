# Timelines, read by other tools. speedscope's importer is a case of its own, for its package may not be to be had.
callsig_python_tests(output ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
