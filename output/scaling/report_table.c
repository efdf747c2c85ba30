/* The report of `callsig scaling` as text. */
#include <errno.h>

#include "output/notes/notes.h"
#include "output/scaling/figures.h"
#include "output/scaling/report.h"
#include "output/scaling/wording.h"

#define INDENT "                     "

static int begin(struct out_scaling_report *report)
{
  const struct out_scaling_measure *measure = &report->measure;
  bool is_outermost = !measure->own && measure->statistic != OUT_STATISTIC_MINIMUM;
  out_text_printf(&report->line, "   Laws of the %s time per %scall: %s\n", measure->own ? "own" : "cumulative",
                  is_outermost ? "outermost " : "", out_scaling_statistic_text(measure->statistic));
  out_text_printf(&report->line, "   Ordered by: %s\n%s\n", report->stats->sort.title, report->message);
  out_text_puts(&report->line,
                "   ncalls       time  law                           error     R2  filename:lineno(function)\n");
  return out_scaling_flush(report);
}

static void put_name(struct out_scaling_report *report, const struct out_scaling_entry *entry,
                     const struct out_scaling_finding *finding)
{
  out_row_name(&report->names, &entry->function->key, &report->scratch, &report->line);
  if (finding->where)
    out_text_printf(&report->line, " [%s]", finding->where);
}

/* The law, and how well it fits. */
static void put_law(struct out_scaling_report *report, const struct out_scaling_finding *finding)
{
  struct out_text *text = &report->text;
  out_text_clear(text);
  if (finding->kind > OUT_SCALING_CONSTANT)
    out_text_puts(text, finding->kind == OUT_SCALING_NONE ? "none" : out_scaling_kind_name(finding->kind));
  else
    out_law_name(&finding->verdict.fit.law, finding->names, text);
  out_text_printf(&report->line, "  %-26s", out_text_string(text));
  out_text_clear(text);
  if (finding->kind <= OUT_SCALING_CONSTANT)
    out_scaling_put_percent(text, finding->verdict.fit.left_out);
  out_text_printf(&report->line, " %8s ", out_text_string(text));
  if (finding->kind == OUT_SCALING_LAW)
    out_text_fixed(&report->line, finding->verdict.fit.explained, 6);
  else
    out_text_puts(&report->line, "      ");
}

static int put_warning(const char *warning, void *data)
{
  struct out_scaling_report *report = data;
  out_text_printf(&report->line, INDENT "warning: %s\n", warning);
  return 0;
}

/* The time of all calls together that the law is of one of, as a report shows it: "-" where it is not known. Calls of a
 * part may lie within each other where the function calls itself, and their sum would count these twice. */
static void put_time(struct out_scaling_report *report, const struct out_scaling_entry *entry,
                     const struct out_scaling_finding *finding)
{
  const struct out_row *function = entry->function;
  const bool is_own = report->measure.own;
  double sum = 0;
  for (uint32_t i = 0; i < finding->row_count; i++) {
    const struct out_scaling_row *row = &entry->samples->rows[finding->rows[i]];
    sum += is_own ? row->shown_own : row->shown_cumulative;
  }
  if (!finding->where)
    sum = (double)(is_own ? function->own : function->cumulative) * report->stats->grouping.tick;
  out_text_clear(&report->text);
  if (finding->where && !is_own && function->calls != function->primitive)
    out_text_putc(&report->text, '-');
  else
    out_scaling_put_time(&report->text, sum);
}

static int put_finding(struct out_scaling_report *report, const struct out_scaling_entry *entry,
                       const struct out_scaling_finding *finding)
{
  struct out_text *line = &report->line;
  uint64_t calls = 0;
  for (uint32_t i = 0; i < finding->row_count; i++)
    calls += entry->samples->rows[finding->rows[i]].calls;
  put_time(report, entry, finding);
  out_text_printf(line, "%9llu %10s", (unsigned long long)calls, out_text_string(&report->text));
  put_law(report, finding);
  out_text_puts(line, "  ");
  put_name(report, entry, finding);
  out_text_putc(line, '\n');
  out_text_puts(line, INDENT);
  if (finding->kind <= OUT_SCALING_CONSTANT) {
    out_text_puts(line, "= ");
    out_scaling_put_formula(line, finding);
    out_text_puts(line, "; ");
    out_scaling_put_range(line, entry->analysis, finding);
  } else {
    out_scaling_put_reason(line, entry->analysis, finding);
  }
  out_text_putc(line, '\n');
  int result = out_scaling_warnings(entry->analysis, finding, &report->text, put_warning, report);
  return result == 0 ? out_scaling_flush(report) : result;
}

static int put_note(const char *note, void *data)
{
  struct out_scaling_report *report = data;
  out_text_printf(&report->line, "%s\n", note);
  return out_scaling_flush(report);
}

static void put_skipped(struct out_scaling_report *report, enum out_scaling_kind kind, const char *what,
                        const char **separator)
{
  if (report->skipped[kind] == 0)
    return;
  out_text_printf(&report->line, "%s%s: %u", *separator, what, report->skipped[kind]);
  *separator = "; ";
}

static int end(struct out_scaling_report *report, int result)
{
  if (result < 0)
    return result;
  const char *separator = "not listed (--all does), functions ";
  out_text_putc(&report->line, '\n');
  put_skipped(report, OUT_SCALING_FEW, "with too few values", &separator);
  put_skipped(report, OUT_SCALING_NO_NUMBER, "without a number among their arguments", &separator);
  put_skipped(report, OUT_SCALING_SHORT, "too short for the clock", &separator);
  if (report->line.length > 1)
    out_text_putc(&report->line, '\n');
  result = out_scaling_flush(report);
  return result == 0 ? out_notes(report->stats, put_note, report) : result;
}

const struct out_scaling_format out_scaling_table_format = {"table", begin, put_finding, end};
