#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static const char *const kind_texts[] = {
    [CS_ARG_VALUE] = "value",
    [CS_ARG_NULLNESS] = "pointer or NULL",
    [CS_ARG_TYPE] = "type only",
    [CS_ARG_STRING] = "string",
    [CS_ARG_BUCKET_LOG2] = "log2 bucket",
    [CS_ARG_BUCKET_RANGE] = "bucket",
    [CS_ARG_FLOAT] = "value",
    [CS_ARG_SPAN] = "elements",
    [CS_ARG_GROUP] = "group",
    [CS_ARG_IGNORED] = "ignored",
};

/* The order of the text: functions by file, line and name; sites by address. */
static int compare(const void *left, const void *right)
{
  const struct cs_report_site *a = left, *b = right;
  int files = strcmp(a->file, b->file);
  if (files != 0)
    return files;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  if (a->function != b->function)
    return a->function < b->function ? -1 : 1;
  return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static const char *arg_name(const struct cs_report *report, const struct cs_plan *plan, uint16_t arg)
{
  const char *name = cs_strings_at(report->strings, plan->args[arg].arg.name);
  return *name ? name : "(pointer)";
}

static void explain_arg(const struct cs_report *report, const struct cs_plan *plan, uint16_t arg, FILE *out)
{
  const struct cs_plan_arg *planned = &plan->args[arg];
  const struct cs_index_type *type = cs_types_at(cs_planner_types(report->planner), planned->arg.type);
  fprintf(out, "  %s: %s, %s", arg_name(report, plan, arg), cs_strings_at(report->strings, type->name),
          kind_texts[planned->arg.kind]);
  if (planned->arg.join != UINT16_MAX)
    fprintf(out, " [%s]", arg_name(report, plan, planned->arg.join));
  if (*planned->why)
    fprintf(out, " (%s)", planned->why);
  fputc('\n', out);
}

static void explain_plan(const struct cs_report *report, const struct cs_report_site *site, FILE *out)
{
  if (!site->plan) {
    fprintf(out, "%s:%" PRIu32 ": function without debug information\n", site->file, site->line);
    return;
  }
  const struct cs_plan *plan = site->plan;
  fprintf(out, "%s:%" PRIu32 ": %s\n", site->file, site->line, cs_strings_at(report->strings, plan->name));
  for (uint16_t arg = 0; arg < plan->arg_count; arg++)
    explain_arg(report, plan, arg, out);
  for (const char *const *note = plan->notes; *note; note++)
    fprintf(out, "  note: %s\n", *note);
}

static int explain_site(const struct cs_report *report, const struct cs_report_site *site, FILE *out)
{
  fprintf(out, "  site %#" PRIx64, site->pc);
  if (site->inlined)
    fprintf(out, " inlined at line %" PRIu32, site->site_line);
  const char *separator = ": ";
  for (uint16_t arg = 0; site->plan && arg < site->plan->arg_count; arg++) {
    bool is_lost = site->lost[arg] != CS_LOST_NOT;
    if (!is_lost && cs_source_of(site->ops, site->op_count, arg) == CS_SOURCE_TYPE)
      continue;
    fprintf(out, "%s%s=", separator, arg_name(report, site->plan, arg));
    separator = "; ";
    if (is_lost)
      fprintf(out, "? (lost: %s)", cs_lost_text(site->lost[arg]));
    else
      cs_ops_print(site->ops, site->op_count, arg, out);
  }
  fputc('\n', out);
  return ferror(out) ? -EIO : 0;
}

int cs_report_explain(struct cs_report *report, const char *module, FILE *out)
{
  if (report->count)
    qsort(report->sites, report->count, sizeof *report->sites, compare);
  fprintf(out, "%s\n", module);
  for (size_t i = 0; i < report->count; i++) {
    const struct cs_report_site *site = &report->sites[i];
    if (i == 0 || site[-1].function != site->function)
      explain_plan(report, site, out);
    int result = explain_site(report, site, out);
    if (result < 0)
      return result;
  }
  return ferror(out) ? -EIO : 0;
}
