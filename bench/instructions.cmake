# The hot path's instructions, against the bounds of hotpath_bound.txt: of each mode one pattern, and all of them.
set(hotpath ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/hotpath_instructions.py ${PROJECT_BINARY_DIR}
            --bound ${CMAKE_CURRENT_LIST_DIR}/hotpath_bound.txt)
callsig_test(bench.hotpath quick ${hotpath} --quick)
callsig_test(bench.hotpath_full full ${hotpath})
set_tests_properties(bench.hotpath bench.hotpath_full PROPERTIES SKIP_RETURN_CODE 77 COST 200)
# And those of a task's begin and end, and of what else pipelines call, against task_bound.txt.
callsig_test(bench.tasks full ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/task_instructions.py ${PROJECT_BINARY_DIR}
             --bound ${CMAKE_CURRENT_LIST_DIR}/task_bound.txt)
set_tests_properties(bench.tasks PROPERTIES SKIP_RETURN_CODE 77 COST 60)
# And those of library calls that ask the allocator for something, against alloc_bound.txt.
callsig_test(bench.alloc full ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/alloc_instructions.py ${PROJECT_BINARY_DIR}
             --bound ${CMAKE_CURRENT_LIST_DIR}/alloc_bound.txt)
set_tests_properties(bench.alloc PROPERTIES SKIP_RETURN_CODE 77 COST 60)
# What machine stacks take that are alive at once must not grow faster than their number.
callsig_test(bench.stacks quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/stack_instructions.py ${PROJECT_BINARY_DIR})
set_tests_properties(bench.stacks PROPERTIES SKIP_RETURN_CODE 77)
# And what the search for laws takes for a signature.
callsig_test(bench.laws quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/law_instructions.py ${PROJECT_BINARY_DIR})
set_tests_properties(bench.laws PROPERTIES SKIP_RETURN_CODE 77)
