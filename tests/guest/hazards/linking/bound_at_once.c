/* Linked with -z now and full relro. */
/* hazard: flags -Wl,-z,now,-z,relro */
#include "tests/guest/hazards/builds/calls.h"
