# callsig scaling: its numerics beside exact arithmetic, and laws of made-up times.
add_executable(fit_points ${CMAKE_CURRENT_LIST_DIR}/fit_points.c)
target_include_directories(fit_points PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(fit_points PRIVATE callsig_stats_static)
callsig_test(oracle.scaling quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_fit.py $<TARGET_FILE:fit_points>)
callsig_test(oracle.scaling_full full ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_fit.py $<TARGET_FILE:fit_points>
             --full)
callsig_test(oracle.scaling_real_time full ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/real_time.py ${PROJECT_BINARY_DIR})
