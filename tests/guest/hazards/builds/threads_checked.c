/* Built with -fsanitize=thread. */
/* hazard: flags -fsanitize=thread */
/* hazard: not static: its library cannot be linked so */
#include "tests/guest/hazards/builds/calls.h"
