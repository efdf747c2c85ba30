# Sanitizers: which there are to build with, and the options that each takes, for the whole build (the presets asan and tsan) and
# for the targets of the fuzzers alike.
set(CALLSIG_SANITIZE "" CACHE STRING "Sanitizers to build everything but the runtime with: address,undefined or thread")

# callsig_sanitizer_options(VARIABLE SANITIZERS): what the compiler and the linker need for SANITIZERS, as -fsanitize= takes them.
function(callsig_sanitizer_options variable sanitizers)
  set(${variable} -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer PARENT_SCOPE)
endfunction()
