/*
 * The text of --coverage: how many parameters are read, from where, and why the others are lost.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_COVERAGE_H
#define CALLSIG_SYMBOLS_INDEX_COVERAGE_H

#include <stdio.h>

#include "symbols/index/report.h"

/* Writes the sums over all sites of the report. `module` is the path to print. -EIO when `out` fails. */
int sym_report_coverage(const struct sym_report *report, const char *module, FILE *out);

#endif
