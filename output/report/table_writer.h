/*
 * One table on its way out: what the files that print tables share.
 */
#ifndef CALLSIG_OUTPUT_REPORT_TABLE_WRITER_H
#define CALLSIG_OUTPUT_REPORT_TABLE_WRITER_H

#include "output/stats/columns.h"
#include "output/stats/restrict.h"
#include "output/stats/stats_object.h"
#include "output/text/width.h"

/* Cells of a name, and of its column's heading, that stay in a line that is made to fit, however narrow the terminal.
 */
#define OUT_TABLE_LEAST_NAME (sizeof "filename:lineno(function)" - 1)

struct out_table {
  struct callsig_stats *stats;
  FILE *out;
  struct out_names names;
  struct out_list list;
  struct out_columns columns;
  enum callsig_stats_unit unit;
  struct out_text message; /* "   Ordered by: ..." and what was reduced */
  struct out_text line;
  struct out_arguments scratch;
  struct out_width cells;
  size_t name_width; /* of the callers' and callees' left column */
  size_t name_at;    /* where the name begins that was put into the line last: what is before stays; 0: there is none */
  size_t file_bytes; /* of that name: the path that it begins with; 0: it has none */
  size_t mark_bytes; /* at the end of the line: what stays there however narrow the terminal is, in ASCII */
  bool is_told;      /* the message of what failed was given */
};

/* The rows that are left of the order, and the message of their order. 0 or a negative errno; in any case
 * out_table_close() comes last. */
int out_table_open(struct out_table *table, struct callsig_stats *stats, FILE *out, const char *const *restrictions,
                   size_t count);

/* Frees everything and gives the message of `result`, which is returned. */
int out_table_close(struct out_table *table, int result);

/* Makes what the line has fit into so many cells: folders of the name that was put into it last go first, from the
 * left, and then what stands at the right. */
void out_table_fit(struct out_table *table, size_t limit);

/* Ends the line: shortened where that was asked for, but for OUT_TABLE_LEAST_NAME cells of its name, what stands before
 * that, and the marks behind it. -ENOMEM. */
int out_table_end_line(struct out_table *table);

/* Writes the line and clears nothing: shortened where that was asked for. -EIO or -ENOMEM. */
int out_table_put_line(struct out_table *table);

/* Writes the line as it is, however wide it is. -EIO or -ENOMEM. */
int out_table_put_whole_line(struct out_table *table);

/* Writes the message of the order. */
int out_table_put_message(struct out_table *table);

/* Appends a row's name to the line, shortened where that was asked for. */
void out_table_put_name(struct out_table *table, uint32_t row);
/* The same of what a key is of, as it is. */
void out_table_put_key(struct out_table *table, const struct out_row_key *key);

/* What stands behind the name of a row whose times say no more than that they are small, or "": the notes below the
 * table count those. */
const char *out_table_mark(const struct out_table *table, uint32_t row);

static inline double out_table_seconds(const struct out_table *table, uint64_t ticks)
{
  return (double)ticks * table->stats->grouping.tick;
}

#endif
