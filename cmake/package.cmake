# How another project names what it takes from callsig, the same from an installed package (find_package) as from a build folder
# (add_subdirectory, FetchContent):
#
#   callsig::callsig_shared, callsig::callsig_static   the runtime, for a program that records itself
#   callsig::stats_shared, callsig::stats_static       libcallsig-stats, which reads recordings
#   callsig::callsig, callsig::stats                   the shared ones, or the static ones if BUILD_SHARED_LIBS is set and OFF
#   callsig_instrument(TARGET)                         compiles TARGET so that it can be profiled
add_library(callsig::callsig_shared ALIAS callsig)
add_library(callsig::callsig_static ALIAS callsig_static)
add_library(callsig::stats_shared ALIAS callsig_stats)
add_library(callsig::stats_static ALIAS callsig_stats_archive)
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  set(CALLSIG_DEFAULT_KIND static)
  add_library(callsig::callsig ALIAS callsig_static)
  add_library(callsig::stats ALIAS callsig_stats_archive)
else()
  set(CALLSIG_DEFAULT_KIND shared)
  add_library(callsig::callsig ALIAS callsig)
  add_library(callsig::stats ALIAS callsig_stats)
endif()

string(REPLACE " " ";" CALLSIG_INSTRUMENT_FLAGS_LIST "${CALLSIG_INSTRUMENT_FLAGS}")
# Where the plug-ins lie beside this file, in the build folder; cmake/install.cmake makes the one that is installed.
set(CALLSIG_PACKAGE_TO_PLUGINS instrument)
configure_file(cmake/callsig-instrument.cmake.in ${PROJECT_BINARY_DIR}/callsig-instrument.cmake @ONLY)
include(${PROJECT_BINARY_DIR}/callsig-instrument.cmake)
