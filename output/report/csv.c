/* Writes the report as CSV, row by row. */
#include "output/report/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/notes/notes.h"
#include "output/stats/restrict.h"
#include "output/text/csv_field.h"
#include "output/text/message.h"

struct csv {
  struct callsig_stats *stats;
  FILE *out;
  struct out_names names;
  struct out_text line, text;
  struct out_arguments scratch;
  bool has_errors; /* columns of them */
};

static void put_field(struct csv *csv, const char *field)
{
  out_csv_field(&csv->line, field);
}

static void put_integer(struct csv *csv, uint64_t value)
{
  out_text_printf(&csv->line, ",%llu", (unsigned long long)value);
}

static void put_seconds(struct csv *csv, double value)
{
  out_text_putc(&csv->line, ',');
  out_text_double(&csv->line, value, false);
}

/* A number of seconds that may be unknown: an empty field then. */
static void put_known(struct csv *csv, double value)
{
  if (isnan(value))
    put_field(csv, NULL);
  else
    put_seconds(csv, value);
}

static void put_amount(struct csv *csv, uint64_t amount, bool is_known)
{
  if (is_known)
    put_integer(csv, amount);
  else
    put_field(csv, NULL);
}

static void put_asked(struct csv *csv, const struct out_row_asked *asked)
{
  const bool is_kept_known = out_row_asked_kept_known(asked);
  put_amount(csv, asked->sum.calls, asked->is_known);
  put_amount(csv, asked->sum.bytes, asked->is_known);
  put_amount(csv, out_asked_kept_calls(&asked->sum), is_kept_known);
  put_amount(csv, out_asked_kept_bytes(&asked->sum), is_kept_known);
}

static int put_line(struct csv *csv)
{
  out_text_puts(&csv->line, "\r\n");
  if (csv->line.failed || csv->text.failed)
    return -ENOMEM;
  return fwrite(csv->line.data, 1, csv->line.length, csv->out) == csv->line.length ? 0 : -EIO;
}

/* The callers in one field, the innermost first; none of what no function calls. */
static void put_stack(struct csv *csv, const struct out_row_key *key)
{
  struct out_text stack = {0};
  for (uint32_t i = 0; key->callstack != FMT_NONE; i++) {
    out_text_clear(&csv->text);
    if (!out_row_frame(&csv->names, key, i, &csv->text))
      break;
    out_text_printf(&stack, "%s%s", i > 0 ? " < " : "", out_text_string(&csv->text));
  }
  csv->line.failed |= stack.failed;
  put_field(csv, stack.length ? out_text_string(&stack) : NULL);
  out_text_free(&stack);
}

static int print_row(struct csv *csv, uint32_t number)
{
  const struct out_profile *profile = &csv->stats->profile;
  const struct out_row *row = out_rows_at(&csv->stats->rows, number);
  const struct out_known_function *function = out_row_function(&csv->names, &row->key);
  double tick = csv->stats->grouping.tick;
  out_text_clear(&csv->line);
  out_text_clear(&csv->text);
  out_row_signature(&csv->names, &row->key, &csv->scratch, &csv->text);
  /* The first field is never empty text before a comma: the line begins with it. */
  out_csv_field(&csv->line, function ? out_profile_string(profile, function->file) : "-");
  put_integer(csv, function ? function->line : 0);
  out_csv_field(&csv->line, function ? out_profile_string(profile, function->name) : NULL);
  out_csv_field(&csv->line, csv->text.length ? out_text_string(&csv->text) : NULL);
  out_csv_field(&csv->line, out_row_stage(&csv->names, &row->key));
  out_csv_field(&csv->line, row->key.thread == FMT_NONE ? NULL : out_profile_string(profile, row->key.thread));
  out_csv_field(&csv->line, row->key.module == FMT_NONE ? NULL : out_profile_string(profile, row->key.module));
  put_integer(csv, row->calls);
  put_integer(csv, row->primitive);
  put_seconds(csv, (double)row->own * tick);
  put_seconds(csv, (double)row->cumulative * tick);
  put_seconds(csv, (double)row->min * tick);
  put_seconds(csv, (double)row->max * tick);
  if (csv->stats->by & (CALLSIG_BY_PROCESS | CALLSIG_BY_RANK)) {
    put_field(csv, out_row_process(&csv->names, &row->key));
    put_field(csv, out_row_rank(&csv->names, &row->key));
  }
  if (csv->stats->by & CALLSIG_BY_SITE) {
    out_text_clear(&csv->text);
    out_row_site(&csv->names, &row->key, &csv->text);
    put_field(csv, out_text_string(&csv->text));
  }
  if (csv->stats->frames > 0)
    put_stack(csv, &row->key);
  for (unsigned i = 0; i < OUT_PERCENTILES && csv->stats->percentiles; i++)
    put_known(csv, csv->stats->percentiles[number].value[i] * tick);
  if (out_stats_compensates(csv->stats)) {
    const struct out_subtraction *taken = base_vector_at(&csv->stats->rows.subtractions, number);
    put_seconds(csv, (double)taken->own * tick);
    put_seconds(csv, (double)taken->cumulative * tick);
  }
  if (csv->has_errors) {
    const struct out_row_error error = out_stats_error(csv->stats, number);
    put_known(csv, error.own * tick);
    put_known(csv, error.cumulative * tick);
    put_integer(csv, row->calls - error.untimed);
    put_integer(csv, error.is_uncertain);
  }
  if (csv->stats->sleep) {
    const struct out_row_sleep sleep = out_stats_sleep(csv->stats, number);
    put_known(csv, ((double)row->own - sleep.own) * tick);
    put_known(csv, sleep.own * tick);
    put_known(csv, sleep.own_error * tick);
    put_known(csv, ((double)row->cumulative - sleep.cumulative) * tick);
    put_known(csv, sleep.cumulative * tick);
    put_known(csv, sleep.cumulative_error * tick);
  }
  if (csv->stats->rows.asked)
    put_asked(csv, &csv->stats->rows.asked[number]);
  return put_line(csv);
}

static int print_heading(struct csv *csv)
{
  out_text_puts(&csv->line, "file,line,function,signature,stage,thread,module,ncalls,pcalls,tottime,cumtime,min,max");
  if (csv->stats->by & (CALLSIG_BY_PROCESS | CALLSIG_BY_RANK))
    out_text_puts(&csv->line, ",process,rank");
  if (csv->stats->by & CALLSIG_BY_SITE)
    out_text_puts(&csv->line, ",site");
  if (csv->stats->frames > 0)
    out_text_puts(&csv->line, ",stack");
  if (csv->stats->percentiles)
    out_text_puts(&csv->line, ",p50,p90,p99");
  if (out_stats_compensates(csv->stats))
    out_text_puts(&csv->line, ",tottime_compensation,cumtime_compensation");
  if (csv->has_errors)
    out_text_puts(&csv->line, ",tottime_error,cumtime_error,timed_calls,uncertain");
  if (csv->stats->sleep)
    out_text_puts(&csv->line, ",cpu,wait,wait_error,cumcpu,cumwait,cumwait_error");
  if (csv->stats->rows.asked)
    out_text_puts(&csv->line, ",allocs,allocbytes,unfreed_allocs,unfreed");
  return put_line(csv);
}

static int print_list(struct csv *csv, const struct out_list *list)
{
  int result = print_heading(csv);
  for (uint32_t i = 0; i < list->count && result == 0; i++)
    result = print_row(csv, list->rows[i]);
  if (result == 0 && fflush(csv->out) != 0)
    result = -EIO;
  if (result == 0)
    result = out_notes_tell(csv->stats);
  return result;
}

int out_csv_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  int result = out_stats_prepare(stats);
  if (result == 0)
    result = out_stats_percentiles(stats);
  if (result == 0)
    result = out_stats_inclusive_sleep(stats);
  if (result < 0)
    return result;
  struct csv csv = {
      .stats = stats, .out = out, .names = out_stats_names(stats), .has_errors = out_stats_has_errors(stats)};
  struct out_list list = {.rows = malloc((stats->listed + 1u) * sizeof *list.rows), .count = stats->listed};
  if (!list.rows)
    return out_stats_no_memory();
  memcpy(list.rows, stats->order, stats->listed * sizeof *list.rows);
  struct out_text message = {0};
  result = out_restrict(&csv.names, &stats->rows, restrictions, count, &list, &message);
  if (result == 0)
    result = print_list(&csv, &list);
  free(list.rows);
  out_text_free(&message);
  out_text_free(&csv.line);
  out_text_free(&csv.text);
  out_arguments_free(&csv.scratch);
  return result == -ENOMEM ? out_stats_no_memory() : result;
}
