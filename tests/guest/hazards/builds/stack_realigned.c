/* Built to realign the stack in each function. */
/* hazard: flags -mstackrealign */
#include "tests/guest/hazards/builds/calls.h"
