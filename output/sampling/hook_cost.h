/*
 * What the hooks of an edge's calls cost, as the runtime calibrated them, and in whose time.
 *
 * A timed call's hooks take header.hook_inner between its own two readings of the clock and header.hook_outer outside
 * of them, in its caller's time. A call that is counted only spares header.sample_price of that: first what would lie
 * in its own time, and the rest in its caller's.
 */
#ifndef CALLSIG_OUTPUT_SAMPLING_HOOK_COST_H
#define CALLSIG_OUTPUT_SAMPLING_HOOK_COST_H

#include "output/profile/profile.h"

/* Ticks of the recording, neither below 0. */
struct out_hook_cost {
  double callee; /* in the time of the calls themselves */
  double caller; /* in that of whoever made them */
};

/* Of all calls of an edge, whose times are reconciled (output/sampling/reconcile.h). */
struct out_hook_cost out_hook_cost(const struct out_profile *profile, const struct out_edge *edge);

/* Ticks / 1024 by which the hooks of an untimed call take less than those of a timed one: all, and of these the part in
 * the call's own time. */
struct out_spared {
  uint64_t all, callee;
};
struct out_spared out_hooks_spared(const struct out_recording_info *info);

/* Ticks that out_hook_cost() has as the callee's too many, or, below 0, too few. What a call does itself goes on beside
 * its hooks: of a long one a part of them is hidden (header.hook_hidden), and one without work reads as one does that
 * takes header.hook_floor. 0 where the runtime found neither. */
double out_hooks_hidden(const struct out_profile *profile, const struct out_edge *edge);

/* By how much a time may be off that `taken` was taken off without samples of the run, and of which `left` is left.
 * Hooks cost no less than nothing, so that it is no more than the clock read; and in a program they may cost several
 * times what they were calibrated to: docs/hot-path.md. */
double out_guess_error(double taken, double left);

#endif
