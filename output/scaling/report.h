/*
 * The report of `callsig scaling`: what its formats share. One file a format, report_FORMAT.c; report.c walks the
 * functions and gives each to it.
 */
#ifndef CALLSIG_OUTPUT_SCALING_REPORT_H
#define CALLSIG_OUTPUT_SCALING_REPORT_H

#include <stdio.h>

#include "analysis.h"
#include "json_writer.h"
#include "names.h"
#include "text.h"

/* A report on its way out. */
struct cs_scaling_report {
  struct callsig_stats *stats;
  FILE *out;
  struct cs_scaling_measure measure;
  bool all;                   /* functions of which nothing can be said, too */
  const char *directory;      /* of files for Extra-P; NULL: one function, to `out` */
  struct cs_names names;      /* by function */
  struct cs_vector functions; /* struct cs_row: by function, in the order they are printed */
  const char *message;        /* what restrictions made of the list, in pstats's words */
  struct cs_json json;
  struct cs_text line, text;
  struct cs_arguments scratch;
  uint32_t skipped[CS_SCALING_SHORT + 1]; /* functions by what could not be said of them */
  bool is_told;                           /* what ends the report was told of where it happened */
  uint32_t written;                       /* functions that were given to Extra-P */
};

/* One function, with its findings. */
struct cs_scaling_entry {
  const struct cs_row *function;
  const struct cs_scaling_samples *samples;
  const struct cs_scaling_analysis *analysis;
};

/* A format. `end` gets how writing it went and frees what `begin` made. Each returns 0; -EIO when `out` could not be
 * written; -ENOMEM; another negative errno after a message. */
struct cs_scaling_format {
  const char *name;
  int (*begin)(struct cs_scaling_report *report);
  int (*put)(struct cs_scaling_report *report, const struct cs_scaling_entry *entry);
  int (*end)(struct cs_scaling_report *report, int result);
};

extern const struct cs_scaling_format cs_scaling_table_format, cs_scaling_json_format, cs_scaling_csv_format,
    cs_scaling_extrap_format;

/* "of the shortest call of each signature": what stands for the calls of one, in words. */
const char *cs_scaling_statistic_text(enum cs_scaling_statistic statistic);

/* "trimmed", "mean" or "min". */
const char *cs_scaling_statistic_name(enum cs_scaling_statistic statistic);

/* Writes the line that was made, and empties it. 0, -EIO or -ENOMEM. */
int cs_scaling_flush(struct cs_scaling_report *report);

#endif
