# libcallsig-stats: recordings made by hand, read, summed and printed.
set(CALLSIG_OUTPUT_TESTS ${CMAKE_CURRENT_LIST_DIR})
find_program(PYTHON3 NAMES python3 REQUIRED)

add_library(callsig_test_writers STATIC ${CALLSIG_OUTPUT_TESTS}/index_writer.c ${CALLSIG_OUTPUT_TESTS}/recording_writer.c
                                   ${CALLSIG_OUTPUT_TESTS}/pipeline_writer.c ${CALLSIG_OUTPUT_TESTS}/pipeline_simulator.c
                                   ${CALLSIG_OUTPUT_TESTS}/../fuzz/seeds.c)
target_include_directories(callsig_test_writers PUBLIC ${CALLSIG_OUTPUT_TESTS} ${CALLSIG_OUTPUT_TESTS}/../fuzz)
target_link_libraries(callsig_test_writers PUBLIC callsig_stats_static callsig_symbols)

add_executable(print_calls ${CALLSIG_OUTPUT_TESTS}/../oracle/pstats/print_calls.c)
target_link_libraries(print_calls PRIVATE callsig_test_writers)
callsig_test(output.pstats quick ${PYTHON3} ${CALLSIG_OUTPUT_TESTS}/../oracle/pstats/compare_pstats.py $<TARGET_FILE:print_calls>)

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
add_library(callsig_output_sample STATIC ${CALLSIG_OUTPUT_TESTS}/output_sample.c)
target_link_libraries(callsig_output_sample PUBLIC callsig_test_writers PkgConfig::CMOCKA)
foreach(name IN ITEMS signature expression rows stages add tables reader formats dump options headers)
  add_executable(test_output_${name} ${CALLSIG_OUTPUT_TESTS}/output_${name}.c)
  target_link_libraries(test_output_${name} PRIVATE callsig_output_sample)
  callsig_test(unit.output.${name} quick test_output_${name})
endforeach()

# Stages and queues, comparison, texts and memory, by the library's inner files as well.
foreach(name IN ITEMS pipeline verdict monitor diff text large permute)
  add_executable(test_output_${name} ${CALLSIG_OUTPUT_TESTS}/output_${name}.c)
  target_include_directories(test_output_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test_output_${name} PRIVATE callsig_output_sample m)
  callsig_test(unit.output.${name} quick test_output_${name})
endforeach()

# Reading of a file that cannot be read as expected.
add_executable(test_output_windows ${CALLSIG_OUTPUT_TESTS}/output_windows.c)
target_include_directories(test_output_windows PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(test_output_windows PRIVATE callsig_output_sample)
target_link_options(test_output_windows PRIVATE -Wl,--wrap=pread -Wl,--wrap=malloc)
callsig_test(unit.output.windows quick test_output_windows)

# Tables that two threads make.
add_executable(test_output_blocks ${CALLSIG_OUTPUT_TESTS}/output_blocks.c)
target_link_libraries(test_output_blocks PRIVATE callsig_output_sample)
target_link_options(test_output_blocks PRIVATE -Wl,--wrap=pthread_create -Wl,--wrap=realloc)
callsig_test(unit.output.blocks quick test_output_blocks)

# Exports, in which every allocation of the library fails in turn.
add_executable(test_output_export ${CALLSIG_OUTPUT_TESTS}/output_export.c ${CALLSIG_OUTPUT_TESTS}/failing_memory.c)
target_link_libraries(test_output_export PRIVATE callsig_output_sample)
target_link_options(test_output_export PRIVATE -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc)
callsig_test(unit.output.export quick test_output_export)

# Pipelines likewise.
add_executable(test_output_pipeline_memory ${CALLSIG_OUTPUT_TESTS}/output_pipeline_memory.c ${CALLSIG_OUTPUT_TESTS}/failing_memory.c)
target_include_directories(test_output_pipeline_memory PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(test_output_pipeline_memory PRIVATE callsig_output_sample)
target_link_options(test_output_pipeline_memory PRIVATE -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc)
callsig_test(unit.output.pipeline_memory quick test_output_pipeline_memory)

add_executable(write_pipeline ${CALLSIG_OUTPUT_TESTS}/write_pipeline.c)
target_link_libraries(write_pipeline PRIVATE callsig_test_writers)

# Without libcallsig there is nothing to take a snapshot of (unit.output.rows); with it, shared and static.
if(TARGET callsig AND TARGET callsig_cli AND NOT CALLSIG_SANITIZE)
  foreach(kind IN ITEMS shared static)
    set(suffix $<$<STREQUAL:${kind},static>:_static>)
    add_executable(test_output_snapshot_${kind} ${CALLSIG_OUTPUT_TESTS}/output_snapshot.c)
    target_compile_options(test_output_snapshot_${kind} PRIVATE -g -finstrument-functions)
    target_link_libraries(test_output_snapshot_${kind} PRIVATE callsig${suffix} callsig_stats${suffix})
    callsig_test(unit.output.snapshot_${kind} quick test_output_snapshot_${kind})
    set_tests_properties(unit.output.snapshot_${kind} PROPERTIES ENVIRONMENT
      "CALLSIG_COMMAND=$<TARGET_FILE:callsig_cli>;CALLSIG_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/cache;CALLSIG_OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/snapshot-${kind}.out")
  endforeach()
endif()

include(${CALLSIG_OUTPUT_TESTS}/../fuzz/fuzz.cmake)
