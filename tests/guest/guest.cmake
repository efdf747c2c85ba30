# Guest programs: callsig must not disturb them, and must count them exactly. One test a case, over every compiler and level.
find_package(Python3 COMPONENTS Interpreter REQUIRED)
set(CALLSIG_GUEST_CASES
    linked
    longjmp exceptions fork exec vfork spawn exec_all times timeline thread_ends ends signals segv malloc coroutines mapped_stack callbacks plugins storm many_threads
    deep grow close_fds own_stderr small_stack shared_site errno children vectors constructors control stages toggle filters options bad_index sigkill full_disk file_limit unwritable address_space stripped no_debug)
foreach(case IN LISTS CALLSIG_GUEST_CASES)
  callsig_test(guest.${case} quick ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/run_guest.py
               --build ${PROJECT_BINARY_DIR} ${case})
endforeach()
