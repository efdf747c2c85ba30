/*
 * The columns of a table: which there are, what they are called, and how their values are written.
 */
#ifndef CALLSIG_OUTPUT_STATS_COLUMNS_H
#define CALLSIG_OUTPUT_STATS_COLUMNS_H

#include "callsig/stats.h"
#include "output/stats/percentile.h"
#include "output/stats/rows.h"
#include "output/text/text.h"

enum out_column {
  OUT_COLUMN_CALLS,
  OUT_COLUMN_PRIMITIVE,
  OUT_COLUMN_OWN,
  OUT_COLUMN_OWN_PERCENT,
  OUT_COLUMN_OWN_EACH,
  OUT_COLUMN_CUMULATIVE,
  OUT_COLUMN_CUMULATIVE_PERCENT,
  OUT_COLUMN_CUMULATIVE_EACH,
  OUT_COLUMN_MIN,
  OUT_COLUMN_MAX,
  OUT_COLUMN_P50,
  OUT_COLUMN_P90,
  OUT_COLUMN_P99,
  OUT_COLUMN_ERROR,
  OUT_COLUMN_CUMULATIVE_ERROR,
  OUT_COLUMN_TIMED,
  OUT_COLUMN_CPU,
  OUT_COLUMN_WAIT,
  OUT_COLUMN_WAIT_ERROR,
  OUT_COLUMN_CUMULATIVE_CPU,
  OUT_COLUMN_CUMULATIVE_WAIT,
  OUT_COLUMN_CUMULATIVE_WAIT_ERROR,
  OUT_COLUMN_BLOCKS,
  OUT_COLUMN_ASKED,
  OUT_COLUMN_UNFREED,
  OUT_COLUMN_HOOKS,
  OUT_COLUMN_COUNT
};

/* The columns of a table, left to right. */
struct out_columns {
  uint8_t list[OUT_COLUMN_COUNT]; /* enum out_column */
  uint32_t count;
};

/* Reads "ncalls,tottime,tottime%": these columns; with a '+' at the beginning, pstats's and these, of which others may
 * have a '+', too; NULL: pstats's. A column that is named twice is there once.
 * -EINVAL after a message that lists what there is. */
int out_columns_parse(const char *text, struct out_columns *columns);

/* Adds a column at the end, unless it is there. */
void out_columns_add(struct out_columns *columns, enum out_column column);

bool out_columns_have_percentiles(const struct out_columns *columns);

/* Is there a column of single calls' times, which only calls have that were timed? */
bool out_columns_are_of_timed_calls(const struct out_columns *columns);

/* Is there a column of what threads waited, or did not? */
bool out_columns_have_waits(const struct out_columns *columns);

/* Is there a column of what was asked the allocator for? */
bool out_columns_have_asked(const struct out_columns *columns);

bool out_columns_have_errors(const struct out_columns *columns);

/* What values are written from. Times are seconds. */
struct out_values {
  uint64_t calls, primitive, timed;
  double own, cumulative, min, max, hooks;
  double own_error, cumulative_error; /* NAN: unknown */
  double wait, wait_error;            /* of the own time; NAN: unknown */
  double cumulative_wait, cumulative_wait_error;
  struct out_row_asked asked;
  double whole;                              /* what 100 % is */
  const struct out_percentiles *percentiles; /* ticks; NULL: unknown */
  double tick;                               /* seconds */
};

void out_columns_heading(const struct out_columns *columns, enum callsig_stats_unit unit, struct out_text *line);
/* The row's values, each followed by a space. With `color`, times that are much of the whole stand out. */
void out_columns_row(const struct out_columns *columns, enum callsig_stats_unit unit, bool color,
                     const struct out_values *values, struct out_text *line);

/* "calls" or "calls/primitive", right-justified, and a space. */
void out_put_calls(struct out_text *line, uint64_t calls, uint64_t primitive, int width);
/* A time in its unit, right-justified as its column is, and a space. */
void out_put_time(struct out_text *line, double seconds, enum callsig_stats_unit unit);
/* How wide a column of times is. */
int out_time_width(enum callsig_stats_unit unit);
/* "1.044ms", "543.135us", "1.681s": three decimals in the unit that fits. */
void out_put_scaled(struct out_text *text, double seconds, int width);

/* "milliseconds", for a unit that all times of a table are in; NULL for seconds and for CALLSIG_UNIT_AUTO. */
const char *out_unit_name(enum callsig_stats_unit unit);

#endif
