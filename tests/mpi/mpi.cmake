# The ranks of MPI jobs, under each MPI that is there.
callsig_python_tests(mpi ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
# Their jobs have more ranks than there are processors. They begin early: at the end of a run nothing fills what they leave.
set_tests_properties(mpi.ranks mpi.ranks_full mpi.balance mpi.balance_full PROPERTIES PROCESSORS 2 COST 300)
