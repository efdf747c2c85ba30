/*
 * pstats's tables.
 */
#ifndef CALLSIG_OUTPUT_REPORT_TABLE_H
#define CALLSIG_OUTPUT_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "output/stats/restrict.h"
#include "output/stats/stats_object.h"

/* print_stats(). When compensating, a column says what was taken off tottime. 0 or a negative errno after a message. */
int out_table_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count);

/* print_callers() or print_callees(). */
int out_table_print_links(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count,
                          bool callees);

/* torch.profiler's key averages: "Input Shapes" are the signatures, where rows are by them. */
int out_table_print_averages(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count);

#endif
