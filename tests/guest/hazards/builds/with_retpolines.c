/* Built with thunks for indirect calls and returns, as against speculation. */
/* hazard: flags -mindirect-branch=thunk -mfunction-return=thunk -fcf-protection=none */
/* hazard: not clang: its options are other ones */
#include "tests/guest/hazards/builds/calls.h"
