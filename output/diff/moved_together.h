/*
 * Whether functions that have nothing to do with each other became slower, or faster, at once.
 *
 * A change of code moves the functions that it touches. Where most of those that count take longer for the calls that
 * they had before, what they have in common is likelier: where the build placed their code, the processor's frequency,
 * what ran beside.
 */
#ifndef CALLSIG_OUTPUT_DIFF_MOVED_TOGETHER_H
#define CALLSIG_OUTPUT_DIFF_MOVED_TOGETHER_H

#include "output/diff/comparison.h"

struct out_diff_moved {
  uint32_t functions;      /* that take 1 % and more of the old side's time, for as many calls on both sides */
  uint32_t slower, faster; /* of these: by all of their rows that changed */
};

/* Counts them by what rows were judged to have changed in their own time: none unless they were judged by that. 0 or
 * -ENOMEM. */
int out_diff_moved_count(const struct out_diff *diff, struct out_diff_moved *moved);

/* Are these so many, and so many of all, that a cause in common is likelier? */
bool out_diff_moved_together(const struct out_diff_moved *moved);

#endif
