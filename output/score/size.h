/*
 * How many instructions functions have, by what the compiler that put their sleds wrote, and the number below which
 * leaving out all without a loop keeps a budget.
 */
#ifndef CALLSIG_OUTPUT_SCORE_SIZE_H
#define CALLSIG_OUTPUT_SCORE_SIZE_H

#include <stdio.h>

#include "output/score/score.h"

/* Sets `instructions` and `has_loop` of all functions. A function with several copies has those of the largest, and a
 * loop where one has; where a copy's are unknown, it is known of none. 0 or -ENOMEM. */
int out_score_find_sizes(struct out_score *score);

/* Writes the option with the smallest number that keeps the budget without leaving out a function that is kept for
 * its time or because it was asked, and tells by a message what it leaves out. 0; -ERANGE or -ENODATA after a message;
 * -EIO or -ENOMEM. */
int out_score_write_size(struct out_score *score, FILE *out);

#endif
