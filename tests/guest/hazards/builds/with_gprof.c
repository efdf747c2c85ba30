/* Built for gprof (-pg), which has a hook and a profiling timer of its own. */
/* hazard: flags -pg */
#include "tests/guest/hazards/builds/calls.h"
