/* Built with -fvisibility=hidden and without a PLT. */
/* hazard: flags -fvisibility=hidden -fno-plt */
#include "tests/guest/hazards/builds/calls.h"
