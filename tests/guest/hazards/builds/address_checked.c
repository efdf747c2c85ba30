/* Built with -fsanitize=address. */
/* hazard: flags -fsanitize=address */
/* hazard: not preloaded: its library refuses to be behind another */
/* hazard: not static: its library cannot be linked so */
#include "tests/guest/hazards/builds/calls.h"
