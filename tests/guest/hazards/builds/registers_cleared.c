/* Built with all registers cleared before each return, and all variables at each entry. */
/* hazard: flags -fzero-call-used-regs=all -ftrivial-auto-var-init=pattern */
/* hazard: not clang: clang 14 clears no registers */
#include "tests/guest/hazards/builds/calls.h"
