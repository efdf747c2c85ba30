# Recordings of earlier versions, read as they were then.
callsig_test(kept quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_kept.py $<TARGET_FILE:callsig_cli>)
callsig_test(kept.totals quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_totals.py $<TARGET_FILE:callsig_cli>)
