# symbols/: parts alone, and the whole on a sample that is built in many ways.
set(CALLSIG_SYMBOLS_TESTS ${CMAKE_CURRENT_LIST_DIR}/symbols)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

add_executable(symbols_write_index ${CALLSIG_SYMBOLS_TESTS}/write_index.c)
target_link_libraries(symbols_write_index PRIVATE callsig_symbols)

# The hooks of the sample: preloaded, or linked into it. They run inside programs that no sanitizer has prepared.
foreach(kind IN ITEMS SHARED STATIC)
  string(TOLOWER symbols_trace_${kind} target)
  add_library(${target} ${kind} ${CALLSIG_SYMBOLS_TESTS}/trace.c ${CALLSIG_SYMBOLS_TESTS}/trace.S ${CALLSIG_FORMAT_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_link_libraries(${target} PRIVATE PkgConfig::XXHASH)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON LINK_OPTIONS ""
                        COMPILE_OPTIONS "${CALLSIG_WARNINGS}")
endforeach()

set(CALLSIG_SYMBOLS_MATRIX ${Python3_EXECUTABLE} ${CALLSIG_SYMBOLS_TESTS}/matrix.py --tools $<TARGET_FILE_DIR:symbols_write_index>
    --trace $<TARGET_FILE:symbols_trace_shared> --archive $<TARGET_FILE:symbols_trace_static>)
callsig_test(unit.symbols.matrix quick ${CALLSIG_SYMBOLS_MATRIX})
callsig_test(unit.symbols.matrix_all full ${CALLSIG_SYMBOLS_MATRIX} --all)

foreach(name IN ITEMS code flow identity)
  add_executable(test_symbols_${name} ${CALLSIG_SYMBOLS_TESTS}/test_${name}.c)
  target_link_libraries(test_symbols_${name} PRIVATE callsig_symbols PkgConfig::CMOCKA)
  callsig_test(unit.symbols.${name} quick test_symbols_${name})
endforeach()

# Described as clang 14 does what no compiler at hand can be made to.
add_executable(symbols_spill_program ${CALLSIG_SYMBOLS_TESTS}/spill_program.S)
set_target_properties(symbols_spill_program PROPERTIES LINK_OPTIONS "" COMPILE_OPTIONS "")
callsig_test(unit.symbols.spill quick ${Python3_EXECUTABLE} ${CALLSIG_SYMBOLS_TESTS}/spill.py --program $<TARGET_FILE:symbols_spill_program>
             --callsig $<TARGET_FILE:callsig_cli>)

add_executable(symbols_sample ${CALLSIG_SYMBOLS_TESTS}/sample.c ${CALLSIG_SYMBOLS_TESTS}/sample_main.c)
target_compile_definitions(symbols_sample PRIVATE SAMPLE_LINKED)
target_link_libraries(symbols_sample PRIVATE symbols_trace_shared)
set_target_properties(symbols_sample PROPERTIES LINK_OPTIONS "" COMPILE_OPTIONS "-g;-O2;-finstrument-functions;-w")
foreach(name IN ITEMS open cache)
  add_executable(test_symbols_${name} ${CALLSIG_SYMBOLS_TESTS}/test_${name}.c)
  target_compile_definitions(test_symbols_${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(test_symbols_${name} PRIVATE callsig_symbols PkgConfig::CMOCKA)
  callsig_test(unit.symbols.${name} quick test_symbols_${name} $<TARGET_FILE:symbols_sample>)
endforeach()

# A disassembler that we did not write, on code that we did: the command and everything linked into it.
find_program(OBJDUMP NAMES objdump REQUIRED)
add_executable(symbols_decode_lengths ${CALLSIG_SYMBOLS_TESTS}/decode_lengths.c)
target_link_libraries(symbols_decode_lengths PRIVATE callsig_symbols)
callsig_test(unit.symbols.decode quick sh -c "\"$1\" -d --wide \"$2\" | \"$3\"" sh ${OBJDUMP}
             $<TARGET_FILE:callsig_cli> $<TARGET_FILE:symbols_decode_lengths>)
