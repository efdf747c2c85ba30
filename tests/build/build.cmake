# The ways in which people build callsig, each configured, built and run; every compiler with every build type in the full matrix.
function(callsig_build_test label)
  foreach(case IN LISTS ARGN)
    callsig_test(build.${case} ${label} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/build/test_build.py
                 --work ${PROJECT_BINARY_DIR}/builds ${case})
    set_tests_properties(build.${case} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
    if(NOT case MATCHES "^(subproject_configured|platform|no_tests)$")
      set_tests_properties(build.${case} PROPERTIES PROCESSORS 2)
    endif()
  endforeach()
endfunction()
# Those that compile all of callsig again are full; what an installed callsig needs is also asked by the test `install`.
callsig_build_test(quick subproject_configured platform no_tests)
callsig_build_test(full release subproject subproject_installed fetch_content shared_libs_on shared_libs_off ninja bare deb)
set_tests_properties(build.deb PROPERTIES TIMEOUT 1800)
callsig_build_test(full checked_lto checked_clang)
set_tests_properties(build.checked_lto build.checked_clang PROPERTIES TIMEOUT 7200)
foreach(type IN ITEMS Debug MinSizeRel Release RelWithDebInfo)
  foreach(compiler IN ITEMS gcc-11 gcc-12 clang-14 clang-16 clang-19)
    callsig_build_test(full ${compiler}.${type})
  endforeach()
endforeach()

# The shared libraries' binary interface, as programs were compiled against it. The sanitizers' own names are no part of it.
if(NOT CALLSIG_SANITIZE)
  callsig_test(abi.callsig quick ${PROJECT_SOURCE_DIR}/scripts/abi.sh ${PROJECT_BINARY_DIR} libcallsig)
  callsig_test(abi.stats quick ${PROJECT_SOURCE_DIR}/scripts/abi.sh ${PROJECT_BINARY_DIR} libcallsig-stats)
  callsig_test(abi.findings quick ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/build/test_abi.py ${PROJECT_BINARY_DIR})
  set_tests_properties(abi.callsig abi.stats PROPERTIES SKIP_RETURN_CODE 77)
else()
  set_property(GLOBAL APPEND PROPERTY CALLSIG_TEST_FILES ${CMAKE_CURRENT_LIST_DIR}/test_abi.py)
endif()

# What fetches the sources of the programs that other tests profile.
callsig_test(build.sources quick ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/build/test_get_sources.py)
