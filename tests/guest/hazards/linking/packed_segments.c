/* Linked without separate code, and with a SysV hash table alone. */
/* hazard: flags -Wl,-z,noseparate-code -Wl,--hash-style=sysv */
#include "tests/guest/hazards/builds/calls.h"
