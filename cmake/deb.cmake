# The Debian packages that cpack makes of an installed tree, a package a component (cmake/install.cmake): callsig, libcallsig-dev,
# gstreamer1.0-callsig where GStreamer is there, and libcallsig-mpi-openmpi and libcallsig-mpi-mpich where those are. To be configured for /usr, as the preset deb does (make deb).
#
# The shared libraries lie in the package callsig: the command preloads the runtime, so neither is of use without the other.
execute_process(COMMAND git config user.name WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name
                ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND git config user.email WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE address
                ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT name OR NOT address)
  set(name "The callsig authors")
  set(address "callsig@localhost")
endif()
set(CALLSIG_MAINTAINER "${name} <${address}>" CACHE STRING "Maintainer of the packages that cpack makes")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME callsig)
set(CPACK_PACKAGE_VENDOR "The callsig authors")
set(CPACK_PACKAGE_CONTACT "${CALLSIG_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL callsig callsig_development)
if(TARGET gstcallsig)
  list(APPEND CPACK_COMPONENTS_ALL callsig_gstreamer)
endif()
get_property(mpi_components GLOBAL PROPERTY CALLSIG_MPI_COMPONENTS)
list(APPEND CPACK_COMPONENTS_ALL ${mpi_components})
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CALLSIG_MAINTAINER}")
# The components' libraries need each other's: their packages are named below, not found in dpkg's lists.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/profiler ${PROJECT_BINARY_DIR}/output)
set(same_version "(= ${PROJECT_VERSION}-1)")

set(CPACK_DEBIAN_CALLSIG_PACKAGE_NAME callsig)
set(CPACK_DEBIAN_CALLSIG_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_CALLSIG_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_CALLSIG_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_CALLSIG_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_CALLSIG_PACKAGE_RECOMMENDS "gcc | clang")
# What the command loads when it is needed, dpkg-shlibdeps does not find.
set(late_packages)
get_property(late_libraries GLOBAL PROPERTY CALLSIG_LATE_LIBRARIES)
foreach(library IN LISTS late_libraries)
  get_filename_component(file "${library}" REALPATH)
  execute_process(COMMAND dpkg-query -S "${file}" OUTPUT_VARIABLE owner ERROR_QUIET)
  if(NOT owner MATCHES "^([^:,]+)")
    message(FATAL_ERROR "${file} is of no Debian package: a package of callsig could not say what it needs")
  endif()
  list(APPEND late_packages "${CMAKE_MATCH_1}")
endforeach()
list(JOIN late_packages ", " late_packages)
set(CPACK_DEBIAN_CALLSIG_PACKAGE_DEPENDS "${late_packages}")
set(CPACK_COMPONENT_CALLSIG_DESCRIPTION "It counts and times the calls of each function by what its arguments were,
and prints them as Python's pstats does. This package holds the command and
the shared libraries: the runtime, and the one that reads recordings.")

set(CPACK_DEBIAN_CALLSIG_DEVELOPMENT_PACKAGE_NAME libcallsig-dev)
set(CPACK_DEBIAN_CALLSIG_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What callsig-stats.pc requires, for pkg-config and for static links.
set(otf2)
if(CALLSIG_HAS_OTF2)
  set(otf2 ", libopen-trace-format2-dev")
endif()
set(CPACK_DEBIAN_CALLSIG_DEVELOPMENT_PACKAGE_DEPENDS
    "callsig ${same_version}, libpcre2-dev, libprotobuf-c-dev, libsqlite3-dev, libxxhash-dev, libyajl-dev, zlib1g-dev${otf2}")
set(CPACK_COMPONENT_CALLSIG_DEVELOPMENT_DESCRIPTION "Headers and static libraries: what it takes to build programs that record
themselves, that tell callsig of their stages and queues, or that read
recordings.")

set(CPACK_DEBIAN_CALLSIG_GSTREAMER_PACKAGE_NAME gstreamer1.0-callsig)
set(CPACK_DEBIAN_CALLSIG_GSTREAMER_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_CALLSIG_GSTREAMER_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_CALLSIG_GSTREAMER_PACKAGE_DEPENDS "callsig ${same_version}")
set(CPACK_COMPONENT_CALLSIG_GSTREAMER_DESCRIPTION "The tracer for GStreamer:
GST_TRACERS=callsig shows the elements of a pipeline as stages.")

foreach(mpi IN ITEMS openmpi mpich)
  string(TOUPPER ${mpi} name)
  set(CPACK_DEBIAN_CALLSIG_MPI_${name}_PACKAGE_NAME libcallsig-mpi-${mpi})
  set(CPACK_DEBIAN_CALLSIG_MPI_${name}_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_CALLSIG_MPI_${name}_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_CALLSIG_MPI_${name}_PACKAGE_DEPENDS "callsig ${same_version}")
  set(CPACK_COMPONENT_CALLSIG_MPI_${name}_DESCRIPTION "Puts the recordings of an MPI job's ranks together:
'callsig run --mpi' loads it into programs of this MPI (${mpi}).")
endforeach()

# The licence, where Debian looks for it; no part of `make install`.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} name)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME}
          RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
