/*
 * Keeps the rows of ranks that became one in bounds, however many there are that few of them have.
 */
#ifndef CALLSIG_OUTPUT_MERGE_BOUND_RANK_ROWS_H
#define CALLSIG_OUTPUT_MERGE_BOUND_RANK_ROWS_H

#include "output/stats/stats_object.h"

/* Of the signatures that not all ranks of a process have, so many keep a row. */
#define OUT_RANK_ROWS_MOST 32768u

/* Gives the others, those that the fewest ranks have and of them the ones with the least time, the signature without
 * arguments of their function, where their calls and times go on counting; the processes tell how many these were.
 * *changed: there were some, whose variants may be made one now. 0 or -ENOMEM without a message. */
int out_bound_rank_rows(struct callsig_stats *stats, uint32_t most, bool *changed);

#endif
