# The systems and processors that callsig runs on: anything else is told at once, in one line, instead of by the assembler.
#
# Sets CALLSIG_PROCESSOR to the processor's name, that of its folder in profiler/arch.
#
# callsig_check_platform() is called before the languages are enabled, which is when the system is known, and once more after
# them, which is when the size of a pointer is: an x86-64 compiler makes 32-bit programs (-m32) and x32 ones (-mx32) as well.
function(callsig_check_platform)
  set(processor "${CMAKE_SYSTEM_PROCESSOR}")
  if(processor)
    string(PREPEND processor " on ")
  endif()
  if(CMAKE_C_COMPILER_LOADED AND NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
    math(EXPR bits "8 * ${CMAKE_SIZEOF_VOID_P}")
    set(pointers " with pointers of ${bits} bits")
  endif()
  set(known)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    set(known x86_64)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(known aarch64)
  endif()
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT known OR pointers)
    # CMake breaks the lines of a text unless it begins with a space.
    message(FATAL_ERROR " callsig supports Linux on x86-64 and on aarch64, 64-bit programs alone; this is ${CMAKE_SYSTEM_NAME}${processor}${pointers}")
  endif()
  set(CALLSIG_PROCESSOR ${known} PARENT_SCOPE)
endfunction()

# callsig_soname(NAME LIBRARIES VARIABLE): VARIABLE becomes what a program that is linked with the library NAME, of this list of files, asks the
# dynamic linker for; empty where the list is. The file is kept in the property CALLSIG_LATE_LIBRARIES, since no linker sees it.
function(callsig_soname name libraries variable)
  set(found "")
  foreach(library IN LISTS libraries)
    get_filename_component(file "${library}" NAME)
    if(file MATCHES "^${name}\\.so")
      execute_process(COMMAND ${CMAKE_READELF} -d "${library}" OUTPUT_VARIABLE dynamic)
      if(dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
        set(found "${CMAKE_MATCH_1}")
        set_property(GLOBAL APPEND PROPERTY CALLSIG_LATE_LIBRARIES "${library}")
      endif()
    endif()
  endforeach()
  if(libraries AND NOT found)
    message(FATAL_ERROR "${name}: none of ${libraries} is a shared library with a name: install it as one, which callsig loads when it is needed")
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()
