# Parts of the runtime that can be tested without a program around them.
foreach(name IN ITEMS filter locate helper)
  add_executable(test_runtime_${name} ${CMAKE_CURRENT_LIST_DIR}/runtime/test_${name}.c $<TARGET_OBJECTS:callsig_runtime>)
  target_include_directories(test_runtime_${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(test_runtime_${name} PRIVATE _GNU_SOURCE)
  target_link_options(test_runtime_${name} PRIVATE -Wl,--build-id=sha1)
  callsig_test(unit.runtime.${name} quick test_runtime_${name})
endforeach()

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
foreach(name IN ITEMS capture histogram options ring tree)
  add_executable(test_runtime_${name} ${CMAKE_CURRENT_LIST_DIR}/runtime/test_${name}.c $<TARGET_OBJECTS:callsig_runtime>)
  target_include_directories(test_runtime_${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(test_runtime_${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(test_runtime_${name} PRIVATE PkgConfig::CMOCKA)
  callsig_test(unit.runtime.${name} quick test_runtime_${name})
endforeach()

callsig_test(unit.runtime.undefined_symbols quick ${Python3_EXECUTABLE}
             ${CMAKE_CURRENT_LIST_DIR}/runtime/undefined_symbols.py $<TARGET_FILE:callsig> $<TARGET_FILE:callsig_static>)

callsig_test(unit.runtime.recording_format quick ${Python3_EXECUTABLE}
             ${CMAKE_CURRENT_LIST_DIR}/runtime/recording_format.py ${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR}
             ${PROJECT_SOURCE_DIR}/docs/recording-format.md)

# Programs whose functions are instrumented, with the runtime inside them: NAME, then the arguments of each run.
function(callsig_runtime_program name)
  foreach(level IN ITEMS 0 2)
    set(program test_runtime_${name}_O${level})
    add_executable(${program} ${CMAKE_CURRENT_LIST_DIR}/runtime/test_${name}.c $<TARGET_OBJECTS:callsig_runtime>)
    target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_LIST_DIR} ${PROJECT_SOURCE_DIR}
                               ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(${program} PRIVATE _GNU_SOURCE)
    target_compile_options(${program} PRIVATE -g -O${level} -finstrument-functions)
    target_link_options(${program} PRIVATE -Wl,--build-id=sha1)
    foreach(argument IN ITEMS plain ${ARGN})
      set(run ${name}_O${level}_${argument})
      callsig_test(unit.runtime.${run} quick ${CMAKE_COMMAND} -E env CALLSIG_COMMAND=$<TARGET_FILE:callsig_cli>
                   CALLSIG_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/runtime_cache
                   CALLSIG_OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${run}.out $<TARGET_FILE:${program}> ${argument})
    endforeach()
  endforeach()
endfunction()
callsig_runtime_program(activations stages merged)
callsig_runtime_program(tasks times full)
callsig_runtime_program(queues level)
callsig_runtime_program(forked)
callsig_runtime_program(schedule steps)
callsig_runtime_program(interrupted stack jump full step)
set_tests_properties(unit.runtime.interrupted_O0_step unit.runtime.interrupted_O2_step PROPERTIES SKIP_RETURN_CODE 77)
