/* callsig_stats_print() and its siblings: a report in each of its forms, and what is told below it. */
#include <errno.h>
#include <stdio.h>

#include "callsig/stats.h"
#include "output/notes/notes.h"
#include "output/report/balance.h"
#include "output/report/csv.h"
#include "output/report/json.h"
#include "output/report/table.h"
#include "output/text/message.h"

static int print_note(const char *note, void *data)
{
  return fprintf(data, "%s\n", note) < 0 ? -EIO : 0;
}

static int print_notes(struct callsig_stats *stats, FILE *out)
{
  int result = out_notes_of_table(stats, stats->style.few_notes, print_note, out);
  if (result == -EIO)
    return out_stats_fail(-EIO, "cannot write the table: the output is full or closed");
  return result == -ENOMEM ? out_stats_no_memory() : result;
}

int callsig_stats_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  int result = out_table_print(stats, out, restrictions, count);
  if (result == 0)
    result = out_balance_print(stats, out);
  return result < 0 ? result : print_notes(stats, out);
}

int callsig_stats_print_balance(struct callsig_stats *stats, FILE *out)
{
  return out_balance_print(stats, out);
}

int callsig_stats_print_callers(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  int result = out_table_print_links(stats, out, restrictions, count, false);
  return result < 0 ? result : print_notes(stats, out);
}

int callsig_stats_print_callees(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  int result = out_table_print_links(stats, out, restrictions, count, true);
  return result < 0 ? result : print_notes(stats, out);
}

static int say_unwritten(int result, const char *what)
{
  return result == -EIO ? out_stats_fail(-EIO, "cannot write the %s: the output is full or closed", what) : result;
}

int callsig_stats_print_averages(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  int result = out_table_print_averages(stats, out, restrictions, count);
  return result < 0 ? result : print_notes(stats, out);
}

int callsig_stats_print_json(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  return say_unwritten(out_json_print(stats, out, restrictions, count), "JSON");
}

int callsig_stats_print_csv(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count)
{
  return say_unwritten(out_csv_print(stats, out, restrictions, count), "CSV");
}
