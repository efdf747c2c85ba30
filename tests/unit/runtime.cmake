# Parts of the runtime that can be tested without a program around them.
foreach(name IN ITEMS filter locate index_check helper)
  add_executable(test_runtime_${name} ${CMAKE_CURRENT_LIST_DIR}/runtime/test_${name}.c $<TARGET_OBJECTS:cs_runtime>)
  target_include_directories(test_runtime_${name} PRIVATE ${PROJECT_SOURCE_DIR}/profiler ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(test_runtime_${name} PRIVATE _GNU_SOURCE)
  target_link_options(test_runtime_${name} PRIVATE -Wl,--build-id=sha1)
  callsig_test(unit.runtime.${name} quick test_runtime_${name})
endforeach()
