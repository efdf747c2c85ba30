# Rooms: the folders of the libraries, which of them may use which, and the sources that lie in each.
#
# callsig_room(ROOM [USES ROOM...] [SOURCES FILE...] [ELSEWHERE FILE...]): the folder ROOM, given from the top of the tree, holds the SOURCES and may
# include and call what lies in the rooms after USES, and in what those may use. This is the one place that states the order:
# scripts/check_rooms.py reads it from rooms.txt in the build folder and holds every include and every call against it
# (ctest -R structure). The files after ELSEWHERE are compiled for other processors alone, which elsewhere.txt tells it. The sources are added to CALLSIG_<LIBRARY>_SOURCES of the caller, LIBRARY being the first folder of ROOM.
function(callsig_room room)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "USES;SOURCES;ELSEWHERE")
  if(room_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "callsig_room(${room}): ${room_UNPARSED_ARGUMENTS} is after none of USES, SOURCES and ELSEWHERE")
  endif()
  string(REGEX MATCH "^[^/]+" library ${room})
  string(TOUPPER ${library} library)
  set(sources ${CALLSIG_${library}_SOURCES})
  foreach(source IN LISTS room_SOURCES)
    list(APPEND sources ${PROJECT_SOURCE_DIR}/${room}/${source})
  endforeach()
  set(CALLSIG_${library}_SOURCES ${sources} PARENT_SCOPE)
  foreach(source IN LISTS room_ELSEWHERE)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${room}/${source})
      message(FATAL_ERROR "callsig_room(${room}): there is no ${source}")
    endif()
    set_property(GLOBAL APPEND_STRING PROPERTY CALLSIG_ELSEWHERE "${room}/${source}\n")
  endforeach()
  list(JOIN room_USES " " uses)
  set_property(GLOBAL APPEND_STRING PROPERTY CALLSIG_ROOMS "${room}: ${uses}\n")
endfunction()

# callsig_write_rooms(): writes what was stated, a line a room. After the last callsig_room().
function(callsig_write_rooms)
  get_property(rooms GLOBAL PROPERTY CALLSIG_ROOMS)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/rooms.txt CONTENT "${rooms}" @ONLY)
  get_property(elsewhere GLOBAL PROPERTY CALLSIG_ELSEWHERE)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/elsewhere.txt CONTENT "${elsewhere}" @ONLY)
endfunction()
