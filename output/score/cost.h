/*
 * What the hooks of a run cost, function by function, and what is left of the run without them.
 *
 * The hooks of a call that is timed take header.hook_inner of its own time and header.hook_outer of its caller's; those
 * of a call that is only counted take header.sample_price less. What they took beyond the fast path they measured
 * themselves. Who is called is to blame for all of it. The two constants were measured in a
 * loop of empty calls, and the same hooks may cost less beside a program's own work: then they come to more than the
 * whole time of some functions, which cannot be, and all costs are taken by as much lower as makes their sum possible.
 *
 * Own times are those of a report by function, with hooks taken off (output/stats/compensate.h), by samples of the run
 * where there are any: function by function. Where all recordings have samples of their runs, these also say how much
 * time hooks took, and how much the program: all costs are as many times what was said above as makes their sum so.
 */
#ifndef CALLSIG_OUTPUT_SCORE_COST_H
#define CALLSIG_OUTPUT_SCORE_COST_H

#include "output/stats/stats_object.h"

/* Of one function, seconds. */
struct out_score_cost {
  uint64_t calls, timed;
  double hooks; /* of its own calls, wherever they took their time */
  double own;   /* its own time without the hooks that ran in it: the program's own */
  double sure;  /* what that is at least, as far as a report knows it */
};

struct out_score_costs {
  struct out_score_cost *functions; /* by function of the profile, at the one that it is shown as. Owned */
  uint64_t calls, timed;
  double hooks, own;  /* of all: what the factor is of, by samples that which was computed */
  double all_own;     /* the sum of the functions' own times, in which they may have waited */
  double uncertainty; /* by how much each of the two may be off, seconds */
  double lowered;     /* what the costs are beside what the calibration says: at most 1 without samples */
  uint64_t samples;   /* of the runs, that the sums are by; 0: some recording has none */
  uint64_t in_hooks;  /* of these */
  uint32_t unknown;   /* a recording with calls whose hooks were not calibrated: no cost is known. FMT_NONE: none */
};

/* Sums all calls of an object that is prepared by function, whatever its filters select. 0 or -ENOMEM. Free with
 * out_score_costs_free(). */
int out_score_costs_make(struct callsig_stats *stats, struct out_score_costs *costs);
void out_score_costs_free(struct out_score_costs *costs);

/* How many times as long the run took as the program alone. INFINITY when nothing would be left of it. */
double out_score_slowdown(double hooks, double own);

#endif
