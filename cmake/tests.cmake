# Tests: found by their files' names, each with what it needs stated in its own file. tests/README.md shows how to add one.
#
# A test is a file test_<what>.c or test_<what>.py. What it needs beyond the ordinary is stated in lines at its head that begin
# with "ctest:", behind the comment's mark; one word, then its values:
#
#   /* ctest: wrap malloc realloc */
#
#   name NAME                  the test's name, where it is not <folder>.<what>
#   arguments ARGUMENT...      what every run of it is given
#   case SUFFIX LABEL [ARGUMENT...]
#                              one test a line: SUFFIX is what its name has more ("-": nothing), LABEL quick or full, and the
#                              ARGUMENTs follow the common ones. Without such a line: one test, quick
#   skips [SUFFIX...]          of the cases of these SUFFIXes, or of all, exit status 77 says that the machine lacks what they need
#   real [SUFFIX...]           (python) the cases of these SUFFIXes, or all, need the sources of the real programs: they are given
#                              --sources, --out and --build
#   alone [SUFFIX...]          the cases of these SUFFIXes, or all, run while no other test does: they hold times against known ones. No
#                              quick one may
#   build SUFFIX [WORD...]     (C) one program a line; its tests' names have SUFFIX more. A WORD is an option of the compiler when it
#                              begins with "-", else a library that is linked instead of the folder's own
#   source FILE...             (C) further sources, from the top of the tree
#   wrap FUNCTION...           (C) calls of these functions go to __wrap_<function> (-Wl,--wrap)
#   records                    (C) profiles itself: is told the command, a cache, and a file of its own to record to
#   unsanitized                (C) is not built where CALLSIG_SANITIZE is set
#
# The option @CALLSIG_TEST_SLEDS@ is that of the plug-in for sleds, where the compiler in use has one, else -finstrument-functions.
#
# A value may have @VARIABLE@ and generator expressions in it, and no blanks. An unknown word is an error. A fuzz target, fuzz_<what>.c,
# takes `case` alone.
#
# Building a program of a test (the target test_<library>_<what>, of a fuzz target replay_<what>) builds the targets that generator
# expressions of its `arguments` and `case` name as well. A python test of tests/unit has such a target of its own, which builds those
# alone.

# callsig_test(NAME LABEL COMMAND...): one test that runs COMMAND in the build folder. LABEL is quick (part of `make check`) or full
# (only in `make check-full`).
function(callsig_test name label)
  if(NOT label MATCHES "^(quick|full)$")
    message(FATAL_ERROR "test ${name}: label ${label} is neither quick nor full")
  endif()
  set(timeout 900)
  if(label STREQUAL full)
    set(timeout 7200)
  endif()
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout})
  set_property(GLOBAL APPEND PROPERTY CALLSIG_TESTS ${name})
  set_property(GLOBAL APPEND PROPERTY CALLSIG_TEST_FILES ${ARGN})
endfunction()

# callsig_glob(VARIABLE PATTERN...): the files that match, and an error when there are none: a folder without tests is a mistake.
function(callsig_glob variable)
  file(GLOB found CONFIGURE_DEPENDS ${ARGN})
  if(NOT found)
    message(FATAL_ERROR "no test matches ${ARGN}")
  endif()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# callsig_read_needs(FILE WORD...): reads the "ctest:" lines of FILE, which may use these WORDs, into the caller's variables: need_name,
# need_arguments, need_source, need_wrap, need_skips, need_real, need_alone, need_records and need_unsanitized hold the values (of the last
# five, the word itself before them), need_cases and need_builds the names of variables, of which each holds the values of one line.
function(callsig_read_needs file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  foreach(word IN ITEMS name arguments source wrap skips real alone records unsanitized cases builds)
    set(need_${word})
  endforeach()
  file(STRINGS ${file} lines REGEX "^(/\\*| \\*|//|#) ctest:")
  foreach(line IN LISTS lines)
    if(line MATCHES "^/\\*" AND NOT line MATCHES "\\*/ *$")
      message(FATAL_ERROR "${file}: a line \"ctest:\" goes on in the next one, which nobody reads")
    endif()
    string(REGEX REPLACE "^[^:]*ctest:(.*)$" "\\1" line "${line}")
    string(REGEX REPLACE " *\\*/ *$" "" line "${line}")
    separate_arguments(words UNIX_COMMAND "${line}")
    set(values)
    foreach(value IN LISTS words)
      string(CONFIGURE "${value}" value @ONLY)
      list(APPEND values ${value})
    endforeach()
    list(POP_FRONT values word)
    if(NOT word IN_LIST ARGN)
      message(FATAL_ERROR "${file}: \"ctest: ${word}\" is none of: ${ARGN} (cmake/tests.cmake says what they mean)")
    elseif(word MATCHES "^(skips|real|alone|records|unsanitized)$")
      list(APPEND need_${word} ${word} ${values})
    elseif(NOT values)
      message(FATAL_ERROR "${file}: \"ctest: ${word}\" has no value")
    elseif(word MATCHES "^(case|build)$")
      list(LENGTH need_${word}s number)
      list(APPEND need_${word}s need_${word}_${number})
      set(need_${word}_${number} ${values} PARENT_SCOPE)
    else()
      list(APPEND need_${word} ${values})
    endif()
  endforeach()
  if(NOT need_cases)
    set(need_cases need_case_0)
    set(need_case_0 - quick PARENT_SCOPE)
  endif()
  foreach(word IN ITEMS name arguments source wrap skips real alone records unsanitized cases builds)
    set(need_${word} ${need_${word}} PARENT_SCOPE)
  endforeach()
endfunction()

# callsig_add_cases(NAME COMMAND...): the cases of the file that was read last, as tests that run COMMAND.
function(callsig_add_cases name)
  foreach(line IN LISTS need_cases)
    set(arguments ${${line}})
    list(POP_FRONT arguments suffix label)
    set(test ${name}${suffix})
    string(REGEX REPLACE "-$" "" test ${test})
    set(real)
    if(need_real STREQUAL real OR suffix IN_LIST need_real)
      set(real --sources ${PROJECT_BINARY_DIR}/sources --out ${PROJECT_BINARY_DIR}/real --build ${PROJECT_BINARY_DIR})
    endif()
    callsig_test(${test} "${label}" ${ARGN} ${real} ${need_arguments} ${arguments})
    if(need_skips STREQUAL skips OR suffix IN_LIST need_skips)
      set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
    if(need_alone STREQUAL alone OR suffix IN_LIST need_alone)
      if(NOT label STREQUAL full)
        message(FATAL_ERROR "test ${test}: what runs alone is no quick test")
      endif()
      set_tests_properties(${test} PROPERTIES RUN_SERIAL TRUE)
    endif()
    if(real)
      # They build programs, which takes long: so they begin before what does not.
      set_tests_properties(${test} PROPERTIES FIXTURES_REQUIRED real_sources COST 100)
    endif()
    if(need_records)
      set_tests_properties(${test} PROPERTIES ENVIRONMENT
        "CALLSIG_COMMAND=$<TARGET_FILE:callsig_cli>;CALLSIG_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/cache;CALLSIG_OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${test}.out")
    endif()
  endforeach()
endfunction()

# callsig_build_needs(TARGET): whoever builds TARGET builds what the file that was read last names in generator expressions as well, and
# the command where it records.
function(callsig_build_needs target)
  set(values ${need_arguments})
  foreach(line IN LISTS need_cases)
    list(APPEND values ${${line}})
  endforeach()
  string(REGEX MATCHALL "\\$<TARGET_[A-Z_]+:[A-Za-z0-9_]+" targets "${values}")
  list(TRANSFORM targets REPLACE "^.*:" "")
  if(need_records)
    list(APPEND targets callsig_cli)
  endif()
  if(targets)
    add_dependencies(${target} ${targets})
  endif()
endfunction()

# callsig_python_tests(PREFIX PATTERN...): each file that matches is run by python3 with CALLSIG_BUILD set, as PREFIX.<what>.
function(callsig_python_tests prefix)
  callsig_glob(files ${ARGN})
  foreach(file IN LISTS files)
    callsig_read_needs(${file} name arguments case skips real alone)
    get_filename_component(name ${file} NAME_WE)
    string(REGEX REPLACE "^test_" "${prefix}." name ${name})
    if(need_name)
      set(name ${need_name})
    endif()
    callsig_add_cases(${name} ${CMAKE_COMMAND} -E env CALLSIG_BUILD=${PROJECT_BINARY_DIR} ${Python3_EXECUTABLE} ${file})
    if(prefix MATCHES "^unit\\.(.*)$")
      set(library test_${CMAKE_MATCH_1})
      get_filename_component(target ${file} NAME_WE)
      string(REGEX REPLACE "^test_" "${library}_" target ${target})
      add_custom_target(${target})
      add_dependencies(${library} ${target})
      callsig_build_needs(${target})
    endif()
  endforeach()
endfunction()

# callsig_unit_program(PROGRAM FILE LIBRARY...): builds FILE, whose needs were read last, with these libraries, and with cmocka when it
# includes it.
function(callsig_unit_program program file)
  add_executable(${program} ${file})
  foreach(source IN LISTS need_source)
    target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/${source})
  endforeach()
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${program} PRIVATE _GNU_SOURCE=) # as empty as the files define it that do so themselves
  target_link_options(${program} PRIVATE -Wl,--build-id=sha1)
  foreach(function IN LISTS need_wrap)
    target_link_options(${program} PRIVATE -Wl,--wrap=${function})
  endforeach()
  file(STRINGS ${file} cmocka REGEX "^#include <cmocka.h>")
  if(cmocka)
    target_link_libraries(${program} PRIVATE PkgConfig::CMOCKA)
  endif()
  foreach(word IN LISTS ARGN)
    if(word MATCHES "^-")
      target_compile_options(${program} PRIVATE ${word})
      if(word STREQUAL CALLSIG_TEST_SLEDS AND TARGET ${CALLSIG_TEST_PLUGIN})
        add_dependencies(${program} ${CALLSIG_TEST_PLUGIN})
      endif()
    else()
      target_link_libraries(${program} PRIVATE ${word})
    endif()
  endforeach()
endfunction()

# callsig_unit_tests(LIBRARY LINKED...): the tests of tests/unit/<LIBRARY>/, as unit.<LIBRARY>.<what>; programs are linked with LINKED.
# The target test_<LIBRARY> builds what they need.
function(callsig_unit_tests library)
  set(folder ${PROJECT_SOURCE_DIR}/tests/unit/${library})
  add_custom_target(test_${library})
  callsig_glob(files ${folder}/test_*.c)
  foreach(file IN LISTS files)
    callsig_read_needs(${file} name arguments case skips build source wrap records unsanitized)
    set_property(GLOBAL APPEND PROPERTY CALLSIG_TEST_FILES ${file})
    if(need_unsanitized AND CALLSIG_SANITIZE)
      continue()
    endif()
    get_filename_component(program ${file} NAME_WE)
    string(REGEX REPLACE "^test_" "unit.${library}." name ${program})
    string(REGEX REPLACE "^test_" "test_${library}_" program ${program})
    if(need_name)
      set(name ${need_name})
    endif()
    if(NOT need_builds)
      callsig_unit_program(${program} ${file} ${ARGN})
      add_dependencies(test_${library} ${program})
      callsig_build_needs(${program})
      callsig_add_cases(${name} ${program})
    endif()
    foreach(line IN LISTS need_builds)
      set(words ${${line}})
      list(POP_FRONT words suffix)
      set(libraries ${words})
      list(FILTER libraries EXCLUDE REGEX "^-")
      if(NOT libraries)
        list(APPEND words ${ARGN})
      endif()
      callsig_unit_program(${program}${suffix} ${file} ${words})
      add_dependencies(test_${library} ${program}${suffix})
      callsig_build_needs(${program}${suffix})
      callsig_add_cases(${name}${suffix} ${program}${suffix})
    endforeach()
  endforeach()
  file(GLOB scripts CONFIGURE_DEPENDS ${folder}/test_*.py)
  if(scripts)
    callsig_python_tests(unit.${library} ${scripts})
  endif()
endfunction()

# callsig_check_tests(): an error when a file that is named like a test is in no list, when a folder of unit tests is no library's, or when
# there are no quick tests at all. After the last test.
function(callsig_check_tests)
  get_property(found GLOBAL PROPERTY CALLSIG_TEST_FILES)
  file(GLOB_RECURSE named CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/test_*.c ${PROJECT_SOURCE_DIR}/tests/test_*.py
       ${PROJECT_SOURCE_DIR}/tests/unit/*.c)
  list(REMOVE_ITEM named ${found})
  if(named)
    list(JOIN named "\n  " named)
    message(FATAL_ERROR "these tests are run by nothing (tests/README.md says where a test lies and what it is called):\n  ${named}")
  endif()
  get_property(tests GLOBAL PROPERTY CALLSIG_TESTS)
  if(NOT tests)
    message(FATAL_ERROR "there are no tests")
  endif()
endfunction()
