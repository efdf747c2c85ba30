/* Reads which columns were asked for, and writes their headings and values. */
#include "output/stats/columns.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "output/text/message.h"
#include "output/text/word_list.h"

enum kind { KIND_CALLS, KIND_TIME, KIND_PERCENT, KIND_BYTES };

static const struct column {
  char name[16], heading[12];
  enum kind kind;
} known[OUT_COLUMN_COUNT] = {
    [OUT_COLUMN_CALLS] = {"ncalls", "ncalls", KIND_CALLS},
    [OUT_COLUMN_PRIMITIVE] = {"pcalls", "pcalls", KIND_CALLS},
    [OUT_COLUMN_OWN] = {"tottime", "tottime", KIND_TIME},
    [OUT_COLUMN_OWN_PERCENT] = {"tottime%", "tot%", KIND_PERCENT},
    [OUT_COLUMN_OWN_EACH] = {"tottime/call", "percall", KIND_TIME},
    [OUT_COLUMN_CUMULATIVE] = {"cumtime", "cumtime", KIND_TIME},
    [OUT_COLUMN_CUMULATIVE_PERCENT] = {"cumtime%", "cum%", KIND_PERCENT},
    [OUT_COLUMN_CUMULATIVE_EACH] = {"cumtime/call", "percall", KIND_TIME},
    [OUT_COLUMN_MIN] = {"min", "min", KIND_TIME},
    [OUT_COLUMN_MAX] = {"max", "max", KIND_TIME},
    [OUT_COLUMN_P50] = {"p50", "p50", KIND_TIME},
    [OUT_COLUMN_P90] = {"p90", "p90", KIND_TIME},
    [OUT_COLUMN_P99] = {"p99", "p99", KIND_TIME},
    [OUT_COLUMN_ERROR] = {"error", "error", KIND_TIME},
    [OUT_COLUMN_CUMULATIVE_ERROR] = {"cumerror", "cumerror", KIND_TIME},
    [OUT_COLUMN_TIMED] = {"timed", "timed", KIND_CALLS},
    [OUT_COLUMN_CPU] = {"cpu", "cpu", KIND_TIME},
    [OUT_COLUMN_WAIT] = {"wait", "wait", KIND_TIME},
    [OUT_COLUMN_WAIT_ERROR] = {"waiterror", "waiterr", KIND_TIME},
    [OUT_COLUMN_CUMULATIVE_CPU] = {"cumcpu", "cumcpu", KIND_TIME},
    [OUT_COLUMN_CUMULATIVE_WAIT] = {"cumwait", "cumwait", KIND_TIME},
    [OUT_COLUMN_CUMULATIVE_WAIT_ERROR] = {"cumwaiterror", "cumwerr", KIND_TIME},
    [OUT_COLUMN_BLOCKS] = {"allocs", "allocs", KIND_CALLS},
    [OUT_COLUMN_ASKED] = {"allocbytes", "allocbytes", KIND_BYTES},
    [OUT_COLUMN_UNFREED] = {"unfreed", "unfreed", KIND_BYTES},
    [OUT_COLUMN_HOOKS] = {"hooks", "hooks", KIND_TIME},
};

static const uint8_t pstats_columns[] = {OUT_COLUMN_CALLS, OUT_COLUMN_OWN, OUT_COLUMN_OWN_EACH, OUT_COLUMN_CUMULATIVE,
                                         OUT_COLUMN_CUMULATIVE_EACH};

/* What stands for several columns, one behind the other in enum out_column. */
static const struct {
  char name[8];
  uint8_t first, last;
} several[] = {{"alloc", OUT_COLUMN_BLOCKS, OUT_COLUMN_UNFREED}};

enum { CALLS_WIDTH = 9, PERCENT_WIDTH = 7, BYTES_WIDTH = 12 };

static int fail(const char *word, size_t length)
{
  char list[384] = "";
  /* The hooks' column follows from compensation. */
  for (size_t i = 0; i < OUT_COLUMN_HOOKS; i++) {
    strcat(list, i ? ", " : "");
    strcat(list, known[i].name);
  }
  for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
    strcat(list, ", ");
    strcat(list, several[i].name);
  }
  return out_stats_fail(-EINVAL, "column '%.*s' is unknown: the columns are %s", (int)length, word, list);
}

static int add_named(void *data, const char *word, size_t length)
{
  struct out_columns *columns = data;
  if (*word == '+' && length > 1) {
    word++;
    length--;
  }
  uint32_t first = 0, end = 0;
  for (uint32_t i = 0; i < OUT_COLUMN_HOOKS; i++) {
    if (strlen(known[i].name) == length && strncmp(known[i].name, word, length) == 0)
      first = i, end = i + 1;
  }
  for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
    if (strlen(several[i].name) == length && strncmp(several[i].name, word, length) == 0)
      first = several[i].first, end = several[i].last + 1u;
  }
  if (end == 0)
    return fail(word, length);
  for (uint32_t i = first; i < end; i++)
    out_columns_add(columns, i);
  return 0;
}

int out_columns_parse(const char *text, struct out_columns *columns)
{
  struct out_columns parsed = {.count = 0};
  if (!text || *text == '+') {
    memcpy(parsed.list, pstats_columns, sizeof pstats_columns);
    parsed.count = sizeof pstats_columns;
  }
  int result = text ? out_each_word(*text == '+' ? text + 1 : text, add_named, &parsed) : 0;
  if (result < 0)
    return result;
  *columns = parsed;
  return 0;
}

static bool have_between(const struct out_columns *columns, enum out_column first, enum out_column last)
{
  for (uint32_t i = 0; i < columns->count; i++) {
    if (columns->list[i] >= first && columns->list[i] <= last)
      return true;
  }
  return false;
}

void out_columns_add(struct out_columns *columns, enum out_column column)
{
  if (!have_between(columns, column, column))
    columns->list[columns->count++] = (uint8_t)column;
}

bool out_columns_have_percentiles(const struct out_columns *columns)
{
  return have_between(columns, OUT_COLUMN_P50, OUT_COLUMN_P99);
}

bool out_columns_are_of_timed_calls(const struct out_columns *columns)
{
  return have_between(columns, OUT_COLUMN_MIN, OUT_COLUMN_P99);
}

bool out_columns_have_waits(const struct out_columns *columns)
{
  return have_between(columns, OUT_COLUMN_CPU, OUT_COLUMN_CUMULATIVE_WAIT_ERROR);
}

bool out_columns_have_asked(const struct out_columns *columns)
{
  return have_between(columns, OUT_COLUMN_BLOCKS, OUT_COLUMN_UNFREED);
}

bool out_columns_have_errors(const struct out_columns *columns)
{
  return have_between(columns, OUT_COLUMN_ERROR, OUT_COLUMN_CUMULATIVE_ERROR);
}

int out_time_width(enum callsig_stats_unit unit)
{
  /* Each is wide enough for hours. */
  static const int widths[] = {[CALLSIG_UNIT_SECONDS] = 8,
                               [CALLSIG_UNIT_AUTO] = 9,
                               [CALLSIG_UNIT_MILLISECONDS] = 11,
                               [CALLSIG_UNIT_MICROSECONDS] = 14,
                               [CALLSIG_UNIT_NANOSECONDS] = 17};
  return widths[unit];
}

const char *out_unit_name(enum callsig_stats_unit unit)
{
  static const char *const names[] = {[CALLSIG_UNIT_MILLISECONDS] = "milliseconds",
                                      [CALLSIG_UNIT_MICROSECONDS] = "microseconds",
                                      [CALLSIG_UNIT_NANOSECONDS] = "nanoseconds"};
  return names[unit];
}

void out_put_scaled(struct out_text *text, double seconds, int width)
{
  double size = fabs(seconds);
  if (size >= 1) {
    out_text_fixed(text, seconds, width - 1);
    out_text_puts(text, "s");
  } else if (size >= 1e-3) {
    out_text_fixed(text, seconds * 1e3, width - 2);
    out_text_puts(text, "ms");
  } else {
    out_text_fixed(text, seconds * 1e6, width - 2);
    out_text_puts(text, "us");
  }
}

void out_put_time(struct out_text *line, double seconds, enum callsig_stats_unit unit)
{
  static const double scales[] = {[CALLSIG_UNIT_SECONDS] = 1,
                                  [CALLSIG_UNIT_MILLISECONDS] = 1e3,
                                  [CALLSIG_UNIT_MICROSECONDS] = 1e6,
                                  [CALLSIG_UNIT_NANOSECONDS] = 1e9};
  int width = out_time_width(unit);
  if (isnan(seconds))
    out_text_printf(line, "%*s", width, "?");
  else if (unit == CALLSIG_UNIT_AUTO)
    out_put_scaled(line, seconds, width);
  else
    out_text_fixed(line, seconds * scales[unit], width);
  out_text_putc(line, ' ');
}

void out_put_calls(struct out_text *line, uint64_t calls, uint64_t primitive, int width)
{
  char text[48];
  if (calls == primitive) {
    out_text_integer(line, calls, width);
    out_text_putc(line, ' ');
    return;
  }
  snprintf(text, sizeof text, "%llu/%llu", (unsigned long long)calls, (unsigned long long)primitive);
  out_text_printf(line, "%*s ", width, text);
}

static void put_each(struct out_text *line, double time, uint64_t calls, enum callsig_stats_unit unit)
{
  if (calls == 0)
    out_text_printf(line, "%*s", out_time_width(unit) + 1, "");
  else
    out_put_time(line, time / (double)calls, unit);
}

static void put_percent(struct out_text *line, double part, double whole)
{
  if (whole > 0 && !isnan(part))
    out_text_printf(line, "%*.2f%% ", PERCENT_WIDTH - 1, part / whole * 100);
  else
    out_text_printf(line, "%*s ", PERCENT_WIDTH, "?");
}

static double percentile(const struct out_values *values, unsigned which)
{
  return values->percentiles ? values->percentiles->value[which] * values->tick : NAN;
}

/* Escape sequences of a terminal: red from a tenth of the whole, yellow from a hundredth. */
static bool begin_color(struct out_text *line, double part, double whole)
{
  const double much = 0.1, some = 0.01;
  if (!(whole > 0) || !(part / whole >= some))
    return false;
  out_text_puts(line, part / whole >= much ? "\033[31m" : "\033[33m");
  return true;
}

static void put_part(struct out_text *line, const struct out_values *values, double part, bool percent,
                     enum callsig_stats_unit unit, bool color)
{
  bool colored = color && begin_color(line, part, values->whole);
  if (percent)
    put_percent(line, part, values->whole);
  else
    out_put_time(line, part, unit);
  if (colored)
    out_text_puts(line, "\033[0m");
}

/* A number of blocks or bytes, which may be unknown. */
static void put_amount(struct out_text *line, uint64_t amount, bool is_known, int width)
{
  if (is_known)
    out_text_integer(line, amount, width);
  else
    out_text_printf(line, "%*s", width, "?");
  out_text_putc(line, ' ');
}

static void put_value(enum out_column column, enum callsig_stats_unit unit, bool color, const struct out_values *values,
                      struct out_text *line)
{
  switch (column) {
  case OUT_COLUMN_CALLS:
    out_put_calls(line, values->calls, values->primitive, CALLS_WIDTH);
    break;
  case OUT_COLUMN_PRIMITIVE:
    out_put_calls(line, values->primitive, values->primitive, CALLS_WIDTH);
    break;
  case OUT_COLUMN_OWN:
  case OUT_COLUMN_OWN_PERCENT:
    put_part(line, values, values->own, column == OUT_COLUMN_OWN_PERCENT, unit, color);
    break;
  case OUT_COLUMN_OWN_EACH:
    put_each(line, values->own, values->calls, unit);
    break;
  case OUT_COLUMN_CUMULATIVE:
  case OUT_COLUMN_CUMULATIVE_PERCENT:
    put_part(line, values, values->cumulative, column == OUT_COLUMN_CUMULATIVE_PERCENT, unit, color);
    break;
  case OUT_COLUMN_CUMULATIVE_EACH:
    put_each(line, values->cumulative, values->primitive, unit);
    break;
  case OUT_COLUMN_MIN:
  case OUT_COLUMN_MAX:
    out_put_time(line, column == OUT_COLUMN_MIN ? values->min : values->max, unit);
    break;
  case OUT_COLUMN_ERROR:
  case OUT_COLUMN_CUMULATIVE_ERROR:
    out_put_time(line, column == OUT_COLUMN_ERROR ? values->own_error : values->cumulative_error, unit);
    break;
  case OUT_COLUMN_TIMED:
    out_put_calls(line, values->timed, values->timed, CALLS_WIDTH);
    break;
  case OUT_COLUMN_CPU:
    out_put_time(line, values->own - values->wait, unit);
    break;
  case OUT_COLUMN_CUMULATIVE_CPU:
    out_put_time(line, values->cumulative - values->cumulative_wait, unit);
    break;
  case OUT_COLUMN_WAIT:
  case OUT_COLUMN_WAIT_ERROR:
    out_put_time(line, column == OUT_COLUMN_WAIT ? values->wait : values->wait_error, unit);
    break;
  case OUT_COLUMN_CUMULATIVE_WAIT:
  case OUT_COLUMN_CUMULATIVE_WAIT_ERROR:
    out_put_time(line, column == OUT_COLUMN_CUMULATIVE_WAIT ? values->cumulative_wait : values->cumulative_wait_error,
                 unit);
    break;
  case OUT_COLUMN_BLOCKS:
    put_amount(line, values->asked.sum.calls, values->asked.is_known, CALLS_WIDTH);
    break;
  case OUT_COLUMN_ASKED:
    put_amount(line, values->asked.sum.bytes, values->asked.is_known, BYTES_WIDTH);
    break;
  case OUT_COLUMN_UNFREED:
    put_amount(line, out_asked_kept_bytes(&values->asked.sum), out_row_asked_kept_known(&values->asked), BYTES_WIDTH);
    break;
  case OUT_COLUMN_HOOKS:
    out_put_time(line, values->hooks, unit);
    break;
  default:
    out_put_time(line, percentile(values, column - OUT_COLUMN_P50), unit);
  }
}

void out_columns_heading(const struct out_columns *columns, enum callsig_stats_unit unit, struct out_text *line)
{
  for (uint32_t i = 0; i < columns->count; i++) {
    const struct column *column = &known[columns->list[i]];
    int width = column->kind == KIND_CALLS     ? CALLS_WIDTH
                : column->kind == KIND_PERCENT ? PERCENT_WIDTH
                : column->kind == KIND_BYTES   ? BYTES_WIDTH
                                               : out_time_width(unit);
    out_text_printf(line, "%*s ", width, column->heading);
  }
}

void out_columns_row(const struct out_columns *columns, enum callsig_stats_unit unit, bool color,
                     const struct out_values *values, struct out_text *line)
{
  for (uint32_t i = 0; i < columns->count; i++)
    put_value(columns->list[i], unit, color, values, line);
}
