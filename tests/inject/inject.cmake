# System calls that fail, and processes that are killed at one.
add_executable(inject ${CMAKE_CURRENT_LIST_DIR}/inject.c)
target_compile_definitions(inject PRIVATE _GNU_SOURCE=) # as empty as the file defines it
callsig_python_tests(inject ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
