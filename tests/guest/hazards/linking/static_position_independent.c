/* Linked statically and position-independent (-static-pie). */
/* hazard: flags -static-pie -fPIE */
/* hazard: not preloaded: a static program loads nothing */
/* hazard: not linked: there is no shared library in it */
#include "tests/guest/hazards/builds/calls.h"
