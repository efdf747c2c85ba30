/* Built for gcov (--coverage). */
/* hazard: flags --coverage -fprofile-update=atomic */
#include "tests/guest/hazards/builds/calls.h"
