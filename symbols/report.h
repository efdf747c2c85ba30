/*
 * Inside the report: what is kept of each site until the texts are written.
 */
#ifndef CALLSIG_SYMBOLS_REPORT_H
#define CALLSIG_SYMBOLS_REPORT_H

#include "arena.h"
#include "coverage.h"

struct cs_report {
  struct cs_planner *planner;
  const struct cs_strings *strings;
  struct cs_arena arena; /* copies of ops, reasons and file names */
  struct cs_report_site *sites;
  size_t count, capacity;
};

#endif
