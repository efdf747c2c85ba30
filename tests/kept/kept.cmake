# Recordings of earlier versions, read as they were then.
callsig_test(kept quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_kept.py $<TARGET_FILE:callsig_cli>)
