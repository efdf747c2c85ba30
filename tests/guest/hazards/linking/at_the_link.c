/* Built with -flto. */
/* hazard: flags -flto */
/* hazard: not clang: it needs a linker of its own for that */
#include "tests/guest/hazards/builds/calls.h"
