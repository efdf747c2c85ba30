/* Built for the medium code model. */
/* hazard: flags -mcmodel=medium */
#include "tests/guest/hazards/builds/calls.h"
