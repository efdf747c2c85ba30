/*
 * The report of `callsig scaling`: what its formats share. One file a format, report_FORMAT.c; report.c walks the
 * functions and gives each to it.
 */
#ifndef CALLSIG_OUTPUT_SCALING_REPORT_H
#define CALLSIG_OUTPUT_SCALING_REPORT_H

#include <stdio.h>

#include "callsig/stats.h"
#include "output/scaling/analysis.h"
#include "output/stats/names.h"
#include "output/text/json_writer.h"
#include "output/text/text.h"

/* How many laws times signatures may be fitted. A function that would take more than is left is left out, and counted:
 * those in front, which take the most time, come first. */
struct out_scaling_effort {
  double left;
  uint32_t left_out; /* functions */
};

/* A report on its way out. */
struct out_scaling_report {
  struct callsig_stats *stats;
  FILE *out;
  struct out_scaling_measure measure;
  bool all;                            /* functions of which nothing can be said, too */
  const char *directory;               /* of files for Extra-P; NULL: one function, to `out` */
  struct out_names names;              /* by function */
  struct out_scaling_shown functions;  /* in the order they are printed */
  struct out_scaling_shown signatures; /* what a report shows of them; none: what laws are made of */
  const char *message;                 /* what restrictions made of the list, in pstats's words */
  struct out_json json;
  struct out_text line, text;
  struct out_arguments scratch;
  uint32_t skipped[OUT_SCALING_SHORT + 1]; /* functions by what could not be said of them */
  struct out_scaling_effort *effort;       /* NULL: all functions are looked at */
  bool is_told;                            /* what ends the report was told of where it happened */
  uint32_t written;                        /* functions that were given to Extra-P */
};

/* One function, with its findings. */
struct out_scaling_entry {
  const struct out_row *function;
  const struct out_scaling_samples *samples;
  const struct out_scaling_analysis *analysis;
};

/* A format. `put` gets one finding of a function after the other. `end` gets how writing it went and frees what `begin`
 * made. Each returns 0; -EIO when `out` could not be written; -ENOMEM; another negative errno after a message. */
struct out_scaling_format {
  const char *name;
  int (*begin)(struct out_scaling_report *report);
  int (*put)(struct out_scaling_report *report, const struct out_scaling_entry *entry,
             const struct out_scaling_finding *finding);
  int (*end)(struct out_scaling_report *report, int result);
};

extern const struct out_scaling_format out_scaling_table_format, out_scaling_json_format, out_scaling_csv_format,
    out_scaling_extrap_format;

/* callsig_stats_scaling() of all functions, within this effort. */
int out_scaling_print(struct callsig_stats *stats, const struct callsig_stats_scaling *wanted,
                      struct out_scaling_effort *effort, FILE *out);

/* Writes the line that was made, and empties it. 0, -EIO or -ENOMEM. */
int out_scaling_flush(struct out_scaling_report *report);

#endif
