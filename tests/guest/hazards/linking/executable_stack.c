/* Linked with an executable stack. */
/* hazard: flags -Wl,-z,execstack */
#include "tests/guest/hazards/builds/calls.h"
