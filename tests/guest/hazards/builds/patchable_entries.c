/* Functions with room for patches at their entry. */
/* hazard: flags -fpatchable-function-entry=8,4 */
/* hazard: expect clang refused: clang puts that room in the place of its entry sleds */
#include "tests/guest/hazards/builds/calls.h"
