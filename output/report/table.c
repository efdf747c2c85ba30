/* pstats's table, byte for byte: what print_stats() prints; and how evenly processes share its rows. */
#include "output/report/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/notes/notes.h"
#include "output/notes/waiting_notes.h"
#include "output/profile/process.h"
#include "output/report/table_blocks.h"
#include "output/stats/imbalance.h"

static int print_summary(struct out_table *table)
{
  const struct callsig_stats_total *total = &table->stats->total;
  out_text_clear(&table->line);
  out_text_printf(&table->line, "         %llu function calls ", (unsigned long long)total->calls);
  if (total->calls != total->primitive_calls)
    out_text_printf(&table->line, "(%llu primitive calls) ", (unsigned long long)total->primitive_calls);
  out_text_puts(&table->line, "in ");
  out_text_fixed(&table->line, total->time, 0);
  out_text_puts(&table->line, " seconds");
  if (out_waiting_is_much(table->stats)) {
    out_text_puts(&table->line, ", of which threads waited ");
    if (out_waiting_is_bound(table->stats))
      out_text_puts(&table->line, "at least ");
    out_text_fixed(&table->line, total->wait, 0);
  }
  out_text_putc(&table->line, '\n');
  return out_table_put_whole_line(table);
}

static void put_row(struct out_table *table, uint32_t number)
{
  const struct callsig_stats *stats = table->stats;
  const struct out_row *row = out_rows_at(&stats->rows, number);
  const struct out_row_error error = out_stats_error(stats, number);
  const struct out_row_sleep sleep = out_stats_sleep(stats, number);
  struct out_values values = {.calls = row->calls,
                              .primitive = row->primitive,
                              .timed = row->calls - error.untimed,
                              .own_error = error.own * stats->grouping.tick,
                              .cumulative_error = error.cumulative * stats->grouping.tick,
                              .wait = sleep.own * stats->grouping.tick,
                              .wait_error = sleep.own_error * stats->grouping.tick,
                              .cumulative_wait = sleep.cumulative * stats->grouping.tick,
                              .cumulative_wait_error = sleep.cumulative_error * stats->grouping.tick,
                              .asked = out_row_asked(&stats->rows, number),
                              .own = out_table_seconds(table, row->own),
                              .cumulative = out_table_seconds(table, row->cumulative),
                              .min = out_table_seconds(table, row->min),
                              .max = out_table_seconds(table, row->max),
                              .whole = stats->total.time,
                              .percentiles = stats->percentiles ? &stats->percentiles[number] : NULL,
                              .tick = stats->grouping.tick};
  const struct out_known_function *function = out_row_function(&table->names, &row->key);
  if (function && function->is_untimed)
    values.own = values.cumulative = values.min = values.max = NAN;
  if (out_stats_compensates(stats))
    values.hooks =
        (double)((struct out_subtraction *)base_vector_at(&stats->rows.subtractions, number))->own * values.tick;
  out_columns_row(&table->columns, table->unit, stats->style.color, &values, &table->line);
}

static void make_line(struct out_table *table, uint32_t number)
{
  put_row(table, number);
  out_table_put_name(table, number);
  const struct out_known_function *function =
      out_row_function(&table->names, &((const struct out_row *)out_rows_at(&table->stats->rows, number))->key);
  const size_t before = table->line.length;
  if (function && function->is_library)
    out_text_puts(&table->line, OUT_LIBRARY_MARK);
  out_text_puts(&table->line, out_table_mark(table, number));
  table->mark_bytes = table->line.length - before;
}

static int print_heading(struct out_table *table)
{
  bool color = table->stats->style.color;
  out_text_clear(&table->line);
  out_text_puts(&table->line, color ? "\033[1m" : "");
  out_columns_heading(&table->columns, table->unit, &table->line);
  table->name_at = table->line.length;
  out_text_puts(&table->line, "filename:lineno(function)");
  out_text_puts(&table->line, color ? "\033[0m" : "");
  return out_table_put_line(table);
}

static int print_rows(struct out_table *table)
{
  int result = print_summary(table);
  if (result < 0 || table->list.count == 0)
    return result;
  result = out_table_put_message(table);
  if (result == 0)
    result = print_heading(table);
  if (result == 0)
    result = out_table_put_rows(table, make_line);
  if (result == 0 && fputs("\n\n", table->out) < 0)
    result = -EIO;
  return result;
}

/* The row's name without its process and rank, or what stands for all calls. */
static void shared_name(struct out_table *table, uint32_t row)
{
  struct out_row_key key = out_rows_at(&table->stats->rows, row)->key;
  size_t before = table->line.length;
  key.process = key.rank = FMT_NONE;
  out_table_put_key(table, &key);
  if (table->line.length == before)
    out_text_puts(&table->line, "all calls");
}

static int print_imbalance(struct out_table *table, const struct out_imbalances *imbalances,
                           const struct out_imbalance *imbalance, bool own)
{
  const struct out_imbalance_time *time = own ? &imbalance->own : &imbalance->cumulative;
  char buffer[24];
  const char *where = out_imbalance_where(table->stats, imbalances, imbalance, time, false, buffer);
  out_text_clear(&table->line);
  out_put_time(&table->line, out_table_seconds(table, time->min), table->unit);
  out_put_time(&table->line, time->mean * table->stats->grouping.tick, table->unit);
  out_put_time(&table->line, out_table_seconds(table, time->max), table->unit);
  out_text_fixed(&table->line, out_imbalance_ratio(time), 9);
  out_text_putc(&table->line, ' ');
  shared_name(table, imbalance->row);
  out_text_printf(&table->line, " [max: %s %s]", imbalances->of_ranks ? "rank" : "process", where ? where : "?");
  return out_table_put_line(table);
}

/* Does a row stand for several processes of one command? */
static bool has_folded(const struct out_profile *profile)
{
  for (uint32_t i = 0; i < profile->recordings.count; i++)
    if (out_process_count(out_profile_recording(profile, i)) > 1)
      return true;
  return false;
}

/* The programs are named where several are compared, each with itself. */
static int print_spread_heading(struct out_table *table, const struct out_imbalances *imbalances,
                                const struct out_imbalance *first, bool own)
{
  static const char *const headings[] = {"min", "mean", "max"};
  out_text_clear(&table->line);
  out_text_printf(&table->line, "   %s across %u %s", own ? "Internal time" : "Cumulative time", first->count,
                  imbalances->of_ranks               ? "ranks"
                  : has_folded(table->names.profile) ? "commands"
                                                     : "processes");
  if (imbalances->programs > 1) {
    const char *path = out_imbalance_program(table->stats, imbalances, first), *slash = strrchr(path, '/');
    out_text_puts(&table->line, " of ");
    out_text_puts(&table->line, slash ? slash + 1 : *path ? path : "?");
  }
  out_text_putc(&table->line, '\n');
  int result = out_table_put_whole_line(table);
  if (result < 0)
    return result;
  out_text_clear(&table->line);
  for (size_t i = 0; i < 3; i++)
    out_text_printf(&table->line, "%*s ", out_time_width(table->unit), headings[i]);
  out_text_puts(&table->line, "imbalance filename:lineno(function)");
  return out_table_put_line(table);
}

/* All that is of the program of the entry `first`. */
static int print_program(struct out_table *table, const struct out_imbalances *imbalances, uint32_t first, bool own)
{
  const struct out_imbalance *program = base_vector_at(&imbalances->list, first);
  int result = print_spread_heading(table, imbalances, program, own);
  for (uint32_t i = first; i < imbalances->list.count && result == 0; i++) {
    const struct out_imbalance *imbalance = base_vector_at(&imbalances->list, i);
    if (imbalance->program == program->program)
      result = print_imbalance(table, imbalances, imbalance, own);
  }
  return result == 0 && fputs("\n\n", table->out) < 0 ? -EIO : result;
}

static bool is_first_of_program(const struct out_imbalances *imbalances, uint32_t number)
{
  const uint64_t program = ((const struct out_imbalance *)base_vector_at(&imbalances->list, number))->program;
  for (uint32_t i = 0; i < number; i++)
    if (((const struct out_imbalance *)base_vector_at(&imbalances->list, i))->program == program)
      return false;
  return true;
}

/* Below the rows: how evenly the processes or ranks share each of them, by the time that the rows are ordered by. */
static int print_imbalances(struct out_table *table)
{
  bool own = table->stats->sort.fields[0] == OUT_SORT_OWN;
  struct out_imbalances imbalances;
  int result = out_imbalances_make(table->stats, table->list.rows, table->list.count, &imbalances);
  for (uint32_t i = 0; i < imbalances.list.count && result == 0; i++)
    if (is_first_of_program(&imbalances, i))
      result = print_program(table, &imbalances, i, own);
  out_imbalances_free(&imbalances);
  return result;
}

int out_table_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  struct out_table table;
  int result = out_table_open(&table, stats, out, restrictions, count);
  if (result == 0)
    result = print_rows(&table);
  if (result == 0)
    result = print_imbalances(&table);
  return out_table_close(&table, result);
}
