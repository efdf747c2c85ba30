/*
 * Rows in an order of their own lie anywhere in memory, and so does what their names are made of. The processor waits
 * for each of these places in turn unless it is told of them before.
 */
#ifndef CALLSIG_OUTPUT_STATS_PREFETCH_H
#define CALLSIG_OUTPUT_STATS_PREFETCH_H

#include "output/stats/names.h"

/* Fetches memory of the rows that are named soon: of order[0] and those behind it, of which there are `left`. To be
 * called for each row in turn. Changes nothing. */
void out_look_ahead(const struct out_names *names, const struct out_rows *rows, const uint32_t *order, uint32_t left);

#endif
