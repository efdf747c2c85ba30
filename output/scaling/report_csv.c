/* The report of `callsig scaling` as CSV (RFC 4180): docs/scaling.md lists the columns. */
#include <errno.h>

#include "csv.h"
#include "message.h"
#include "notes.h"
#include "report.h"
#include "wording.h"

static int begin(struct cs_scaling_report *report)
{
  cs_text_puts(&report->line,
               "file,line,function,where,stage,thread,module,process,rank,ncalls,tottime,cumtime,verdict,law,formula,"
               "error,r2,points,range,rivals,warnings\r\n");
  return cs_scaling_flush(report);
}

static void put_double(struct cs_scaling_report *report, bool is_there, double value)
{
  cs_text_putc(&report->line, ',');
  if (is_there)
    cs_text_double(&report->line, value, false);
}

/* The field that was made in the text. */
static void put_text(struct cs_scaling_report *report)
{
  cs_csv_field(&report->line, cs_text_string(&report->text));
  cs_text_clear(&report->text);
}

static void put_function(struct cs_scaling_report *report, const struct cs_row_key *key, const char *where)
{
  const struct cs_profile *profile = &report->stats->profile;
  const struct cs_known_function *function = cs_row_function(&report->names, key);
  cs_csv_field(&report->line, cs_profile_string(profile, function->file));
  cs_text_printf(&report->line, ",%u", function->line);
  cs_csv_field(&report->line, cs_profile_string(profile, function->name));
  cs_csv_field(&report->line, where);
  cs_csv_field(&report->line, key->stage == CS_NONE ? NULL : cs_row_stage(&report->names, key));
  cs_csv_field(&report->line, key->thread == CS_NONE ? NULL : cs_profile_string(profile, key->thread));
  cs_csv_field(&report->line, key->module == CS_NONE ? NULL : cs_profile_string(profile, key->module));
  cs_csv_field(&report->line, cs_row_process(&report->names, key));
  cs_csv_field(&report->line, cs_row_rank(&report->names, key));
}

static int add_warning(const char *warning, void *data)
{
  struct cs_text *all = data;
  cs_text_printf(all, "%s%s", all->length > 0 ? "; " : "", warning);
  return 0;
}

static int put_warnings(struct cs_scaling_report *report, const struct cs_scaling_entry *entry,
                        const struct cs_scaling_finding *finding)
{
  struct cs_text all = {0};
  int result = cs_scaling_warnings(entry->analysis, finding, &report->text, add_warning, &all);
  if (finding->kind > CS_SCALING_CONSTANT)
    cs_scaling_put_reason(&all, entry->analysis, finding);
  cs_csv_field(&report->line, cs_text_string(&all));
  cs_text_clear(&report->text);
  report->line.failed |= all.failed;
  cs_text_free(&all);
  return result;
}

static void put_verdict(struct cs_scaling_report *report, const struct cs_scaling_entry *entry,
                        const struct cs_scaling_finding *finding)
{
  bool is_found = finding->kind <= CS_SCALING_CONSTANT;
  cs_text_clear(&report->text);
  cs_csv_field(&report->line, cs_scaling_kind_name(finding->kind));
  if (is_found)
    cs_law_name(&finding->verdict.fit.law, finding->names, &report->text);
  put_text(report);
  if (is_found)
    cs_scaling_put_formula(&report->text, finding);
  put_text(report);
  put_double(report, is_found, finding->verdict.fit.left_out);
  put_double(report, finding->kind == CS_SCALING_LAW, finding->verdict.fit.explained);
  cs_text_printf(&report->line, ",%u", finding->points.count);
  if (is_found)
    cs_scaling_put_range(&report->text, entry->analysis, finding);
  put_text(report);
  for (uint32_t i = 0; i < finding->verdict.rivals.count; i++) {
    if (i > 0)
      cs_text_puts(&report->text, "; ");
    cs_law_name(cs_vector_at(&finding->verdict.rivals, i), finding->names, &report->text);
  }
  put_text(report);
}

static int put_finding(struct cs_scaling_report *report, const struct cs_scaling_entry *entry,
                       const struct cs_scaling_finding *finding)
{
  uint64_t calls = 0;
  double own = 0, cumulative = 0;
  for (uint32_t i = 0; i < finding->row_count; i++) {
    const struct cs_scaling_row *row = &entry->samples->rows[finding->rows[i]];
    calls += row->calls;
    own += row->own;
    cumulative += row->cumulative;
  }
  /* Signatures of one function lie within each other: their cumulative times do not add up to the function's. */
  if (!finding->where)
    cumulative = (double)entry->function->cumulative * report->stats->grouping.tick;
  put_function(report, &entry->function->key, finding->where);
  cs_text_printf(&report->line, ",%llu", (unsigned long long)calls);
  put_double(report, true, own);
  put_double(report, !finding->where, cumulative);
  put_verdict(report, entry, finding);
  int result = put_warnings(report, entry, finding);
  cs_text_puts(&report->line, "\r\n");
  return result == 0 ? cs_scaling_flush(report) : result;
}

static int put(struct cs_scaling_report *report, const struct cs_scaling_entry *entry)
{
  int result = 0;
  for (uint32_t i = 0; i < entry->analysis->findings.count && result == 0; i++)
    result = put_finding(report, entry, cs_vector_at(&entry->analysis->findings, i));
  return result;
}

static int tell_note(const char *note, void *data)
{
  (void)data;
  cs_stats_message("%s", note);
  return 0;
}

static int end(struct cs_scaling_report *report, int result)
{
  if (result < 0)
    return result;
  return cs_notes(report->stats, tell_note, NULL);
}

const struct cs_scaling_format cs_scaling_csv_format = {"csv", begin, put, end};
