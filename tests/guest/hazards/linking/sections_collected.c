/* Functions in sections of their own, of which the linker drops what is not used. */
/* hazard: flags -ffunction-sections -fdata-sections -Wl,--gc-sections */
#include "tests/guest/hazards/builds/calls.h"
