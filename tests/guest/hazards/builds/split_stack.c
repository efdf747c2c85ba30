/* Built with -fsplit-stack. */
/* hazard: flags -fsplit-stack */
/* hazard: not clang: clang 14 refuses split stacks with XRay */
#include "tests/guest/hazards/builds/calls.h"
