/* Built with -fstack-clash-protection. */
/* hazard: flags -fstack-clash-protection */
#include "tests/guest/hazards/builds/calls.h"
