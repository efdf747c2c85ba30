/* Built with -Og. */
/* hazard: flags -Og */
/* hazard: not clang: -Og of clang 14 is -O1 */
#include "tests/guest/hazards/builds/calls.h"
