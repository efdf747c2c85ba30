/* Built with -O3 and loops unrolled. */
/* hazard: flags -O3 -funroll-loops */
#include "tests/guest/hazards/builds/calls.h"
