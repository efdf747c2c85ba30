/* Built without tables for unwinding. */
/* hazard: flags -fno-asynchronous-unwind-tables -fno-unwind-tables */
#include "tests/guest/hazards/builds/calls.h"
