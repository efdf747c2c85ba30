# The ranks of MPI jobs, under each MPI that is there.
callsig_python_tests(mpi ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
# Its jobs have more ranks than there are processors.
set_tests_properties(mpi.ranks mpi.ranks_full mpi.balance mpi.balance_full PROPERTIES PROCESSORS 2)
