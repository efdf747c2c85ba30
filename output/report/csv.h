/*
 * The report as CSV (RFC 4180): docs/reports.md lists the columns.
 */
#ifndef CALLSIG_OUTPUT_REPORT_CSV_H
#define CALLSIG_OUTPUT_REPORT_CSV_H

#include <stdio.h>

#include "output/stats/stats_object.h"

/* Rows in their order, after the restrictions. Notes go to the message callback: CSV has no place for them. 0 or a
 * negative errno after a message. */
int out_csv_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count);

#endif
