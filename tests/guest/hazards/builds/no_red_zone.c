/* Built without the red zone. */
/* hazard: flags -mno-red-zone */
#include "tests/guest/hazards/builds/calls.h"
