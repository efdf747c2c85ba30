/* Built with -fsanitize=undefined. */
/* hazard: flags -fsanitize=undefined -fno-sanitize-recover */
/* hazard: not static: its library cannot be linked so */
/* hazard: not clang: its library lies elsewhere than gcc's */
#include "tests/guest/hazards/builds/calls.h"
