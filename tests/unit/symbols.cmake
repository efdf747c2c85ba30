# symbols/: parts alone, and the whole on a sample that is built in many ways.
set(CS_SYMBOLS_TESTS ${CMAKE_CURRENT_LIST_DIR}/symbols)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

add_executable(symbols_write_index ${CS_SYMBOLS_TESTS}/write_index.c)
target_link_libraries(symbols_write_index PRIVATE cs_symbols)

# The hooks of the sample: preloaded, or linked into it as objects.
add_library(symbols_trace_objects OBJECT ${CS_SYMBOLS_TESTS}/trace.c ${CS_SYMBOLS_TESTS}/trace.S
            ${PROJECT_SOURCE_DIR}/symbols/open.c ${PROJECT_SOURCE_DIR}/symbols/code.c)
target_include_directories(symbols_trace_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/symbols)
target_compile_definitions(symbols_trace_objects PRIVATE _GNU_SOURCE)
set_target_properties(symbols_trace_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
add_library(symbols_trace SHARED $<TARGET_OBJECTS:symbols_trace_objects>)
target_link_libraries(symbols_trace PRIVATE PkgConfig::XXHASH)

set(CS_SYMBOLS_MATRIX ${Python3_EXECUTABLE} ${CS_SYMBOLS_TESTS}/matrix.py --tools $<TARGET_FILE_DIR:symbols_write_index>
    --trace $<TARGET_FILE:symbols_trace> --objects $<TARGET_OBJECTS:symbols_trace_objects>)
callsig_test(unit.symbols.matrix quick "${CS_SYMBOLS_MATRIX}")
callsig_test(unit.symbols.matrix_all full "${CS_SYMBOLS_MATRIX};--all")
set_tests_properties(unit.symbols.matrix unit.symbols.matrix_all PROPERTIES COMMAND_EXPAND_LISTS TRUE)
