/*
 * Imputed times made to fit together.
 *
 * The time of a call that was not timed is an estimate. Beside a caller that was timed, whose time is known, estimates
 * of what it called may sum to more than it took; and a caller that was not timed may count with less than a callee
 * that was. docs/times.md tells how these are settled, and why so. Afterwards the calls that a call made never took
 * longer than it took itself, and the own times of all calls sum to the times of the outermost ones.
 */
#ifndef CALLSIG_OUTPUT_SAMPLING_RECONCILE_H
#define CALLSIG_OUTPUT_SAMPLING_RECONCILE_H

#include "output/profile/profile.h"

/* Reconciles the recordings from number `first` on, which were just loaded and are not merged ones: those were
 * reconciled before. Does nothing where every call was timed. 0 or -ENOMEM. */
int out_reconcile(struct out_profile *profile, uint32_t first);

#endif
