/* pstats's table, byte for byte: what print_stats() prints; and how evenly processes share its rows. */
#include "table.h"

#include <errno.h>
#include <stdio.h>

#include "spread.h"
#include "table_blocks.h"

static int print_summary(struct cs_table *table)
{
  const struct callsig_stats_total *total = &table->stats->total;
  cs_text_clear(&table->line);
  cs_text_printf(&table->line, "         %llu function calls ", (unsigned long long)total->calls);
  if (total->calls != total->primitive_calls)
    cs_text_printf(&table->line, "(%llu primitive calls) ", (unsigned long long)total->primitive_calls);
  cs_text_puts(&table->line, "in ");
  cs_text_fixed(&table->line, total->time, 0);
  cs_text_puts(&table->line, " seconds\n");
  return cs_table_put_line(table);
}

static void put_row(struct cs_table *table, uint32_t number)
{
  const struct callsig_stats *stats = table->stats;
  const struct cs_row *row = cs_rows_at(&stats->rows, number);
  struct cs_values values = {.calls = row->calls,
                             .primitive = row->primitive,
                             .own = cs_table_seconds(table, row->own),
                             .cumulative = cs_table_seconds(table, row->cumulative),
                             .min = cs_table_seconds(table, row->min),
                             .max = cs_table_seconds(table, row->max),
                             .whole = stats->total.time,
                             .percentiles = stats->percentiles ? &stats->percentiles[number] : NULL,
                             .tick = stats->grouping.tick};
  if (stats->compensating)
    values.hooks = ((struct cs_subtraction *)cs_vector_at(&stats->rows.subtractions, number))->own * values.tick;
  cs_columns_row(&table->columns, table->unit, stats->style.color, &values, &table->line);
}

static void make_line(struct cs_table *table, uint32_t number)
{
  put_row(table, number);
  cs_table_put_name(table, number);
}

static int print_heading(struct cs_table *table)
{
  bool color = table->stats->style.color;
  cs_text_clear(&table->line);
  cs_text_puts(&table->line, color ? "\033[1m" : "");
  cs_columns_heading(&table->columns, table->unit, &table->line);
  cs_text_puts(&table->line, "filename:lineno(function)");
  cs_text_puts(&table->line, color ? "\033[0m" : "");
  return cs_table_put_line(table);
}

static int print_rows(struct cs_table *table)
{
  int result = print_summary(table);
  if (result < 0 || table->list.count == 0)
    return result;
  result = cs_table_put_message(table);
  if (result == 0)
    result = print_heading(table);
  if (result == 0)
    result = cs_table_put_rows(table, make_line);
  if (result == 0 && fputs("\n\n", table->out) < 0)
    result = -EIO;
  return result;
}

/* The row's name without its process and rank, or what stands for all calls. */
static void shared_name(struct cs_table *table, uint32_t row)
{
  struct cs_row_key key = cs_rows_at(&table->stats->rows, row)->key;
  size_t before = table->line.length;
  key.process = key.rank = CS_NONE;
  cs_row_name(&table->names, &key, &table->scratch, &table->line);
  if (table->line.length == before)
    cs_text_puts(&table->line, "all calls");
}

static int print_spread(struct cs_table *table, const struct cs_spreads *spreads, const struct cs_spread *spread,
                        bool own)
{
  const struct cs_spread_time *time = own ? &spread->own : &spread->cumulative;
  const struct cs_row_key *slowest = &cs_rows_at(&table->stats->rows, time->slowest)->key;
  const char *where = spreads->of_ranks ? cs_row_rank(&table->names, slowest) : cs_row_process(&table->names, slowest);
  cs_text_clear(&table->line);
  cs_put_time(&table->line, cs_table_seconds(table, time->min), table->unit);
  cs_put_time(&table->line, time->mean * table->stats->grouping.tick, table->unit);
  cs_put_time(&table->line, cs_table_seconds(table, time->max), table->unit);
  cs_text_fixed(&table->line, cs_spread_imbalance(time), 9);
  cs_text_putc(&table->line, ' ');
  shared_name(table, spread->row);
  cs_text_printf(&table->line, " [max: %s %s]", spreads->of_ranks ? "rank" : "process", where);
  return cs_table_put_line(table);
}

static int print_spread_heading(struct cs_table *table, const struct cs_spreads *spreads, bool own)
{
  static const char *const headings[] = {"min", "mean", "max"};
  cs_text_clear(&table->line);
  cs_text_printf(&table->line, "   %s across %u %s\n\n", own ? "Internal time" : "Cumulative time", spreads->count,
                 spreads->of_ranks ? "ranks" : "processes");
  for (size_t i = 0; i < 3; i++)
    cs_text_printf(&table->line, "%*s ", cs_time_width(table->unit), headings[i]);
  cs_text_puts(&table->line, "imbalance filename:lineno(function)");
  return cs_table_put_line(table);
}

/* Below the rows: how evenly the processes or ranks share each of them, by the time that the rows are ordered by. */
static int print_spreads(struct cs_table *table)
{
  bool own = table->stats->sort.fields[0] == CS_SORT_OWN;
  struct cs_spreads spreads;
  int result = cs_spreads_make(table->stats, table->list.rows, table->list.count, &spreads);
  if (result == 0 && spreads.list.count > 0) {
    result = print_spread_heading(table, &spreads, own);
    for (uint32_t i = 0; i < spreads.list.count && result == 0; i++)
      result = print_spread(table, &spreads, cs_vector_at(&spreads.list, i), own);
    if (result == 0 && fputs("\n\n", table->out) < 0)
      result = -EIO;
  }
  cs_spreads_free(&spreads);
  return result;
}

int cs_table_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  struct cs_table table;
  int result = cs_table_open(&table, stats, out, restrictions, count);
  if (result == 0)
    result = print_rows(&table);
  if (result == 0)
    result = print_spreads(&table);
  return cs_table_close(&table, result);
}
