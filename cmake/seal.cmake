# callsig_seal(TARGET): makes the static library TARGET one object whose only global names are its public ones.
#
# A static library's internal names would otherwise be the program's too, and meet the program's own, or those of the other
# static library. To be called in the folder that makes TARGET. What was compiled for optimisation at the link (-flto) is made code
# here, since only that has symbols that can be local: by the linker that programs are linked with (-fuse-ld=lld), as not every one
# reads what a compiler writes then.
function(callsig_seal target)
  string(REGEX MATCH "-fuse-ld=[^ ]+" linker "${CMAKE_EXE_LINKER_FLAGS}")
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}-sealed.o)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_C_COMPILER} ${linker} -r $<$<C_COMPILER_ID:GNU>:-flinker-output=nolto-rel> -nostdlib -o ${object} -Wl,--whole-archive $<TARGET_FILE:${target}> -Wl,--no-whole-archive
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${object}
    COMMAND ${CMAKE_COMMAND} -E rm $<TARGET_FILE:${target}>
    COMMAND ${CMAKE_AR} rcs $<TARGET_FILE:${target}> ${object}
    VERBATIM)
endfunction()
