/* Built for the large code model. */
/* hazard: flags -mcmodel=large -fno-pie -no-pie */
#include "tests/guest/hazards/builds/calls.h"
