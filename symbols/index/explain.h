/*
 * The text of --explain: by function and site, how every arg is read, and why the lost ones are lost.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_EXPLAIN_H
#define CALLSIG_SYMBOLS_INDEX_EXPLAIN_H

#include <stdio.h>

#include "symbols/index/report.h"

/* Writes the report's sites, which it sorts. `module` is the path to print. -EIO when `out` fails. */
int sym_report_explain(struct sym_report *report, const char *module, FILE *out);

#endif
