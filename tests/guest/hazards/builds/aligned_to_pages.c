/* Functions aligned to pages. */
/* hazard: flags -falign-functions=4096 */
#include "tests/guest/hazards/builds/calls.h"
