/* The report of `callsig scaling` as CSV (RFC 4180): docs/scaling.md lists the columns. */
#include <errno.h>

#include "output/notes/notes.h"
#include "output/scaling/report.h"
#include "output/scaling/wording.h"
#include "output/text/csv_field.h"
#include "output/text/message.h"

static int begin(struct out_scaling_report *report)
{
  out_text_puts(&report->line,
                "file,line,function,where,stage,thread,module,process,rank,ncalls,tottime,cumtime,verdict,law,formula,"
                "error,r2,points,range,rivals,warnings\r\n");
  return out_scaling_flush(report);
}

static void put_double(struct out_scaling_report *report, bool is_there, double value)
{
  out_text_putc(&report->line, ',');
  if (is_there)
    out_text_double(&report->line, value, false);
}

/* The field that was made in the text. */
static void put_text(struct out_scaling_report *report)
{
  out_csv_field(&report->line, out_text_string(&report->text));
  out_text_clear(&report->text);
}

static void put_function(struct out_scaling_report *report, const struct out_row_key *key, const char *where)
{
  const struct out_profile *profile = &report->stats->profile;
  const struct out_known_function *function = out_row_function(&report->names, key);
  out_csv_field(&report->line, out_profile_string(profile, function->file));
  out_text_printf(&report->line, ",%u", function->line);
  out_csv_field(&report->line, out_profile_string(profile, function->name));
  out_csv_field(&report->line, where);
  out_csv_field(&report->line, key->stage == FMT_NONE ? NULL : out_row_stage(&report->names, key));
  out_csv_field(&report->line, key->thread == FMT_NONE ? NULL : out_profile_string(profile, key->thread));
  out_csv_field(&report->line, key->module == FMT_NONE ? NULL : out_profile_string(profile, key->module));
  out_csv_field(&report->line, out_row_process(&report->names, key));
  out_csv_field(&report->line, out_row_rank(&report->names, key));
}

static int add_warning(const char *warning, void *data)
{
  struct out_text *all = data;
  out_text_printf(all, "%s%s", all->length > 0 ? "; " : "", warning);
  return 0;
}

static int put_warnings(struct out_scaling_report *report, const struct out_scaling_entry *entry,
                        const struct out_scaling_finding *finding)
{
  struct out_text all = {0};
  int result = out_scaling_warnings(entry->analysis, finding, &report->text, add_warning, &all);
  if (finding->kind > OUT_SCALING_CONSTANT)
    out_scaling_put_reason(&all, entry->analysis, finding);
  out_csv_field(&report->line, out_text_string(&all));
  out_text_clear(&report->text);
  report->line.failed |= all.failed;
  out_text_free(&all);
  return result;
}

static void put_verdict(struct out_scaling_report *report, const struct out_scaling_entry *entry,
                        const struct out_scaling_finding *finding)
{
  bool is_found = finding->kind <= OUT_SCALING_CONSTANT;
  out_text_clear(&report->text);
  out_csv_field(&report->line, out_scaling_kind_name(finding->kind));
  if (is_found)
    out_law_name(&finding->verdict.fit.law, finding->names, &report->text);
  put_text(report);
  if (is_found)
    out_scaling_put_formula(&report->text, finding);
  put_text(report);
  put_double(report, is_found, finding->verdict.fit.left_out);
  put_double(report, finding->kind == OUT_SCALING_LAW, finding->verdict.fit.explained);
  out_text_printf(&report->line, ",%u", finding->points.count);
  if (is_found)
    out_scaling_put_range(&report->text, entry->analysis, finding);
  put_text(report);
  for (uint32_t i = 0; i < finding->verdict.rivals.count; i++) {
    if (i > 0)
      out_text_puts(&report->text, "; ");
    out_law_name(base_vector_at(&finding->verdict.rivals, i), finding->names, &report->text);
  }
  put_text(report);
}

static int put_finding(struct out_scaling_report *report, const struct out_scaling_entry *entry,
                       const struct out_scaling_finding *finding)
{
  uint64_t calls = 0;
  double own = 0;
  for (uint32_t i = 0; i < finding->row_count; i++) {
    const struct out_scaling_row *row = &entry->samples->rows[finding->rows[i]];
    calls += row->calls;
    own += row->shown_own;
  }
  /* Signatures of one function lie within each other: their cumulative times do not add up to the function's. */
  put_function(report, &entry->function->key, finding->where);
  out_text_printf(&report->line, ",%llu", (unsigned long long)calls);
  put_double(report, true, own);
  put_double(report, !finding->where, (double)entry->function->cumulative * report->stats->grouping.tick);
  put_verdict(report, entry, finding);
  int result = put_warnings(report, entry, finding);
  out_text_puts(&report->line, "\r\n");
  return result == 0 ? out_scaling_flush(report) : result;
}

static int end(struct out_scaling_report *report, int result)
{
  if (result < 0)
    return result;
  return out_notes_tell(report->stats);
}

const struct out_scaling_format out_scaling_csv_format = {"csv", begin, put_finding, end};
