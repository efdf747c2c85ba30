# Readers of untrusted input, fed with damaged input: a fixed corpus and fixed mutations under the address and undefined
# behaviour sanitizers, by any compiler; and libFuzzer targets (fuzz_recording, fuzz_merge, fuzz_pipeline, fuzz_expression,
# fuzz_index; fuzz_rules is built with the tests of symbols/) by clang. Those that read recordings begin with two:
#
#   cmake --preset fuzz && cmake --build --preset fuzz -j
#   mkdir corpus && build/fuzz/tests/write_seed corpus/seed && build/fuzz/tests/write_pipeline corpus/pipeline
#   build/fuzz/tests/fuzz_recording -max_total_time=600 -max_len=65536 corpus
set(CALLSIG_FUZZ ${CMAKE_CURRENT_LIST_DIR})
get_target_property(CALLSIG_OUTPUT_SOURCES callsig_output SOURCES)
callsig_sanitizer_options(CALLSIG_FUZZ_SANITIZERS address,undefined)

# Everything that a target runs is compiled with `flags`, as libFuzzer and the sanitizers need it.
function(callsig_fuzz_target name target flags)
  add_executable(${name} ${ARGN} ${CALLSIG_FUZZ}/${target}.c ${CALLSIG_FUZZ}/seeds.c ${CALLSIG_OUTPUT_TESTS}/index_writer.c
                         ${CALLSIG_OUTPUT_TESTS}/pipeline_writer.c ${CALLSIG_OUTPUT_TESTS}/recording_writer.c ${CALLSIG_OUTPUT_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${CALLSIG_FUZZ} ${CALLSIG_OUTPUT_TESTS})
  target_compile_options(${name} PRIVATE -g -O1 ${CALLSIG_FUZZ_SANITIZERS} ${flags})
  target_link_options(${name} PRIVATE ${CALLSIG_FUZZ_SANITIZERS} ${flags})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE callsig_output_made callsig_symbols PkgConfig::PCRE2 PkgConfig::SQLITE PkgConfig::YAJL PkgConfig::ZLIB m ${CMAKE_DL_LIBS})
endfunction()

# The reader of indexes, and the printer of what it has accepted.
function(callsig_fuzz_index name flags)
  add_executable(${name} ${ARGN} ${CALLSIG_FUZZ}/fuzz_index.c ${CALLSIG_FORMAT_SOURCES} ${PROJECT_SOURCE_DIR}/symbols/capture/optext.c)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
  target_compile_options(${name} PRIVATE -g -O1 ${CALLSIG_FUZZ_SANITIZERS} ${flags})
  target_link_options(${name} PRIVATE ${CALLSIG_FUZZ_SANITIZERS} ${flags})
  target_include_directories(${name} PRIVATE ${CALLSIG_FUZZ} ${CALLSIG_OUTPUT_TESTS} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE callsig_symbols PkgConfig::XXHASH)
endfunction()

add_executable(write_seed ${CALLSIG_FUZZ}/write_seed.c)
target_link_libraries(write_seed PRIVATE callsig_test_writers)

if(NOT CALLSIG_SANITIZE)
  foreach(number IN ITEMS 00 01 02 03 04 05 06 07)
    list(APPEND CALLSIG_FUZZ_EXPRESSIONS ${CALLSIG_FUZZ}/expressions/${number})
  endforeach()
  foreach(target IN ITEMS recording expression merge pipeline)
    callsig_fuzz_target(replay_${target} fuzz_${target} "" ${CALLSIG_FUZZ}/replay.c)
  endforeach()
  callsig_fuzz_index(replay_index "" ${CALLSIG_FUZZ}/replay.c ${CALLSIG_FUZZ}/seeds.c ${CALLSIG_OUTPUT_TESTS}/index_writer.c
                ${CALLSIG_OUTPUT_TESTS}/pipeline_writer.c ${CALLSIG_OUTPUT_TESTS}/recording_writer.c)
  callsig_test(fuzz.index quick replay_index 20000 ${CALLSIG_FUZZ}/index/gcc ${CALLSIG_FUZZ}/index/clang)
  callsig_test(fuzz.recording quick replay_recording 3000 recording ${CALLSIG_FUZZ}/recordings/more-functions-than-signatures)
  callsig_test(fuzz.pipeline quick sh -c "\"$1\" \"$3\" && exec \"$2\" 3000 recording \"$3\"" sh $<TARGET_FILE:write_pipeline>
               $<TARGET_FILE:replay_pipeline> ${CMAKE_CURRENT_BINARY_DIR}/fuzz_pipeline.seed)
  callsig_test(fuzz.merge quick replay_merge 1000 recording ${CMAKE_CURRENT_BINARY_DIR}/fuzz_pipeline.seed)
  set_tests_properties(fuzz.merge PROPERTIES DEPENDS fuzz.pipeline)
  callsig_test(fuzz.recording.long full replay_recording 100000 recording)
  set_tests_properties(fuzz.recording.long PROPERTIES TIMEOUT 3600)
  callsig_test(fuzz.expression quick replay_expression 3000 ${CALLSIG_FUZZ_EXPRESSIONS})
  if(CMAKE_C_COMPILER_ID MATCHES Clang)
    foreach(target IN ITEMS recording expression merge pipeline)
      callsig_fuzz_target(fuzz_${target} fuzz_${target} -fsanitize=fuzzer)
      set_target_properties(fuzz_${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    endforeach()
    callsig_fuzz_index(fuzz_index -fsanitize=fuzzer)
    set_target_properties(fuzz_index PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endif()
