/*
 * Inside the report: what is kept of each site until the texts are written.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_REPORT_H
#define CALLSIG_SYMBOLS_INDEX_REPORT_H

#include "base/arena.h"
#include "symbols/index/coverage.h"

struct sym_report {
  struct sym_planner *planner;
  const struct base_strings *strings;
  struct base_arena arena; /* copies of ops, reasons and file names */
  struct sym_report_site *sites;
  size_t count, capacity;
};

#endif
