/* Built with -fomit-frame-pointer, also of leaves. */
/* hazard: flags -fomit-frame-pointer -momit-leaf-frame-pointer */
#include "tests/guest/hazards/builds/calls.h"
