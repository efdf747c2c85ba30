/* The report of `callsig score` as text. */
#include <errno.h>
#include <math.h>

#include "output/notes/notes.h"
#include "output/score/report.h"
#include "output/stats/columns.h"

static int put_line(const char *line, void *data)
{
  struct out_score_report *report = data;
  out_text_printf(&report->line, "%s\n", line);
  return out_score_flush(report);
}

static int begin(struct out_score_report *report)
{
  int result = out_score_remarks(report->score, put_line, report);
  bool is_known = out_score_is_known(report->score);
  out_text_printf(&report->line, "\n   Ordered by: %s\n%s\n", is_known ? "saving per loss" : "call count",
                  report->message);
  out_text_puts(&report->line, "   ncalls     timed       cost  cost%   factor        own   own%     rows     sigs   "
                               "   worth  mark      filename:lineno(function)\n");
  return result == 0 ? out_score_flush(report) : result;
}

/* A time and its part of the whole. */
static void put_time(struct out_text *line, bool is_known, double seconds, double whole)
{
  if (!is_known) {
    out_text_printf(line, " %10s %6s", "?", "?");
    return;
  }
  out_text_putc(line, ' ');
  out_put_scaled(line, seconds, 10);
  out_text_putc(line, ' ');
  out_text_decimals(line, whole > 0 ? seconds / whole * 100 : 0, 6, 1);
}

static void put_number(struct out_text *line, bool is_known, double number)
{
  if (!is_known || !isfinite(number))
    out_text_printf(line, " %8s", "?");
  else
    out_text_printf(line, " "), out_text_decimals(line, number, 8, number < 1e4 ? 3 : 0);
}

static int put_function(struct out_score_report *report, const struct out_score_function *function)
{
  const struct out_score_costs *costs = &report->score->costs;
  const struct out_score_cost *cost = function->cost;
  bool is_known = out_score_is_known(report->score);
  struct out_text *line = &report->line;
  out_text_integer(line, cost->calls, 9);
  out_text_putc(line, ' ');
  out_text_integer(line, cost->timed, 9);
  put_time(line, is_known, cost->hooks, costs->hooks);
  put_number(line, is_known, costs->own > 0 ? cost->hooks / costs->own : INFINITY);
  put_time(line, is_known, cost->own, costs->all_own);
  out_text_printf(line, " %8u %8u", function->rows, function->signatures);
  put_number(line, is_known, function->worth);
  const char *mark = function->left_out ? "out" : out_score_reason_name(function->reason);
  out_text_printf(line, "  %-8s  ", mark);
  out_row_name(&report->names, &out_rows_at(&report->score->stats->rows, function->row)->key, &report->scratch, line);
  out_text_putc(line, '\n');
  return out_score_flush(report);
}

static int end(struct out_score_report *report, int result)
{
  if (result < 0)
    return result;
  out_text_putc(&report->line, '\n');
  result = out_score_flush(report);
  return result == 0 ? out_notes(report->score->stats, put_line, report) : result;
}

const struct out_score_format out_score_table_format = {"table", begin, put_function, end};
