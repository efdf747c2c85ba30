/*
 * The own times of functions, found where they stand: by samples of the profiled run itself. docs/times.md says why.
 *
 * What a hook takes depends on the code around it, and no calibration at the start of a program knows that. The samples
 * in a function tell what it computed, whatever the hooks around it took, and those in callsig's own code what all
 * hooks took. What the clock read and samples do not explain, a program waited for, or was done by the kernel or by
 * libraries for it: functions have that as far as hooks cannot have taken it.
 */
#ifndef CALLSIG_OUTPUT_BESIDE_IN_PLACE_H
#define CALLSIG_OUTPUT_BESIDE_IN_PLACE_H

#include "output/beside/beside.h"

/* Of one function, in ticks: of all its calls in one process. */
struct out_in_place {
  double own;     /* own time as the clock read it, hooks and all */
  double cost;    /* of the hooks in it, as they were calibrated at the start */
  double sides;   /* of its calls: output/beside/hidden.h */
  double misread; /* how far what the clock read may be off, as calls are short: the half width of an interval */
  double samples; /* the time that samples in its code stand for; becomes its own time without hooks */
  double known;   /* what was computed in its code that is in none of these, as it is known better; its samples are
                     taken off already, and are as random as all others */
};

/* What is known of a run as a whole, in ticks. */
struct out_in_place_run {
  double hooks;  /* in callsig's own code */
  double beyond; /* in the kernel, in libraries and waiting: what functions may have taken beyond their samples */
  double period; /* that a sample stands for */
};

/* Finds the own times of `count` functions. */
void out_in_place_solve(struct out_in_place *functions, uint32_t count, const struct out_in_place_run *run);

/* The samples of a recording's own run, NULL when there are none. */
const struct out_sampled_run *out_in_place_run(const struct out_profile *profile,
                                               const struct out_recording_info *info);

/* The same, but NULL as well where a clock of the program's own timed every call: samples tell none of its times. */
const struct out_sampled_run *out_in_place_timed_run(const struct out_profile *profile,
                                                     const struct out_recording_info *info);

/* How many recordings in which not every call was timed there are, and how many of them lack such samples. */
struct out_in_place_runs {
  uint32_t all, lacking;
};
struct out_in_place_runs out_in_place_runs(const struct out_profile *profile);

/* How many samples such a run has, and how many of them were in callsig's own code. */
struct out_in_place_samples {
  uint64_t all, hooks;
};
struct out_in_place_samples out_in_place_samples(const struct out_profile *profile, const struct out_sampled_run *run);
/* The same of a recording's own run: none where there are none, or where its clock is another than that of samples. */
struct out_in_place_samples out_in_place_of_recording(const struct out_profile *profile,
                                                      const struct out_recording_info *info);

/* By edge, in ticks: half widths of the intervals that hold its times but for what samples are off by as a draw; they
 * add up (output/beside/hidden.h). */
struct out_in_place_doubts {
  double *own, *inclusive;
};

/* Fills the times and the doubts of the edges of times->recording, which has samples of its own run. -ENOMEM. */
int out_in_place_times(struct out_beside_times *times, const struct out_in_place_doubts *doubts);

#endif
