# Sanitizers: which there are to build with, the options that each takes, for the whole build (the presets asan and tsan) and for the
# targets of the fuzzers alike, and the environment that tests of such a build run in.
set(CALLSIG_SANITIZE "" CACHE STRING "Sanitizers to build everything but the runtime with: address,undefined or thread")

# callsig_sanitizer_options(VARIABLE SANITIZERS): what the compiler and the linker need for SANITIZERS, as -fsanitize= takes them. What is
# undefined is also what neither compiler takes as part of it: a number that does not fit into the integer that it becomes, as damaged
# recordings have them.
function(callsig_sanitizer_options variable sanitizers)
  string(REPLACE "undefined" "undefined,float-cast-overflow" sanitizers ${sanitizers})
  set(${variable} -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer PARENT_SCOPE)
endfunction()

# callsig_sanitizer_environment(): sets the environment of the tests of this folder and of those below. Leaks count: a command that
# forgets what it allocated would do so in a program that uses libcallsig-stats. Libraries may be preloaded into the command, as one
# test does, which AddressSanitizer would refuse. What is freed is kept from use for 32 MiB, more than one input of a fuzzer takes: with
# its 256 MiB a third of the time of replays goes into fresh pages.
function(callsig_sanitizer_environment)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/sanitizer-environment.cmake CONTENT [[
set(ENV{ASAN_OPTIONS} detect_leaks=1:verify_asan_link_order=0:quarantine_size_mb=32)
set(ENV{UBSAN_OPTIONS} print_stacktrace=1)
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${PROJECT_BINARY_DIR}/sanitizer-environment.cmake)
endfunction()
