# Guest programs: callsig must not disturb them, and must count them exactly. The driver says which cases there are; each is one test,
# over both compilers and levels; guest.rest_full has what that leaves of the four. Those whose names end with _full take long.
file(GLOB drivers CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${drivers})
execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/run_guest.py --list
                OUTPUT_VARIABLE cases RESULT_VARIABLE failed)
string(REGEX MATCHALL "[^\n]+" cases "${cases}")
if(failed OR NOT cases)
  message(FATAL_ERROR "tests/guest/run_guest.py --list names no cases")
endif()
set(guest ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_guest.py --build ${PROJECT_BINARY_DIR})
foreach(case IN LISTS cases)
  if(case MATCHES "_full$")
    callsig_test(guest.${case} full ${guest} ${case})
  else()
    callsig_test(guest.${case} quick ${guest} --quick ${case})
  endif()
  set_tests_properties(guest.${case} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
callsig_test(guest.rest_full full ${guest} --rest)

# The matrix of hazards: a part that is always the same, and all of it.
callsig_test(guest.matrix quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_matrix.py --build ${PROJECT_BINARY_DIR} --sample)
callsig_test(guest.matrix_full full ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_matrix.py --build ${PROJECT_BINARY_DIR})
set_tests_properties(guest.matrix guest.matrix_full PROPERTIES PROCESSORS 2 COST 300)
# It takes longest of the quick ones.
set_tests_properties(guest.deep PROPERTIES COST 100)

# Random functions that keep all registers busy.
set(registers ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_registers.py --build ${PROJECT_BINARY_DIR})
callsig_test(guest.registers quick ${registers})
callsig_test(guest.registers_full full ${registers} --all --first 100 --count 30)
set_tests_properties(guest.registers guest.registers_full PROPERTIES SKIP_RETURN_CODE 77)
