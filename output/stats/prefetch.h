/*
 * Prefetching: asks the processor for the memory of rows that are named soon.
 *
 * Rows that are printed in sorted order lie anywhere in memory, and so do the function, the signature and the words
 * that a row's name is made of. Without this, naming each row waits for several cache misses, one after the other.
 */
#ifndef CALLSIG_OUTPUT_STATS_PREFETCH_H
#define CALLSIG_OUTPUT_STATS_PREFETCH_H

#include "output/stats/names.h"

/* Fetches memory of the rows that are named soon: of order[0] and those behind it, of which there are `left`. To be
 * called for each row in turn. Changes nothing. */
void out_prefetch_rows(const struct out_names *names, const struct out_rows *rows, const uint32_t *order,
                       uint32_t left);

#endif
