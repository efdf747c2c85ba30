/* Functions with room for patches at their entry. */
/* hazard: flags -fpatchable-function-entry=8,4 */
/* hazard: expect clang falls: clang puts that room in the place of its entry sleds, so that nothing is recorded */
#include "tests/guest/hazards/builds/calls.h"
