/* Linked with -z lazy. */
/* hazard: flags -Wl,-z,lazy */
#include "tests/guest/hazards/builds/calls.h"
