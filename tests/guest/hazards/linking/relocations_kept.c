/* Linked with its relocations kept, and without the table of frames' headers. */
/* hazard: flags -Wl,--emit-relocs -Wl,--no-eh-frame-hdr */
#include "tests/guest/hazards/builds/calls.h"
