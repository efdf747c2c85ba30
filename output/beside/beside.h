/*
 * Times of a run without hooks in the place of those of the recorded one. docs/beside.md says what they mean.
 *
 * The samples of a function are split over the edges that lead to it, or to actions in it, as their own time was in the
 * recorded run.
 * An edge's time with callees is its own and its share of what the edges that lead on from there take.
 */
#ifndef CALLSIG_OUTPUT_BESIDE_BESIDE_H
#define CALLSIG_OUTPUT_BESIDE_BESIDE_H

#include "output/profile/edge_time.h"
#include "output/profile/profile.h"

/* Finds the rows that samples count for, of all recordings from number `first` on that have samples; and replaces the
 * times of those recordings, unless they were replaced when they were merged, or there is no sample. -ENOMEM. */
int out_beside_apply(struct out_profile *profile, uint32_t first);

/* match.c: into out_place.row of the places of recording `recording`'s samples: the function that has calls there, by
 * name, file and line; where another build was sampled, by name and the file's own name. -ENOMEM. */
int out_beside_match(struct out_profile *profile, uint32_t recording);

/* What the edges of one recording get; arrays by edge of the profile. */
struct out_beside_times {
  struct out_profile *profile;
  uint32_t recording;
  double *own;         /* ticks */
  double *inclusive;   /* ticks, own time and callees' */
  const double *slept; /* ticks of own time that are no part of what is split; NULL: none */
};

/* True of an edge that leads to calls in the recording. */
static inline bool out_beside_has(const struct out_beside_times *times, const struct out_edge *edge)
{
  return edge->to != FMT_NONE && out_profile_thread(times->profile, edge->thread)->recording == times->recording;
}

/* The function whose code runs in a variant that stands for calls: samples tell of no other. In an action it is that of
 * the call that the action is in; an action that is in no call is its own. */
uint32_t out_beside_function(const struct out_profile *profile, uint32_t variant);

/* outward.c: into `is_entered`, by variant: do calls out of it belong to the edges that lead to it? Those out of any
 * other belong to all edges that lead to its context: where a caller's signature was merged, no edge leads to its
 * variant, and where calls count by what they returned, the variant that calls are made from does not know it. -ENOMEM.
 */
int out_beside_entered(const struct out_beside_times *times, bool *is_entered);

/* outward.c: of what each edge has in `outward` for its caller, into `inward` each edge's part by its calls: that of
 * the calls out of its callee. Both by edge; `inward` is of zeroes. -ENOMEM. */
int out_beside_outward(const struct out_beside_times *times, const double *outward, double *inward);

/* own.c: the ticks that samples stand for, into `ticks` by function. */
void out_beside_ticks(const struct out_beside_times *times, const struct out_sampled_run *run, double *ticks);

/* own.c: fills `own` with the ticks of each function. -ENOMEM. */
int out_beside_own(struct out_beside_times *times, const double *ticks);

/* inclusive.c: fills `inclusive` from `own`. -ENOMEM. */
int out_beside_inclusive(struct out_beside_times *times);

#endif
