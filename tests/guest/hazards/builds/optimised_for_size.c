/* Built for size, -Os. */
/* hazard: flags -Os */
#include "tests/guest/hazards/builds/calls.h"
