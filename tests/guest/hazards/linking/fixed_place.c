/* Linked to a fixed place, -no-pie. */
/* hazard: flags -fno-pie -no-pie */
#include "tests/guest/hazards/builds/calls.h"
