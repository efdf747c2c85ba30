/* Linked by lld. */
/* hazard: flags -fuse-ld=lld */
#include "tests/guest/hazards/builds/calls.h"
