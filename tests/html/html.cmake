# The modules of pages, alone: by node's own test runner. What pages do in a browser is tests/cli/test_page_browser.py.
find_program(CALLSIG_NODE NAMES node nodejs)
callsig_glob(files ${CMAKE_CURRENT_LIST_DIR}/*.test.js)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  string(REPLACE ".test.js" "" name html.${name})
  if(CALLSIG_NODE)
    callsig_test(${name} quick ${CALLSIG_NODE} --test ${file})
  else()
    # Shown as skipped, never as passed.
    callsig_test(${name} quick ${CMAKE_COMMAND} -E false)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 1)
  endif()
endforeach()
