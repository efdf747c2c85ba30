# Parts of the runtime that can be tested without a program around them.
foreach(name IN ITEMS filter locate index_check helper)
  add_executable(test_runtime_${name} ${CMAKE_CURRENT_LIST_DIR}/runtime/test_${name}.c $<TARGET_OBJECTS:cs_runtime>)
  target_include_directories(test_runtime_${name} PRIVATE ${PROJECT_SOURCE_DIR}/profiler ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(test_runtime_${name} PRIVATE _GNU_SOURCE)
  target_link_options(test_runtime_${name} PRIVATE -Wl,--build-id=sha1)
  callsig_test(unit.runtime.${name} quick test_runtime_${name})
endforeach()

# Programs whose functions are instrumented, with the runtime inside them.
foreach(level IN ITEMS 0 2)
  add_executable(test_runtime_activations_O${level} ${CMAKE_CURRENT_LIST_DIR}/runtime/test_activations.c
                                                    $<TARGET_OBJECTS:cs_runtime>)
  target_include_directories(test_runtime_activations_O${level} PRIVATE ${CMAKE_CURRENT_LIST_DIR}
                             ${PROJECT_SOURCE_DIR}/profiler ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(test_runtime_activations_O${level} PRIVATE _GNU_SOURCE)
  target_compile_options(test_runtime_activations_O${level} PRIVATE -g -O${level} -finstrument-functions)
  target_link_options(test_runtime_activations_O${level} PRIVATE -Wl,--build-id=sha1)
  callsig_test(unit.runtime.activations_O${level} quick ${CMAKE_COMMAND} -E env
               CALLSIG_COMMAND=$<TARGET_FILE:callsig_cli> CALLSIG_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/activations_cache
               CALLSIG_OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/activations_O${level}.out
               $<TARGET_FILE:test_runtime_activations_O${level}>)
endforeach()
