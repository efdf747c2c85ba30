/*
 * The report as JSON, schema "callsig.report/1": docs/reports.md.
 */
#ifndef CALLSIG_OUTPUT_REPORT_JSON_H
#define CALLSIG_OUTPUT_REPORT_JSON_H

#include <stdio.h>

#include "output/stats/stats_object.h"

/* Rows in their order, after the restrictions; written as they are made. 0 or a negative errno after a message. */
int out_json_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count);

#endif
