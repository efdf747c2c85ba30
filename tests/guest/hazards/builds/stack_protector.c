/* Built with -fstack-protector-all. */
/* hazard: flags -fstack-protector-all */
#include "tests/guest/hazards/builds/calls.h"
