/* The report of `callsig scaling` as text. */
#include <errno.h>

#include "notes.h"
#include "report.h"
#include "wording.h"

#define INDENT "                     "

static int begin(struct cs_scaling_report *report)
{
  const struct cs_scaling_measure *measure = &report->measure;
  bool is_outermost = !measure->own && measure->statistic != CS_STATISTIC_MINIMUM;
  cs_text_printf(&report->line, "   Laws of the %s time per %scall: %s\n", measure->own ? "own" : "cumulative",
                 is_outermost ? "outermost " : "", cs_scaling_statistic_text(measure->statistic));
  cs_text_printf(&report->line, "   Ordered by: %s\n%s\n", report->stats->sort.title, report->message);
  cs_text_puts(&report->line,
               "   ncalls       time  law                           error     R2  filename:lineno(function)\n");
  return cs_scaling_flush(report);
}

static void put_name(struct cs_scaling_report *report, const struct cs_scaling_entry *entry,
                     const struct cs_scaling_finding *finding)
{
  cs_row_name(&report->names, &entry->function->key, &report->scratch, &report->line);
  if (finding->where)
    cs_text_printf(&report->line, " [%s]", finding->where);
}

/* The law, and how well it fits. */
static void put_law(struct cs_scaling_report *report, const struct cs_scaling_finding *finding)
{
  struct cs_text *text = &report->text;
  cs_text_clear(text);
  if (finding->kind > CS_SCALING_CONSTANT)
    cs_text_puts(text, finding->kind == CS_SCALING_NONE ? "none" : cs_scaling_kind_name(finding->kind));
  else
    cs_law_name(&finding->verdict.fit.law, finding->names, text);
  cs_text_printf(&report->line, "  %-26s", cs_text_string(text));
  cs_text_clear(text);
  if (finding->kind <= CS_SCALING_CONSTANT)
    cs_scaling_put_percent(text, finding->verdict.fit.left_out);
  cs_text_printf(&report->line, " %8s ", cs_text_string(text));
  if (finding->kind == CS_SCALING_LAW)
    cs_text_fixed(&report->line, finding->verdict.fit.explained, 6);
  else
    cs_text_puts(&report->line, "      ");
}

static int put_warning(const char *warning, void *data)
{
  struct cs_scaling_report *report = data;
  cs_text_printf(&report->line, INDENT "warning: %s\n", warning);
  return 0;
}

/* The time that the law is of, of all calls together. Of a part of a function's calls it is the sum over its
 * signatures, which counts calls within calls twice. */
static double time_of(const struct cs_scaling_report *report, const struct cs_scaling_entry *entry,
                      const struct cs_scaling_finding *finding)
{
  const struct cs_row *function = entry->function;
  double sum = 0;
  if (!finding->where)
    return (double)(report->measure.own ? function->own : function->cumulative) * report->stats->grouping.tick;
  for (uint32_t i = 0; i < finding->row_count; i++) {
    const struct cs_scaling_row *row = &entry->samples->rows[finding->rows[i]];
    sum += report->measure.own ? row->own : row->cumulative;
  }
  return sum;
}

static int put_finding(struct cs_scaling_report *report, const struct cs_scaling_entry *entry,
                       const struct cs_scaling_finding *finding)
{
  struct cs_text *line = &report->line;
  uint64_t calls = 0;
  for (uint32_t i = 0; i < finding->row_count; i++)
    calls += entry->samples->rows[finding->rows[i]].calls;
  cs_text_clear(&report->text);
  cs_scaling_put_time(&report->text, time_of(report, entry, finding));
  cs_text_printf(line, "%9llu %10s", (unsigned long long)calls, cs_text_string(&report->text));
  put_law(report, finding);
  cs_text_puts(line, "  ");
  put_name(report, entry, finding);
  cs_text_putc(line, '\n');
  cs_text_puts(line, INDENT);
  if (finding->kind <= CS_SCALING_CONSTANT) {
    cs_text_puts(line, "= ");
    cs_scaling_put_formula(line, finding);
    cs_text_puts(line, "; ");
    cs_scaling_put_range(line, entry->analysis, finding);
  } else {
    cs_scaling_put_reason(line, entry->analysis, finding);
  }
  cs_text_putc(line, '\n');
  int result = cs_scaling_warnings(entry->analysis, finding, &report->text, put_warning, report);
  return result == 0 ? cs_scaling_flush(report) : result;
}

static int put(struct cs_scaling_report *report, const struct cs_scaling_entry *entry)
{
  int result = 0;
  for (uint32_t i = 0; i < entry->analysis->findings.count && result == 0; i++)
    result = put_finding(report, entry, cs_vector_at(&entry->analysis->findings, i));
  return result;
}

static int put_note(const char *note, void *data)
{
  struct cs_scaling_report *report = data;
  cs_text_printf(&report->line, "%s\n", note);
  return cs_scaling_flush(report);
}

static void put_skipped(struct cs_scaling_report *report, enum cs_scaling_kind kind, const char *what,
                        const char **separator)
{
  if (report->skipped[kind] == 0)
    return;
  cs_text_printf(&report->line, "%s%s: %u", *separator, what, report->skipped[kind]);
  *separator = "; ";
}

static int end(struct cs_scaling_report *report, int result)
{
  if (result < 0)
    return result;
  const char *separator = "not listed (--all does), functions ";
  cs_text_putc(&report->line, '\n');
  put_skipped(report, CS_SCALING_FEW, "with too few values", &separator);
  put_skipped(report, CS_SCALING_NO_NUMBER, "without a number among their arguments", &separator);
  put_skipped(report, CS_SCALING_SHORT, "too short for the clock", &separator);
  if (report->line.length > 1)
    cs_text_putc(&report->line, '\n');
  result = cs_scaling_flush(report);
  return result == 0 ? cs_notes(report->stats, put_note, report) : result;
}

const struct cs_scaling_format cs_scaling_table_format = {"table", begin, put, end};
