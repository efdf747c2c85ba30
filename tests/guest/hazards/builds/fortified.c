/* Built with -D_FORTIFY_SOURCE=3. */
/* hazard: flags -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 */
#include "tests/guest/hazards/builds/calls.h"
