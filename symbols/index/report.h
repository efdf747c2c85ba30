/*
 * What is kept of every site until --explain and --coverage write their texts.
 *
 * The build gives each site to the report once its ops are made; explain.h and coverage.h write the texts at the end.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_REPORT_H
#define CALLSIG_SYMBOLS_INDEX_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "symbols/plan/planner.h"

/* One site as the build has compiled it. Everything is borrowed for the call. */
struct sym_report_site {
  uint64_t pc; /* of the site */
  const struct sym_processor *processor;
  bool inlined;
  bool returns;      /* what its calls return is known (FMT_SITE_RETURNS) */
  bool is_sled;      /* at a sled, whose address is pc - FMT_SLED_CALL */
  uint32_t function; /* index of the function: the key that sites are grouped by */
  const char *file;  /* of the function */
  uint32_t line;
  uint32_t site_line;          /* fmt_index_site.line */
  const struct sym_plan *plan; /* NULL: the function has no DWARF */
  const struct fmt_op *ops;    /* the site's program */
  uint32_t op_count;
  const uint8_t *lost; /* enum sym_lost (lost.h), plan->arg_count of them */
};

struct sym_report {
  struct sym_planner *planner;        /* borrowed */
  const struct base_strings *strings; /* borrowed */
  struct base_arena arena;            /* copies of ops, reasons and file names */
  struct sym_report_site *sites;
  size_t count, capacity;
};

/* A report on what `planner` plans (borrowed: it must outlive the report). -ENOMEM. */
int sym_report_new(const struct base_strings *strings, struct sym_planner *planner, struct sym_report **report);

/* Frees a report; NULL is nothing. */
void sym_report_free(struct sym_report *report);

/* Keeps a site; what it points to is copied, but for the plan. -ENOMEM. */
int sym_report_add(struct sym_report *report, const struct sym_report_site *site);

#endif
