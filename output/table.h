/*
 * pstats's tables.
 */
#ifndef CALLSIG_OUTPUT_TABLE_H
#define CALLSIG_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "object.h"
#include "restrict.h"

/* print_stats(). When compensating, a column says what was taken off tottime. 0 or a negative errno after a message. */
int cs_table_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count);

/* print_callers() or print_callees(). */
int cs_table_print_links(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count,
                         bool callees);

/* torch.profiler's key averages: "Input Shapes" are the signatures, where rows are by them. */
int cs_table_print_averages(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count);

#endif
