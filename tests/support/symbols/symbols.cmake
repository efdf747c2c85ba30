# Modules with debug information that tests of symbols/ read, some of them run under hooks that tell what arguments they saw.
set(CALLSIG_SUPPORT_SYMBOLS ${CMAKE_CURRENT_LIST_DIR})

add_executable(symbols_write_index ${CALLSIG_SUPPORT_SYMBOLS}/write_index.c)
target_link_libraries(symbols_write_index PRIVATE callsig_symbols)
add_executable(symbols_tell_hook_calls ${CALLSIG_SUPPORT_SYMBOLS}/tell_hook_calls.c)
target_link_libraries(symbols_tell_hook_calls PRIVATE callsig_symbols)
add_executable(symbols_pass_siblings ${CALLSIG_SUPPORT_SYMBOLS}/pass_siblings.c)
target_link_libraries(symbols_pass_siblings PRIVATE callsig_symbols)
add_executable(symbols_tell_places ${CALLSIG_SUPPORT_SYMBOLS}/tell_places.c)
target_link_libraries(symbols_tell_places PRIVATE callsig_symbols)
add_executable(symbols_tell_operands ${CALLSIG_SUPPORT_SYMBOLS}/tell_operands.c)
target_link_libraries(symbols_tell_operands PRIVATE callsig_symbols)

# The hooks of the sample: preloaded, or linked into it. They run inside programs that no sanitizer has prepared.
get_directory_property(options COMPILE_OPTIONS)
list(FILTER options EXCLUDE REGEX "sanitize")
# Programs of every compiler link the archive, which has to be machine code for that.
list(APPEND options -fno-lto)
foreach(kind IN ITEMS SHARED STATIC)
  string(TOLOWER symbols_trace_${kind} target)
  add_library(${target} ${kind} ${CALLSIG_SUPPORT_SYMBOLS}/trace.c ${CALLSIG_SUPPORT_SYMBOLS}/trace_sleds.c
              ${CALLSIG_SUPPORT_SYMBOLS}/trace.S ${CALLSIG_FORMAT_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_link_libraries(${target} PRIVATE PkgConfig::XXHASH)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON LINK_OPTIONS ""
                        COMPILE_OPTIONS "${options}")
endforeach()
add_executable(symbols_sample ${CALLSIG_SUPPORT_SYMBOLS}/sample.c ${CALLSIG_SUPPORT_SYMBOLS}/sample_main.c)
target_compile_definitions(symbols_sample PRIVATE SAMPLE_LINKED)
target_link_libraries(symbols_sample PRIVATE symbols_trace_shared)
set_target_properties(symbols_sample PROPERTIES LINK_OPTIONS "" COMPILE_OPTIONS "-g;-O2;-finstrument-functions;-w")

# Described as clang 14 does what no compiler at hand can be made to.
add_executable(symbols_spill_program ${CALLSIG_SUPPORT_SYMBOLS}/spill_program.S)
set_target_properties(symbols_spill_program PROPERTIES LINK_OPTIONS "" COMPILE_OPTIONS "")

# Modules that are looked at and never run.
add_library(callsig_plan_fixture SHARED ${CALLSIG_SUPPORT_SYMBOLS}/plan_fixture.c)
target_compile_options(callsig_plan_fixture PRIVATE -g -O1 -finstrument-functions -w)
find_program(CALLSIG_CXX NAMES g++ clang++ REQUIRED)
set(CALLSIG_PLAN_FIXTURE_CXX ${CMAKE_CURRENT_BINARY_DIR}/plan_fixture_cxx.so)
add_custom_command(
  OUTPUT ${CALLSIG_PLAN_FIXTURE_CXX}
  COMMAND ${CALLSIG_CXX} -g -O1 -fPIC -shared -finstrument-functions ${CALLSIG_SUPPORT_SYMBOLS}/plan_fixture_cxx.cc
          -o ${CALLSIG_PLAN_FIXTURE_CXX}
  DEPENDS ${CALLSIG_SUPPORT_SYMBOLS}/plan_fixture_cxx.cc
  VERBATIM)
add_custom_target(callsig_plan_fixture_cxx ALL DEPENDS ${CALLSIG_PLAN_FIXTURE_CXX})
set_target_properties(callsig_plan_fixture_cxx PROPERTIES CALLSIG_FILE ${CALLSIG_PLAN_FIXTURE_CXX})

# Plans and types as text, for tests and as a command.
add_library(callsig_test_plans STATIC ${CALLSIG_SUPPORT_SYMBOLS}/plan_text.c)
target_link_libraries(callsig_test_plans PUBLIC callsig_symbols)
add_executable(print_plan ${CALLSIG_SUPPORT_SYMBOLS}/print_plan.c)
target_link_libraries(print_plan PRIVATE callsig_test_plans)

# A disassembler that we did not write, for unit.symbols.decode.
find_program(OBJDUMP NAMES objdump REQUIRED)
