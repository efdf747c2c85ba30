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
