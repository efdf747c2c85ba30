# Plans, types, rules, notes and the second reader.
set(CS_SYMBOLS_B_TESTS ${CMAKE_CURRENT_LIST_DIR}/symbols_b)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# Modules with debug information that are looked at and never run.
add_library(cs_plan_fixture SHARED ${CS_SYMBOLS_B_TESTS}/fixture.c)
target_compile_options(cs_plan_fixture PRIVATE -g -O1 -finstrument-functions -w)
find_program(CS_CXX NAMES g++ clang++)
if(CS_CXX)
  set(CS_PLAN_FIXTURE_CXX ${CMAKE_CURRENT_BINARY_DIR}/plan_fixture_cxx.so)
  add_custom_command(
    OUTPUT ${CS_PLAN_FIXTURE_CXX}
    COMMAND ${CS_CXX} -g -O1 -fPIC -shared -finstrument-functions ${CS_SYMBOLS_B_TESTS}/fixture_cxx.cc
            -o ${CS_PLAN_FIXTURE_CXX}
    DEPENDS ${CS_SYMBOLS_B_TESTS}/fixture_cxx.cc
    VERBATIM)
  add_custom_target(cs_plan_fixture_cxx ALL DEPENDS ${CS_PLAN_FIXTURE_CXX})
endif()

add_library(cs_plan_text STATIC ${CS_SYMBOLS_B_TESTS}/plan_text.c)
target_include_directories(cs_plan_text PUBLIC ${CS_SYMBOLS_B_TESTS})
target_link_libraries(cs_plan_text PUBLIC cs_symbols)

foreach(name IN ITEMS plans rules)
  add_executable(test_${name} ${CS_SYMBOLS_B_TESTS}/${name}.c)
  target_compile_definitions(test_${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(test_${name} PRIVATE cs_plan_text PkgConfig::CMOCKA)
  callsig_test(unit.symbols.${name} quick test_${name} $<TARGET_FILE:cs_plan_fixture> ${CS_PLAN_FIXTURE_CXX})
endforeach()

add_executable(print_plan ${CS_SYMBOLS_B_TESTS}/print_plan.c)
target_link_libraries(print_plan PRIVATE cs_plan_text)
callsig_test(unit.symbols.notes quick ${Python3_EXECUTABLE} ${CS_SYMBOLS_B_TESTS}/notes.py $<TARGET_FILE:print_plan>
             ${PROJECT_SOURCE_DIR}/include)
callsig_test(unit.symbols.verify quick ${Python3_EXECUTABLE} ${CS_SYMBOLS_B_TESTS}/verify.py
             $<TARGET_FILE:callsig_cli> --quick)
callsig_test(unit.symbols.verify_full full ${Python3_EXECUTABLE} ${CS_SYMBOLS_B_TESTS}/verify.py
             $<TARGET_FILE:callsig_cli>)

# The parser of rules under libFuzzer, where clang is at hand whatever compiles the rest.
find_program(CS_FUZZ_CLANG NAMES clang clang-14)
if(CS_FUZZ_CLANG)
  set(CS_FUZZ_RULES ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rules)
  set(CS_FUZZ_RULES_SOURCES ${CMAKE_CURRENT_LIST_DIR}/../fuzz/fuzz_rules.c)
  foreach(name IN ITEMS arena rules scan)
    list(APPEND CS_FUZZ_RULES_SOURCES ${PROJECT_SOURCE_DIR}/symbols/${name}.c)
  endforeach()
  add_custom_command(
    OUTPUT ${CS_FUZZ_RULES}
    COMMAND ${CS_FUZZ_CLANG} -std=gnu11 -g -O1 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined
            -fno-sanitize-recover=all -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/symbols
            -I${CMAKE_CURRENT_LIST_DIR}/../fuzz ${CS_FUZZ_RULES_SOURCES} -lxxhash -o ${CS_FUZZ_RULES}
    DEPENDS ${CS_FUZZ_RULES_SOURCES}
    VERBATIM)
  add_custom_target(cs_fuzz_rules ALL DEPENDS ${CS_FUZZ_RULES})
  # A folder of its own takes the new inputs; the corpus of the repository is only read.
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rules_corpus)
  callsig_test(fuzz.rules quick ${CS_FUZZ_RULES} -runs=20000 -seed=1 -max_len=400
               ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rules_corpus ${CMAKE_CURRENT_LIST_DIR}/../fuzz/rules)
endif()
