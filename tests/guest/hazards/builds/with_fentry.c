/* Built with a call of __fentry__ before everything else, as kernels are (-pg -mfentry). */
/* hazard: flags -pg -mfentry */
#include "tests/guest/hazards/builds/calls.h"
