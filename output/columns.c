#include "columns.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "message.h"

enum kind { KIND_CALLS, KIND_TIME, KIND_PERCENT };

static const struct column {
  char name[16], heading[12];
  enum kind kind;
} known[CS_COLUMN_COUNT] = {
    [CS_COLUMN_CALLS] = {"ncalls", "ncalls", KIND_CALLS},
    [CS_COLUMN_PRIMITIVE] = {"pcalls", "pcalls", KIND_CALLS},
    [CS_COLUMN_OWN] = {"tottime", "tottime", KIND_TIME},
    [CS_COLUMN_OWN_PERCENT] = {"tottime%", "tot%", KIND_PERCENT},
    [CS_COLUMN_OWN_EACH] = {"tottime/call", "percall", KIND_TIME},
    [CS_COLUMN_CUMULATIVE] = {"cumtime", "cumtime", KIND_TIME},
    [CS_COLUMN_CUMULATIVE_PERCENT] = {"cumtime%", "cum%", KIND_PERCENT},
    [CS_COLUMN_CUMULATIVE_EACH] = {"cumtime/call", "percall", KIND_TIME},
    [CS_COLUMN_MIN] = {"min", "min", KIND_TIME},
    [CS_COLUMN_MAX] = {"max", "max", KIND_TIME},
    [CS_COLUMN_P50] = {"p50", "p50", KIND_TIME},
    [CS_COLUMN_P90] = {"p90", "p90", KIND_TIME},
    [CS_COLUMN_P99] = {"p99", "p99", KIND_TIME},
    [CS_COLUMN_HOOKS] = {"hooks", "hooks", KIND_TIME},
};

static const uint8_t pstats_columns[] = {CS_COLUMN_CALLS, CS_COLUMN_OWN, CS_COLUMN_OWN_EACH, CS_COLUMN_CUMULATIVE,
                                         CS_COLUMN_CUMULATIVE_EACH};

enum { CALLS_WIDTH = 9, PERCENT_WIDTH = 7 };

static int fail(const char *what, const char *word, size_t length)
{
  char list[256] = "";
  /* The hooks' column follows from compensation. */
  for (size_t i = 0; i < CS_COLUMN_HOOKS; i++) {
    strcat(list, i ? ", " : "");
    strcat(list, known[i].name);
  }
  return cs_stats_fail(-EINVAL, "column '%.*s' %s: the columns are %s", (int)length, word, what, list);
}

static int add_named(struct cs_columns *columns, const char *word, size_t length)
{
  for (uint32_t i = 0; i < CS_COLUMN_HOOKS; i++) {
    if (strlen(known[i].name) != length || strncmp(known[i].name, word, length) != 0)
      continue;
    if (columns->count == CS_COLUMNS_MAX - 1)
      return fail("is one too many", word, length);
    cs_columns_add(columns, i);
    return 0;
  }
  return fail("is unknown", word, length);
}

int cs_columns_parse(const char *text, struct cs_columns *columns)
{
  struct cs_columns parsed = {.count = 0};
  if (!text || *text == '+') {
    memcpy(parsed.list, pstats_columns, sizeof pstats_columns);
    parsed.count = sizeof pstats_columns;
  }
  for (const char *word = text && *text == '+' ? text + 1 : text; word; word++) {
    size_t length = strcspn(word, ",");
    int result = add_named(&parsed, word, length);
    if (result < 0)
      return result;
    word += length;
    if (!*word)
      break;
  }
  *columns = parsed;
  return 0;
}

void cs_columns_add(struct cs_columns *columns, enum cs_column column)
{
  if (columns->count < CS_COLUMNS_MAX)
    columns->list[columns->count++] = (uint8_t)column;
}

bool cs_columns_have_percentiles(const struct cs_columns *columns)
{
  for (uint32_t i = 0; i < columns->count; i++) {
    if (columns->list[i] >= CS_COLUMN_P50 && columns->list[i] <= CS_COLUMN_P99)
      return true;
  }
  return false;
}

int cs_time_width(enum callsig_stats_unit unit)
{
  /* Each is wide enough for hours. */
  static const int widths[] = {[CALLSIG_UNIT_SECONDS] = 8,
                               [CALLSIG_UNIT_AUTO] = 9,
                               [CALLSIG_UNIT_MILLISECONDS] = 11,
                               [CALLSIG_UNIT_MICROSECONDS] = 14,
                               [CALLSIG_UNIT_NANOSECONDS] = 17};
  return widths[unit];
}

const char *cs_unit_name(enum callsig_stats_unit unit)
{
  static const char *const names[] = {[CALLSIG_UNIT_MILLISECONDS] = "milliseconds",
                                      [CALLSIG_UNIT_MICROSECONDS] = "microseconds",
                                      [CALLSIG_UNIT_NANOSECONDS] = "nanoseconds"};
  return names[unit];
}

void cs_put_scaled(struct cs_text *text, double seconds, int width)
{
  double size = fabs(seconds);
  if (size >= 1) {
    cs_text_fixed(text, seconds, width - 1);
    cs_text_puts(text, "s");
  } else if (size >= 1e-3) {
    cs_text_fixed(text, seconds * 1e3, width - 2);
    cs_text_puts(text, "ms");
  } else {
    cs_text_fixed(text, seconds * 1e6, width - 2);
    cs_text_puts(text, "us");
  }
}

void cs_put_time(struct cs_text *line, double seconds, enum callsig_stats_unit unit)
{
  static const double scales[] = {[CALLSIG_UNIT_SECONDS] = 1,
                                  [CALLSIG_UNIT_MILLISECONDS] = 1e3,
                                  [CALLSIG_UNIT_MICROSECONDS] = 1e6,
                                  [CALLSIG_UNIT_NANOSECONDS] = 1e9};
  int width = cs_time_width(unit);
  if (isnan(seconds))
    cs_text_printf(line, "%*s", width, "?");
  else if (unit == CALLSIG_UNIT_AUTO)
    cs_put_scaled(line, seconds, width);
  else
    cs_text_fixed(line, seconds * scales[unit], width);
  cs_text_putc(line, ' ');
}

void cs_put_calls(struct cs_text *line, uint64_t calls, uint64_t primitive, int width)
{
  char text[48];
  if (calls == primitive) {
    cs_text_integer(line, calls, width);
    cs_text_putc(line, ' ');
    return;
  }
  snprintf(text, sizeof text, "%llu/%llu", (unsigned long long)calls, (unsigned long long)primitive);
  cs_text_printf(line, "%*s ", width, text);
}

static void put_each(struct cs_text *line, double time, uint64_t calls, enum callsig_stats_unit unit)
{
  if (calls == 0)
    cs_text_printf(line, "%*s", cs_time_width(unit) + 1, "");
  else
    cs_put_time(line, time / (double)calls, unit);
}

static void put_percent(struct cs_text *line, double part, double whole)
{
  if (whole > 0)
    cs_text_printf(line, "%*.2f%% ", PERCENT_WIDTH - 1, part / whole * 100);
  else
    cs_text_printf(line, "%*s ", PERCENT_WIDTH, "?");
}

static double percentile(const struct cs_values *values, unsigned which)
{
  return values->percentiles ? values->percentiles->value[which] * values->tick : NAN;
}

/* Escape sequences of a terminal: red from a tenth of the whole, yellow from a hundredth. */
static bool begin_color(struct cs_text *line, double part, double whole)
{
  const double much = 0.1, some = 0.01;
  if (!(whole > 0) || part / whole < some)
    return false;
  cs_text_puts(line, part / whole >= much ? "\033[31m" : "\033[33m");
  return true;
}

static void put_part(struct cs_text *line, const struct cs_values *values, double part, bool percent,
                     enum callsig_stats_unit unit, bool color)
{
  bool colored = color && begin_color(line, part, values->whole);
  if (percent)
    put_percent(line, part, values->whole);
  else
    cs_put_time(line, part, unit);
  if (colored)
    cs_text_puts(line, "\033[0m");
}

static void put_value(enum cs_column column, enum callsig_stats_unit unit, bool color, const struct cs_values *values,
                      struct cs_text *line)
{
  switch (column) {
  case CS_COLUMN_CALLS:
    cs_put_calls(line, values->calls, values->primitive, CALLS_WIDTH);
    break;
  case CS_COLUMN_PRIMITIVE:
    cs_put_calls(line, values->primitive, values->primitive, CALLS_WIDTH);
    break;
  case CS_COLUMN_OWN:
  case CS_COLUMN_OWN_PERCENT:
    put_part(line, values, values->own, column == CS_COLUMN_OWN_PERCENT, unit, color);
    break;
  case CS_COLUMN_OWN_EACH:
    put_each(line, values->own, values->calls, unit);
    break;
  case CS_COLUMN_CUMULATIVE:
  case CS_COLUMN_CUMULATIVE_PERCENT:
    put_part(line, values, values->cumulative, column == CS_COLUMN_CUMULATIVE_PERCENT, unit, color);
    break;
  case CS_COLUMN_CUMULATIVE_EACH:
    put_each(line, values->cumulative, values->primitive, unit);
    break;
  case CS_COLUMN_MIN:
  case CS_COLUMN_MAX:
    cs_put_time(line, column == CS_COLUMN_MIN ? values->min : values->max, unit);
    break;
  case CS_COLUMN_HOOKS:
    cs_put_time(line, values->hooks, unit);
    break;
  default:
    cs_put_time(line, percentile(values, column - CS_COLUMN_P50), unit);
  }
}

void cs_columns_heading(const struct cs_columns *columns, enum callsig_stats_unit unit, struct cs_text *line)
{
  for (uint32_t i = 0; i < columns->count; i++) {
    const struct column *column = &known[columns->list[i]];
    int width = column->kind == KIND_CALLS     ? CALLS_WIDTH
                : column->kind == KIND_PERCENT ? PERCENT_WIDTH
                                               : cs_time_width(unit);
    cs_text_printf(line, "%*s ", width, column->heading);
  }
}

void cs_columns_row(const struct cs_columns *columns, enum callsig_stats_unit unit, bool color,
                    const struct cs_values *values, struct cs_text *line)
{
  for (uint32_t i = 0; i < columns->count; i++)
    put_value(columns->list[i], unit, color, values, line);
}
