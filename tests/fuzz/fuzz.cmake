# Readers of untrusted input, fed with damaged input: a fixed corpus and fixed mutations in a build with the address and undefined
# behaviour sanitizers, by any compiler (replay_<what>, the tests fuzz.<what> of the preset asan, which the test `sanitize` builds and
# runs); and libFuzzer targets (fuzz_<what>) by clang:
#
#   cmake --preset fuzz && cmake --build --preset fuzz -j
#   mkdir corpus && build/fuzz/tests/write_seed corpus/seed && build/fuzz/tests/write_pipeline corpus/pipeline
#   build/fuzz/tests/fuzz_recording -max_total_time=600 -max_len=65536 corpus
set(CALLSIG_FUZZ ${CMAKE_CURRENT_LIST_DIR})
callsig_sanitizer_options(CALLSIG_FUZZ_SANITIZERS address,undefined)
list(APPEND CALLSIG_FUZZ_SANITIZERS -g -O1)
callsig_glob(CALLSIG_FUZZ_TARGETS ${CALLSIG_FUZZ}/fuzz_*.c)
file(GLOB CALLSIG_FUZZ_MUTATORS CONFIGURE_DEPENDS ${CALLSIG_FUZZ}/mutate_*.c)
file(GLOB CALLSIG_FUZZ_EXPRESSIONS CONFIGURE_DEPENDS ${CALLSIG_FUZZ}/expressions/[0-9][0-9])
set(CALLSIG_FUZZ_PIPELINE ${CMAKE_CURRENT_BINARY_DIR}/fuzz_pipeline.seed)
set(CALLSIG_FUZZ_MERGED ${CMAKE_CURRENT_BINARY_DIR}/fuzz_merged.seed)

# callsig_fuzzed_library(NAME): what the targets run, compiled as the sanitizers and libFuzzer need it: all of output/, base/,
# format/ and symbols/ (but for its verify/), and the mutators.
function(callsig_fuzzed_library name)
  get_target_property(sources callsig_output SOURCES)
  # What output/ needs, but for base/, which is compiled again here.
  get_target_property(needs callsig_output LINK_LIBRARIES)
  list(REMOVE_ITEM needs callsig_base)
  get_target_property(readers callsig_symbols SOURCES)
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${sources} ${CALLSIG_BASE_SOURCES} ${CALLSIG_FORMAT_SOURCES} ${CALLSIG_TEST_WRITERS}
    ${readers} ${CALLSIG_FUZZ_MUTATORS})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  # As empty as the files define it that do so themselves; the producer of indexes is any.
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE= SYM_PRODUCER=0u)
  target_compile_options(${name} PUBLIC ${CALLSIG_FUZZ_SANITIZERS})
  target_link_options(${name} PUBLIC ${CALLSIG_FUZZ_SANITIZERS})
  target_link_libraries(${name} PUBLIC ${needs} callsig_symbols PkgConfig::XXHASH m ${CMAKE_DL_LIBS})
endfunction()

# callsig_fuzz_seeds(): what targets begin with; sets CALLSIG_FUZZ_ELF and CALLSIG_FUZZ_RANKS.
function(callsig_fuzz_seeds)
  # The recording of a pipeline.
  add_custom_command(OUTPUT ${CALLSIG_FUZZ_PIPELINE} COMMAND write_pipeline ${CALLSIG_FUZZ_PIPELINE} DEPENDS write_pipeline VERBATIM)
  add_custom_target(callsig_fuzz_pipeline ALL DEPENDS ${CALLSIG_FUZZ_PIPELINE})
  set_target_properties(callsig_fuzz_pipeline PROPERTIES CALLSIG_FILE ${CALLSIG_FUZZ_PIPELINE})

  # The same merged with itself: processes, and threads without stacks.
  add_custom_command(OUTPUT ${CALLSIG_FUZZ_MERGED}
    COMMAND merge_seeds ${CALLSIG_FUZZ_MERGED} apart ${CALLSIG_FUZZ_PIPELINE} ${CALLSIG_FUZZ_PIPELINE}
    DEPENDS merge_seeds ${CALLSIG_FUZZ_PIPELINE} VERBATIM)
  add_custom_target(callsig_fuzz_merged ALL DEPENDS ${CALLSIG_FUZZ_MERGED})
  add_dependencies(callsig_fuzz_merged callsig_fuzz_pipeline)
  set_target_properties(callsig_fuzz_merged PROPERTIES CALLSIG_FILE ${CALLSIG_FUZZ_MERGED})

  # Ranks, each with all that is told of calls beside their times, as processes of one recording; and some folded to one.
  set(ranks)
  set(folded)
  foreach(rank IN ITEMS 0 1)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rank_${rank}.seed)
    add_custom_command(OUTPUT ${file} ${file}.folds
      COMMAND write_rank ${rank} ${file}
      COMMAND write_rank ${rank} ${file}.folds folds
      DEPENDS write_rank VERBATIM)
    list(APPEND ranks ${file})
    list(APPEND folded ${file}.folds)
  endforeach()
  set(CALLSIG_FUZZ_RANKS ${CMAKE_CURRENT_BINARY_DIR}/fuzz_joined.seed ${CMAKE_CURRENT_BINARY_DIR}/fuzz_folded.seed)
  list(GET CALLSIG_FUZZ_RANKS 0 joined)
  list(GET CALLSIG_FUZZ_RANKS 1 one)
  add_custom_command(OUTPUT ${CALLSIG_FUZZ_RANKS}
    COMMAND merge_seeds ${joined} apart ${ranks}
    COMMAND merge_seeds ${one} folded ${folded}
    DEPENDS merge_seeds ${ranks} ${folded} VERBATIM)
  add_custom_target(callsig_fuzz_ranks ALL DEPENDS ${CALLSIG_FUZZ_RANKS})
  set(CALLSIG_FUZZ_RANKS ${ranks} ${CALLSIG_FUZZ_RANKS} PARENT_SCOPE)

  # ELF files with hooks at both levels, and with both lists of sleds.
  set(CALLSIG_FUZZ_ELF)
  foreach(level IN ITEMS O0 O2)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/fuzz_elf_${level}.seed)
    add_custom_command(OUTPUT ${file}
      COMMAND ${CMAKE_C_COMPILER} -g -${level} -finstrument-functions -fPIC -shared -nostdlib -o ${file} ${CALLSIG_FUZZ}/elf/seed.c
              ${CALLSIG_FUZZ}/elf/sleds.S
      DEPENDS ${CALLSIG_FUZZ}/elf/seed.c ${CALLSIG_FUZZ}/elf/sleds.S VERBATIM)
    list(APPEND CALLSIG_FUZZ_ELF ${file})
  endforeach()
  add_custom_target(callsig_fuzz_elf ALL DEPENDS ${CALLSIG_FUZZ_ELF})
  set_target_properties(callsig_fuzz_elf PROPERTIES CALLSIG_FILES "${CALLSIG_FUZZ_ELF}")
  set(CALLSIG_FUZZ_ELF ${CALLSIG_FUZZ_ELF} PARENT_SCOPE)
endfunction()

# callsig_replay_targets(): programs and tests that replay, where the libraries themselves are built with sanitizers.
function(callsig_replay_targets)
  callsig_fuzz_seeds()
  add_library(callsig_replay STATIC ${CALLSIG_FUZZ}/replay.c ${CALLSIG_FUZZ_MUTATORS})
  target_link_libraries(callsig_replay PUBLIC callsig_test_writers callsig_symbols)
  add_dependencies(test_replays callsig_fuzz_pipeline callsig_fuzz_merged callsig_fuzz_ranks callsig_fuzz_elf)
  foreach(file IN LISTS CALLSIG_FUZZ_TARGETS)
    callsig_read_needs(${file} case)
    get_filename_component(target ${file} NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" what ${target})
    add_executable(replay_${what} ${file})
    target_link_libraries(replay_${what} PRIVATE callsig_replay)
    callsig_build_needs(replay_${what})
    callsig_add_cases(fuzz.${what} replay_${what})
    add_dependencies(test_replays replay_${what})
  endforeach()
endfunction()

# callsig_libfuzzer_targets(): a program for each target that libFuzzer leads.
function(callsig_libfuzzer_targets)
  callsig_fuzz_seeds()
  callsig_fuzzed_library(callsig_fuzzed)
  target_compile_options(callsig_fuzzed PUBLIC -fsanitize=fuzzer-no-link)
  add_custom_target(fuzzers DEPENDS write_seed callsig_fuzz_pipeline callsig_fuzz_merged callsig_fuzz_ranks callsig_fuzz_elf)
  foreach(file IN LISTS CALLSIG_FUZZ_TARGETS)
    get_filename_component(target ${file} NAME_WE)
    add_executable(${target} EXCLUDE_FROM_ALL ${file} ${CALLSIG_FUZZ}/guided.c)
    target_link_libraries(${target} PRIVATE callsig_fuzzed -fsanitize=fuzzer)
    add_dependencies(fuzzers ${target})
  endforeach()
endfunction()

add_custom_target(test_replays)
if(CALLSIG_SANITIZE MATCHES "address")
  callsig_replay_targets()
elseif(NOT CALLSIG_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES Clang)
  callsig_libfuzzer_targets()
endif()

# The parser of rules under libFuzzer, where clang is at hand whatever compiles the rest. A folder of its own takes the new inputs; the
# corpus of the repository is only read.
find_program(CALLSIG_FUZZ_CLANG NAMES clang clang-14)
if(CALLSIG_FUZZ_CLANG AND NOT CALLSIG_SANITIZE)
  set(CALLSIG_FUZZ_RULES ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rules_guided)
  set(sources ${CALLSIG_FUZZ}/fuzz_rules.c)
  foreach(name IN ITEMS base/arena symbols/base/text_file symbols/plan/rules symbols/plan/rule_lexer)
    list(APPEND sources ${PROJECT_SOURCE_DIR}/${name}.c)
  endforeach()
  add_custom_command(
    OUTPUT ${CALLSIG_FUZZ_RULES}
    COMMAND ${CALLSIG_FUZZ_CLANG} -std=gnu11 -D_GNU_SOURCE ${CALLSIG_FUZZ_SANITIZERS} -fsanitize=fuzzer
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR} ${sources} -lxxhash -o ${CALLSIG_FUZZ_RULES}
    DEPENDS ${sources}
    VERBATIM)
  add_custom_target(callsig_fuzz_rules ALL DEPENDS ${CALLSIG_FUZZ_RULES})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rules_corpus)
  callsig_test(fuzz.rules.guided quick ${CALLSIG_FUZZ_RULES} -runs=20000 -seed=1 -max_len=400
               ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rules_corpus ${CALLSIG_FUZZ}/rules)
endif()

# All of them for ten minutes each, in a build of its own by clang, as `make fuzz` does alone.
if(NOT CALLSIG_SANITIZE)
  callsig_test(fuzz.guided_full full ${Python3_EXECUTABLE} ${CALLSIG_FUZZ}/run_guided.py --source ${PROJECT_SOURCE_DIR}
               --build ${CMAKE_CURRENT_BINARY_DIR}/guided)
  set_tests_properties(fuzz.guided_full PROPERTIES SKIP_RETURN_CODE 77)
endif()
