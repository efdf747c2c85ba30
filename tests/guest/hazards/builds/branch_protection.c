/* Built with -fcf-protection=full (endbr64). */
/* hazard: flags -fcf-protection=full */
#include "tests/guest/hazards/builds/calls.h"
