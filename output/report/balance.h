/*
 * The verdict over ranks: what they wait for each other, for whom, and which rows are to be balanced first.
 */
#ifndef CALLSIG_OUTPUT_REPORT_BALANCE_H
#define CALLSIG_OUTPUT_REPORT_BALANCE_H

#include <stdio.h>

#include "output/stats/stats_object.h"

/* Writes the verdict on the rows of an object that are by rank, and by function or signature; of others nothing, and
 * nothing where no two ranks ran the same program. All selected rows count, by their own time. 0 or a negative errno
 * after a message. */
int out_balance_print(struct callsig_stats *stats, FILE *out);

#endif
