/* Built for a newer processor, with vectors of 32 bytes. */
/* hazard: flags -march=x86-64-v3 -ftree-vectorize */
#include "tests/guest/hazards/builds/calls.h"
