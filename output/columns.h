/*
 * The columns of a table: which there are, what they are called, and how their values are written.
 */
#ifndef CALLSIG_OUTPUT_COLUMNS_H
#define CALLSIG_OUTPUT_COLUMNS_H

#include "callsig/stats.h"
#include "percentile.h"
#include "rows.h"
#include "text.h"

enum cs_column {
  CS_COLUMN_CALLS,
  CS_COLUMN_PRIMITIVE,
  CS_COLUMN_OWN,
  CS_COLUMN_OWN_PERCENT,
  CS_COLUMN_OWN_EACH,
  CS_COLUMN_CUMULATIVE,
  CS_COLUMN_CUMULATIVE_PERCENT,
  CS_COLUMN_CUMULATIVE_EACH,
  CS_COLUMN_MIN,
  CS_COLUMN_MAX,
  CS_COLUMN_P50,
  CS_COLUMN_P90,
  CS_COLUMN_P99,
  CS_COLUMN_HOOKS,
  CS_COLUMN_COUNT
};

#define CS_COLUMNS_MAX 32u

/* The columns of a table, left to right. */
struct cs_columns {
  uint8_t list[CS_COLUMNS_MAX]; /* enum cs_column */
  uint32_t count;
};

/* Reads "ncalls,tottime,tottime%": these columns; with a '+' at the beginning, pstats's and these; NULL: pstats's.
 * -EINVAL after a message that lists what there is. */
int cs_columns_parse(const char *text, struct cs_columns *columns);

/* Adds a column at the end, when there is room. */
void cs_columns_add(struct cs_columns *columns, enum cs_column column);

bool cs_columns_have_percentiles(const struct cs_columns *columns);

/* What values are written from. Times are seconds. */
struct cs_values {
  uint64_t calls, primitive;
  double own, cumulative, min, max, hooks;
  double whole;                             /* what 100 % is */
  const struct cs_percentiles *percentiles; /* ticks; NULL: unknown */
  double tick;                              /* seconds */
};

void cs_columns_heading(const struct cs_columns *columns, enum callsig_stats_unit unit, struct cs_text *line);
/* The row's values, each followed by a space. With `color`, times that are much of the whole stand out. */
void cs_columns_row(const struct cs_columns *columns, enum callsig_stats_unit unit, bool color,
                    const struct cs_values *values, struct cs_text *line);

/* "calls" or "calls/primitive", right-justified, and a space. */
void cs_put_calls(struct cs_text *line, uint64_t calls, uint64_t primitive, int width);
/* A time in its unit, right-justified as its column is, and a space. */
void cs_put_time(struct cs_text *line, double seconds, enum callsig_stats_unit unit);
/* How wide a column of times is. */
int cs_time_width(enum callsig_stats_unit unit);
/* "1.044ms", "543.135us", "1.681s": three decimals in the unit that fits. */
void cs_put_scaled(struct cs_text *text, double seconds, int width);

/* "milliseconds", for a unit that all times of a table are in; NULL for seconds and for CALLSIG_UNIT_AUTO. */
const char *cs_unit_name(enum callsig_stats_unit unit);

#endif
