/* Built with -O0. */
/* hazard: flags -O0 */
#include "tests/guest/hazards/builds/calls.h"
