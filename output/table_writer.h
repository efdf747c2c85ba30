/*
 * One table on its way out: what the files that print tables share.
 */
#ifndef CALLSIG_OUTPUT_TABLE_WRITER_H
#define CALLSIG_OUTPUT_TABLE_WRITER_H

#include "columns.h"
#include "object.h"
#include "restrict.h"
#include "width.h"

struct cs_table {
  struct callsig_stats *stats;
  FILE *out;
  struct cs_names names;
  struct cs_list list;
  struct cs_columns columns;
  enum callsig_stats_unit unit;
  struct cs_text message; /* "   Ordered by: ..." and what was reduced */
  struct cs_text line;
  struct cs_arguments scratch;
  struct cs_width cells;
  size_t name_width; /* of the callers' and callees' left column */
  bool is_told;      /* the message of what failed was given */
};

/* The rows that are left of the order, and the message of their order. 0 or a negative errno; in any case
 * cs_table_close() comes last. */
int cs_table_open(struct cs_table *table, struct callsig_stats *stats, FILE *out, const char *const *restrictions,
                  size_t count);

/* Frees everything and gives the message of `result`, which is returned. */
int cs_table_close(struct cs_table *table, int result);

/* Ends the line: shortened where that was asked for. -ENOMEM. */
int cs_table_end_line(struct cs_table *table);

/* Writes the line and clears nothing: shortened where that was asked for. -EIO or -ENOMEM. */
int cs_table_put_line(struct cs_table *table);

/* Writes the message of the order. */
int cs_table_put_message(struct cs_table *table);

/* Appends a row's name to the line. */
static inline void cs_table_put_name(struct cs_table *table, uint32_t row)
{
  cs_row_name(&table->names, &cs_rows_at(&table->stats->rows, row)->key, &table->scratch, &table->line);
}

static inline double cs_table_seconds(const struct cs_table *table, uint64_t ticks)
{
  return (double)ticks * table->stats->grouping.tick;
}

#endif
