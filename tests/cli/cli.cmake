# Prints the tables of options that the command is compiled with, for cli.options.
add_executable(list_options ${CMAKE_CURRENT_LIST_DIR}/list_options.c)
target_include_directories(list_options PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(list_options PRIVATE callsig_cli_parts)

# Walks its own stack as a sample's, for cli.own_run.
if(CALLSIG_PROCESSOR STREQUAL x86_64)
  add_executable(tell_caller ${CMAKE_CURRENT_LIST_DIR}/tell_caller.c)
  target_include_directories(tell_caller PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(tell_caller PRIVATE callsig_cli_parts)
endif()

# Builds what the tests of the command run.
add_custom_target(test_cli)
add_dependencies(test_cli callsig_cli callsig callsig_static list_options write_pipeline)
if(TARGET tell_caller)
  add_dependencies(test_cli tell_caller)
endif()
foreach(version IN LISTS CALLSIG_PLUGIN_VERSIONS)
  add_dependencies(test_cli callsig_plugin_gcc${version})
endforeach()

# The command and the compiler wrapper: every option, every error line and exit status.
callsig_python_tests(cli ${CMAKE_CURRENT_LIST_DIR}/test_*.py)

# Programs and monitors that are killed at random, more often than in cli.stages.
callsig_test(cli.stages_kills full ${CMAKE_COMMAND} -E env CALLSIG_BUILD=${PROJECT_BINARY_DIR} CALLSIG_TEST_KILLS=50
             ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_stages.py Stages)
callsig_test(cli.diff_full full ${CMAKE_COMMAND} -E env CALLSIG_BUILD=${PROJECT_BINARY_DIR}
             ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_diff.py --full)
set_tests_properties(cli.projects PROPERTIES LABELS full)
# They wait for most of a minute, so they begin early.
set_tests_properties(cli.push cli.serve PROPERTIES COST 200)
set_tests_properties(cli.terminal PROPERTIES SKIP_RETURN_CODE 77)
