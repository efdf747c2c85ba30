/* Linked for pages of 2 MiB. */
/* hazard: flags -Wl,-z,max-page-size=0x200000 -Wl,-z,common-page-size=0x200000 */
#include "tests/guest/hazards/builds/calls.h"
