/* Linked with relative relocations packed (DT_RELR), and with separate code. */
/* hazard: flags -Wl,-z,pack-relative-relocs -Wl,-z,separate-code */
#include "tests/guest/hazards/builds/calls.h"
