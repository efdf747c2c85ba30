#include "csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "notes.h"
#include "restrict.h"

struct csv {
  struct callsig_stats *stats;
  FILE *out;
  struct cs_names names;
  struct cs_text line, text;
  struct cs_arguments scratch;
};

void cs_csv_field(struct cs_text *line, const char *field)
{
  if (line->length > 0)
    cs_text_putc(line, ',');
  if (!field)
    return;
  if (!field[strcspn(field, ",\"\r\n")]) {
    cs_text_puts(line, field);
    return;
  }
  cs_text_putc(line, '"');
  for (; *field; field++) {
    if (*field == '"')
      cs_text_putc(line, '"');
    cs_text_putc(line, *field);
  }
  cs_text_putc(line, '"');
}

static void put_field(struct csv *csv, const char *field)
{
  cs_csv_field(&csv->line, field);
}

static void put_integer(struct csv *csv, uint64_t value)
{
  cs_text_printf(&csv->line, ",%llu", (unsigned long long)value);
}

static void put_seconds(struct csv *csv, double value)
{
  cs_text_putc(&csv->line, ',');
  cs_text_double(&csv->line, value, false);
}

static int put_line(struct csv *csv)
{
  cs_text_puts(&csv->line, "\r\n");
  if (csv->line.failed || csv->text.failed)
    return -ENOMEM;
  return fwrite(csv->line.data, 1, csv->line.length, csv->out) == csv->line.length ? 0 : -EIO;
}

static int print_row(struct csv *csv, uint32_t number)
{
  const struct cs_profile *profile = &csv->stats->profile;
  const struct cs_row *row = cs_rows_at(&csv->stats->rows, number);
  const struct cs_known_function *function = cs_row_function(&csv->names, &row->key);
  double tick = csv->stats->grouping.tick;
  cs_text_clear(&csv->line);
  cs_text_clear(&csv->text);
  cs_row_signature(&csv->names, &row->key, &csv->scratch, &csv->text);
  /* The first field is never empty text before a comma: the line begins with it. */
  cs_csv_field(&csv->line, function ? cs_profile_string(profile, function->file) : "-");
  put_integer(csv, function ? function->line : 0);
  cs_csv_field(&csv->line, function ? cs_profile_string(profile, function->name) : NULL);
  cs_csv_field(&csv->line, csv->text.length ? cs_text_string(&csv->text) : NULL);
  cs_csv_field(&csv->line, cs_row_stage(&csv->names, &row->key));
  cs_csv_field(&csv->line, row->key.thread == CS_NONE ? NULL : cs_profile_string(profile, row->key.thread));
  cs_csv_field(&csv->line, row->key.module == CS_NONE ? NULL : cs_profile_string(profile, row->key.module));
  put_integer(csv, row->calls);
  put_integer(csv, row->primitive);
  put_seconds(csv, (double)row->own * tick);
  put_seconds(csv, (double)row->cumulative * tick);
  put_seconds(csv, (double)row->min * tick);
  put_seconds(csv, (double)row->max * tick);
  if (csv->stats->by & (CALLSIG_BY_PROCESS | CALLSIG_BY_RANK)) {
    put_field(csv, cs_row_process(&csv->names, &row->key));
    put_field(csv, cs_row_rank(&csv->names, &row->key));
  }
  for (unsigned i = 0; i < CS_PERCENTILES && csv->stats->percentiles; i++) {
    double percentile = csv->stats->percentiles[number].value[i] * tick;
    if (isnan(percentile))
      put_field(csv, NULL);
    else
      put_seconds(csv, percentile);
  }
  if (csv->stats->compensating) {
    const struct cs_subtraction *taken = cs_vector_at(&csv->stats->rows.subtractions, number);
    put_seconds(csv, taken->own * tick);
    put_seconds(csv, taken->cumulative * tick);
  }
  return put_line(csv);
}

static int print_heading(struct csv *csv)
{
  cs_text_puts(&csv->line, "file,line,function,signature,stage,thread,module,ncalls,pcalls,tottime,cumtime,min,max");
  if (csv->stats->by & (CALLSIG_BY_PROCESS | CALLSIG_BY_RANK))
    cs_text_puts(&csv->line, ",process,rank");
  if (csv->stats->percentiles)
    cs_text_puts(&csv->line, ",p50,p90,p99");
  if (csv->stats->compensating)
    cs_text_puts(&csv->line, ",tottime_compensation,cumtime_compensation");
  return put_line(csv);
}

static int tell_note(const char *note, void *data)
{
  (void)data;
  cs_stats_message("%s", note);
  return 0;
}

static int print_list(struct csv *csv, const struct cs_list *list)
{
  int result = print_heading(csv);
  for (uint32_t i = 0; i < list->count && result == 0; i++)
    result = print_row(csv, list->rows[i]);
  if (result == 0 && fflush(csv->out) != 0)
    result = -EIO;
  if (result == 0)
    result = cs_notes(csv->stats, tell_note, NULL);
  return result;
}

int cs_csv_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  int result = cs_stats_prepare(stats);
  if (result == 0)
    result = cs_stats_percentiles(stats);
  if (result < 0)
    return result;
  struct csv csv = {.stats = stats, .out = out, .names = cs_stats_names(stats)};
  struct cs_list list = {.rows = malloc((stats->listed + 1u) * sizeof *list.rows), .count = stats->listed};
  if (!list.rows)
    return cs_stats_no_memory();
  memcpy(list.rows, stats->order, stats->listed * sizeof *list.rows);
  struct cs_text message = {0};
  result = cs_restrict(&csv.names, &stats->rows, restrictions, count, &list, &message);
  if (result == 0)
    result = print_list(&csv, &list);
  free(list.rows);
  cs_text_free(&message);
  cs_text_free(&csv.line);
  cs_text_free(&csv.text);
  cs_arguments_free(&csv.scratch);
  return result == -ENOMEM ? cs_stats_no_memory() : result;
}
