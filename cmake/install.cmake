# What `make install` copies, and the two packages by which other projects find it: CMake's and pkg-config's.
include(CMakePackageConfigHelpers)

if(NOT TARGET callsig OR NOT TARGET callsig_cli)
  return()
endif()

set(CALLSIG_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/callsig)

# Other projects get one static library with all that it is made of, and link what it needs by name.
add_library(callsig_stats_archive STATIC $<TARGET_OBJECTS:callsig_output> $<TARGET_OBJECTS:callsig_output_made> $<TARGET_OBJECTS:callsig_base>)
set_target_properties(callsig_stats_archive PROPERTIES OUTPUT_NAME callsig-stats EXPORT_NAME stats_static
                      LINKER_LANGUAGE C ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/archive)
target_link_libraries(callsig_stats_archive INTERFACE pcre2-8 sqlite3 yajl protobuf-c z xxhash m ${CMAKE_DL_LIBS})
callsig_seal(callsig_stats_archive)
set(CALLSIG_STATS_REQUIRES "libpcre2-8 sqlite3 yajl libprotobuf-c zlib libxxhash")

# As other projects name them: callsig::callsig, callsig::stats, callsig::callsig_static, callsig::stats_static.
set_target_properties(callsig_stats PROPERTIES EXPORT_NAME stats)

install(TARGETS callsig callsig_static callsig_stats callsig_stats_archive EXPORT callsig-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT callsig-targets NAMESPACE callsig:: DESTINATION ${CALLSIG_PACKAGE_DIR})
install(TARGETS callsig_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS ${PROJECT_BINARY_DIR}/cli/callsig-cc DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES include/callsig/api.h include/callsig/callsig.h include/callsig/pipeline.h include/callsig/stats.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/callsig)

string(REPLACE " " "$<SEMICOLON>" CALLSIG_INSTRUMENT_FLAGS_LIST "${CALLSIG_INSTRUMENT_FLAGS}")
configure_package_config_file(cmake/callsig-config.cmake.in ${PROJECT_BINARY_DIR}/callsig-config.cmake
                              INSTALL_DESTINATION ${CALLSIG_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/callsig-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/callsig-config.cmake ${PROJECT_BINARY_DIR}/callsig-config-version.cmake
        DESTINATION ${CALLSIG_PACKAGE_DIR})

# Paths in .pc files are relative to the file, so that an installed tree can be moved.
set(CALLSIG_PC_DIR ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH CALLSIG_PC_LIB ${CALLSIG_PC_DIR} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH CALLSIG_PC_INCLUDE ${CALLSIG_PC_DIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(package IN ITEMS callsig callsig-stats)
  configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(FILES man/callsig.1 man/callsig-run.1 man/callsig-report.1 man/callsig-stages.1 man/callsig-index.1 man/callsig-flags.1 man/callsig-cc.1
              man/callsig-merge.1 man/callsig-export.1 man/callsig-diff.1 man/callsig-browse.1 man/callsig-scaling.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES man/callsig.h.3 man/callsig_start.3 man/callsig_enable.3 man/callsig_action_begin.3 man/callsig_stage_open.3 man/callsig_set_clock.3
              man/callsig_stats.3 man/callsig_pipeline.3 man/callsig_monitor_start.3
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)

# Functions that share a page are found by each of their names.
set(CALLSIG_PAGE_ALIASES
    callsig_path=callsig_start callsig_set_message=callsig_start callsig_version=callsig_start
    callsig_disable=callsig_enable callsig_is_enabled=callsig_enable CALLSIG_ENABLED_SCOPE=callsig_enable
    callsig_action_end=callsig_action_begin CALLSIG_ACTION=callsig_action_begin)
foreach(function IN ITEMS load snapshot add free group filter strip_dirs compensate sort reverse print print_callers
                          print_callees print_json print_csv row row_count total scaling export export_file
                          export_format dump fold set_message)
  list(APPEND CALLSIG_PAGE_ALIASES callsig_stats_${function}=callsig_stats)
endforeach()
foreach(function IN ITEMS load free info stage_count stage queue_count queue event_count event action_count action
                          function_count function process print print_json print_actions print_stragglers)
  list(APPEND CALLSIG_PAGE_ALIASES callsig_pipeline_${function}=callsig_pipeline)
endforeach()
foreach(function IN ITEMS look stop complete print)
  list(APPEND CALLSIG_PAGE_ALIASES callsig_monitor_${function}=callsig_monitor_start)
endforeach()
foreach(alias IN LISTS CALLSIG_PAGE_ALIASES)
  string(REPLACE "=" ";" alias ${alias})
  list(GET alias 0 name)
  list(GET alias 1 page)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/man/${name}.3 CONTENT ".so man3/${page}.3\n")
  install(FILES ${PROJECT_BINARY_DIR}/man/${name}.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
endforeach()
