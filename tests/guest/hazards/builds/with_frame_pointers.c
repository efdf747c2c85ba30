/* Built with -fno-omit-frame-pointer. */
/* hazard: flags -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer */
#include "tests/guest/hazards/builds/calls.h"
