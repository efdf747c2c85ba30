# What the readers are timed with (rows_cost.py); built when it is asked for.
add_executable(make_rows EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/programs/make_rows.c
                                          ${PROJECT_SOURCE_DIR}/tests/support/index_writer.c)
target_include_directories(make_rows PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(make_rows PRIVATE callsig_stats_static callsig_symbols)

# What reductions of ranks are timed with (ranks_cost.py).
add_executable(merge_ranks EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/programs/merge_ranks.c)
target_include_directories(merge_ranks PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(merge_ranks PRIVATE callsig_stats_static)
