/* Debug information of DWARF 4, compressed. */
/* hazard: flags -gdwarf-4 -gz */
#include "tests/guest/hazards/builds/calls.h"
