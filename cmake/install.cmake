# What `make install` copies, and the two packages by which other projects find it: CMake's and pkg-config's.
include(CMakePackageConfigHelpers)
