# What several tests share, as libraries and programs: recordings and indexes written by hand, and modules that are looked at.
set(CALLSIG_SUPPORT ${CMAKE_CURRENT_LIST_DIR})

# Recordings, indexes and pipelines in memory; what is expected of prints. callsig_test_writers knows nothing of cmocka.
set(CALLSIG_TEST_WRITERS)
foreach(name IN ITEMS index_writer recording_writer recording_calls recording_sampling random_recording pipeline_writer pipeline_simulator
             seeds seed_rank)
  list(APPEND CALLSIG_TEST_WRITERS ${CALLSIG_SUPPORT}/${name}.c)
endforeach()
add_library(callsig_test_writers STATIC ${CALLSIG_TEST_WRITERS})
target_link_libraries(callsig_test_writers PUBLIC callsig_stats_static callsig_symbols)
add_library(callsig_test_recordings STATIC ${CALLSIG_SUPPORT}/output_sample.c ${CALLSIG_SUPPORT}/sampled_run.c
  ${CALLSIG_SUPPORT}/sampling_twin.c)
target_link_libraries(callsig_test_recordings PUBLIC callsig_test_writers PkgConfig::CMOCKA m)

# Corpora for fuzzers to begin with.
foreach(name IN ITEMS write_seed write_pipeline write_rank merge_seeds)
  add_executable(${name} ${CALLSIG_SUPPORT}/${name}.c)
  target_link_libraries(${name} PRIVATE callsig_test_writers)
endforeach()

include(${CALLSIG_SUPPORT}/symbols/symbols.cmake)
