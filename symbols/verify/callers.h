/*
 * What the calls of a clone of gcc's tell of a parameter that the clone is not passed.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_CALLERS_H
#define CALLSIG_SYMBOLS_VERIFY_CALLERS_H

#include "symbols/verify/compare.h"

/* Whether the calls of the function in which the site stands say that it is not passed the parameter. Then no place of
 * the function's has it: the index may read the constant that all of them tell, and has to when no two are in one
 * function and the parameter's type has a value. `outcome` is what that makes of what it reads. */
bool vf_callers_decide(const struct vf_subject *subject, const struct vf_place *place, enum vf_outcome *outcome);

#endif
