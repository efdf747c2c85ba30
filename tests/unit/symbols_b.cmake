# Plans, types, rules, notes and the second reader.
set(CALLSIG_SYMBOLS_B_TESTS ${CMAKE_CURRENT_LIST_DIR}/symbols_b)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# Modules with debug information that are looked at and never run.
add_library(callsig_plan_fixture SHARED ${CALLSIG_SYMBOLS_B_TESTS}/fixture.c)
target_compile_options(callsig_plan_fixture PRIVATE -g -O1 -finstrument-functions -w)
find_program(CALLSIG_CXX NAMES g++ clang++)
if(CALLSIG_CXX)
  set(CALLSIG_PLAN_FIXTURE_CXX ${CMAKE_CURRENT_BINARY_DIR}/plan_fixture_cxx.so)
  add_custom_command(
    OUTPUT ${CALLSIG_PLAN_FIXTURE_CXX}
    COMMAND ${CALLSIG_CXX} -g -O1 -fPIC -shared -finstrument-functions ${CALLSIG_SYMBOLS_B_TESTS}/fixture_cxx.cc
            -o ${CALLSIG_PLAN_FIXTURE_CXX}
    DEPENDS ${CALLSIG_SYMBOLS_B_TESTS}/fixture_cxx.cc
    VERBATIM)
  add_custom_target(callsig_plan_fixture_cxx ALL DEPENDS ${CALLSIG_PLAN_FIXTURE_CXX})
endif()

add_library(callsig_plan_text STATIC ${CALLSIG_SYMBOLS_B_TESTS}/plan_text.c)
target_include_directories(callsig_plan_text PUBLIC ${CALLSIG_SYMBOLS_B_TESTS})
target_link_libraries(callsig_plan_text PUBLIC callsig_symbols)

foreach(name IN ITEMS plans rules)
  add_executable(test_${name} ${CALLSIG_SYMBOLS_B_TESTS}/${name}.c)
  target_compile_definitions(test_${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(test_${name} PRIVATE callsig_plan_text PkgConfig::CMOCKA)
  callsig_test(unit.symbols.${name} quick test_${name} $<TARGET_FILE:callsig_plan_fixture> ${CALLSIG_PLAN_FIXTURE_CXX})
endforeach()

add_executable(print_plan ${CALLSIG_SYMBOLS_B_TESTS}/print_plan.c)
target_link_libraries(print_plan PRIVATE callsig_plan_text)
callsig_test(unit.symbols.notes quick ${Python3_EXECUTABLE} ${CALLSIG_SYMBOLS_B_TESTS}/notes.py $<TARGET_FILE:print_plan>
             ${PROJECT_SOURCE_DIR}/include)
callsig_test(unit.symbols.verify quick ${Python3_EXECUTABLE} ${CALLSIG_SYMBOLS_B_TESTS}/verify.py
             $<TARGET_FILE:callsig_cli> --quick)
callsig_test(unit.symbols.verify_full full ${Python3_EXECUTABLE} ${CALLSIG_SYMBOLS_B_TESTS}/verify.py
             $<TARGET_FILE:callsig_cli>)

# The parser of rules under libFuzzer, where clang is at hand whatever compiles the rest.
find_program(CALLSIG_FUZZ_CLANG NAMES clang clang-14)
if(CALLSIG_FUZZ_CLANG)
  set(CALLSIG_FUZZ_RULES ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rules)
  set(CALLSIG_FUZZ_RULES_SOURCES ${CMAKE_CURRENT_LIST_DIR}/../fuzz/fuzz_rules.c)
  foreach(name IN ITEMS base/arena symbols/plan/rules symbols/plan/rule_lexer)
    list(APPEND CALLSIG_FUZZ_RULES_SOURCES ${PROJECT_SOURCE_DIR}/${name}.c)
  endforeach()
  callsig_sanitizer_options(CALLSIG_FUZZ_RULES_SANITIZERS fuzzer,address,undefined)
  add_custom_command(
    OUTPUT ${CALLSIG_FUZZ_RULES}
    COMMAND ${CALLSIG_FUZZ_CLANG} -std=gnu11 -g -O1 -D_GNU_SOURCE ${CALLSIG_FUZZ_RULES_SANITIZERS}
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}
            -I${CMAKE_CURRENT_LIST_DIR}/../fuzz ${CALLSIG_FUZZ_RULES_SOURCES} -lxxhash -o ${CALLSIG_FUZZ_RULES}
    DEPENDS ${CALLSIG_FUZZ_RULES_SOURCES}
    VERBATIM)
  add_custom_target(callsig_fuzz_rules ALL DEPENDS ${CALLSIG_FUZZ_RULES})
  # A folder of its own takes the new inputs; the corpus of the repository is only read.
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rules_corpus)
  callsig_test(fuzz.rules quick ${CALLSIG_FUZZ_RULES} -runs=20000 -seed=1 -max_len=400
               ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rules_corpus ${CMAKE_CURRENT_LIST_DIR}/../fuzz/rules)
endif()
