/* Linked without a build id. */
/* hazard: flags -Wl,--build-id=none */
#include "tests/guest/hazards/builds/calls.h"
