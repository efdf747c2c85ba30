# What `make install` copies, and the two packages by which other projects find it: CMake's and pkg-config's.
#
# Each file belongs to a component: callsig (what it takes to profile), callsig_development (what it takes to build with callsig)
# callsig_gstreamer, callsig_mpi_openmpi or callsig_mpi_mpich. cmake/deb.cmake makes a package of each.
include(CMakePackageConfigHelpers)

set(CALLSIG_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/callsig)

set_target_properties(callsig PROPERTIES EXPORT_NAME callsig_shared)
set_target_properties(callsig_stats PROPERTIES EXPORT_NAME stats_shared)
set_target_properties(callsig_stats_archive PROPERTIES EXPORT_NAME stats_static)

install(TARGETS callsig callsig_static callsig_stats callsig_stats_archive EXPORT callsig-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT callsig NAMELINK_COMPONENT callsig_development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT callsig_development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT callsig-targets NAMESPACE callsig:: DESTINATION ${CALLSIG_PACKAGE_DIR} COMPONENT callsig_development)
install(TARGETS callsig_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT callsig)
install(FILES symbols/plan/presets.rules DESTINATION ${CMAKE_INSTALL_DATADIR}/callsig COMPONENT callsig)
install(PROGRAMS ${PROJECT_BINARY_DIR}/cli/callsig-cc DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT callsig)
install(DIRECTORY include/callsig DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT callsig_development FILES_MATCHING PATTERN "*.h")

# From the package's folder to the plug-ins, which the package callsig has.
file(RELATIVE_PATH CALLSIG_PACKAGE_TO_PLUGINS /${CALLSIG_PACKAGE_DIR} /${CALLSIG_PLUGIN_DIR})
configure_file(cmake/callsig-instrument.cmake.in ${PROJECT_BINARY_DIR}/installed/callsig-instrument.cmake @ONLY)
configure_package_config_file(cmake/callsig-config.cmake.in ${PROJECT_BINARY_DIR}/callsig-config.cmake
                              INSTALL_DESTINATION ${CALLSIG_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/callsig-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/callsig-config.cmake ${PROJECT_BINARY_DIR}/callsig-config-version.cmake
              ${PROJECT_BINARY_DIR}/installed/callsig-instrument.cmake
        DESTINATION ${CALLSIG_PACKAGE_DIR} COMPONENT callsig_development)

# Paths in .pc files are relative to the file, so that an installed tree can be moved.
set(CALLSIG_STATS_REQUIRES "libpcre2-8 sqlite3 yajl libprotobuf-c zlib libxxhash")
if(CALLSIG_HAS_OTF2)
  string(APPEND CALLSIG_STATS_REQUIRES " otf2")
endif()
set(CALLSIG_PC_DIR ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH CALLSIG_PC_LIB ${CALLSIG_PC_DIR} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH CALLSIG_PC_INCLUDE ${CALLSIG_PC_DIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(package IN ITEMS callsig callsig-stats)
  configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT callsig_development)
endforeach()

install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT callsig FILES_MATCHING PATTERN "*.1")
install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT callsig_development FILES_MATCHING PATTERN "*.3")

# Functions that share a page are found by each of their names: those of its section NAME.
file(GLOB CALLSIG_PAGES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.3)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CALLSIG_PAGES})
foreach(path IN LISTS CALLSIG_PAGES)
  string(REGEX REPLACE "^.*/(.*)\\.3$" "\\1" page ${path})
  file(READ ${path} text)
  string(REGEX MATCH "\n\\.SH NAME\n([^\\]*)" names "${text}")
  string(REGEX MATCHALL "[A-Za-z_.]+" names "${CMAKE_MATCH_1}")
  list(REMOVE_ITEM names ${page})
  foreach(name IN LISTS names)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/man/${name}.3 CONTENT ".so man3/${page}.3\n")
    install(FILES ${PROJECT_BINARY_DIR}/man/${name}.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT callsig_development)
  endforeach()
endforeach()

# What the manual and --help name as docs/NAME.md.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/callsig COMPONENT callsig)
