# Readers of untrusted input, fed with damaged input: a fixed corpus and fixed mutations under the address and undefined
# behaviour sanitizers, by any compiler; and libFuzzer targets (fuzz_recording, fuzz_expression) by clang:
#
#   cmake -B build-fuzz -DCMAKE_C_COMPILER=clang && cmake --build build-fuzz --target fuzz_recording
#   build-fuzz/tests/fuzz_recording -max_total_time=600
set(CS_FUZZ ${CMAKE_CURRENT_LIST_DIR})
get_target_property(CS_OUTPUT_SOURCES cs_output SOURCES)
list(TRANSFORM CS_OUTPUT_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/output/)
set(CS_FUZZ_SANITIZERS -fsanitize=address,undefined -fno-sanitize-recover=all)

# Everything that a target runs is compiled with `flags`, as libFuzzer and the sanitizers need it.
function(cs_fuzz_target name target flags)
  add_executable(${name} ${ARGN} ${CS_FUZZ}/${target}.c ${CS_FUZZ}/seeds.c ${CS_OUTPUT_TESTS}/index_writer.c
                         ${CS_OUTPUT_TESTS}/recording_writer.c ${CS_OUTPUT_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/output ${CS_FUZZ} ${CS_OUTPUT_TESTS})
  target_compile_options(${name} PRIVATE -g -O1 -fno-omit-frame-pointer ${CS_FUZZ_SANITIZERS} ${flags})
  target_link_options(${name} PRIVATE ${CS_FUZZ_SANITIZERS} ${flags})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE cs_output_made cs_symbols PkgConfig::PCRE2 PkgConfig::SQLITE PkgConfig::YAJL PkgConfig::ZLIB m ${CMAKE_DL_LIBS})
endfunction()

if(NOT CALLSIG_SANITIZE)
  foreach(number IN ITEMS 00 01 02 03 04 05 06 07)
    list(APPEND CS_FUZZ_EXPRESSIONS ${CS_FUZZ}/expressions/${number})
  endforeach()
  foreach(target IN ITEMS recording expression)
    cs_fuzz_target(replay_${target} fuzz_${target} "" ${CS_FUZZ}/replay.c)
  endforeach()
  callsig_test(fuzz.recording quick replay_recording 3000 recording)
  callsig_test(fuzz.recording.long full replay_recording 100000 recording)
  callsig_test(fuzz.expression quick replay_expression 3000 ${CS_FUZZ_EXPRESSIONS})
  if(CMAKE_C_COMPILER_ID MATCHES Clang)
    foreach(target IN ITEMS recording expression)
      cs_fuzz_target(fuzz_${target} fuzz_${target} -fsanitize=fuzzer)
      set_target_properties(fuzz_${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    endforeach()
  endif()
endif()
