/* Linked by gold. */
/* hazard: flags -fuse-ld=gold */
#include "tests/guest/hazards/builds/calls.h"
