/* Debug information in a file of its own (-gsplit-dwarf), with macros. */
/* hazard: flags -gsplit-dwarf -g3 */
#include "tests/guest/hazards/builds/calls.h"
