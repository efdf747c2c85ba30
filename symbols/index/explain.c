/*
 * The text of --explain: every function with its args and plan, and below it where they are at each of its sites.
 */
#include "symbols/index/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "format/sled.h"
#include "symbols/capture/lost.h"
#include "symbols/capture/optext.h"
#include "symbols/capture/value_source.h"

static const char *const kind_texts[] = {
    [FMT_ARG_VALUE] = "value",
    [FMT_ARG_NULLNESS] = "pointer or NULL",
    [FMT_ARG_TYPE] = "type only",
    [FMT_ARG_STRING] = "string",
    [FMT_ARG_BUCKET_LOG2] = "log2 bucket",
    [FMT_ARG_BUCKET_RANGE] = "bucket",
    [FMT_ARG_FLOAT] = "value",
    [FMT_ARG_SPAN] = "elements",
    [FMT_ARG_GROUP] = "group",
    [FMT_ARG_IGNORED] = "ignored",
};

/* The order of the text: functions by file, line and name; sites by address. */
static int compare(const void *left, const void *right)
{
  const struct sym_report_site *a = left, *b = right;
  int files = strcmp(a->file, b->file);
  if (files != 0)
    return files;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  if (a->function != b->function)
    return a->function < b->function ? -1 : 1;
  return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static const char *arg_name(const struct sym_report *report, const struct sym_plan *plan, uint16_t arg)
{
  const char *name = base_strings_at(report->strings, plan->args[arg].arg.name);
  return *name ? name : "(pointer)";
}

static void explain_arg(const struct sym_report *report, const struct sym_plan *plan, uint16_t arg, FILE *out)
{
  const struct sym_plan_arg *planned = &plan->args[arg];
  const struct fmt_index_type *type = sym_types_at(sym_planner_types(report->planner), planned->arg.type);
  base_print(out, "  %s: %s, %s", arg_name(report, plan, arg), base_strings_at(report->strings, type->name),
             kind_texts[planned->arg.kind]);
  if (planned->arg.join != UINT16_MAX)
    base_print(out, " [%s]", arg_name(report, plan, planned->arg.join));
  if (*planned->why)
    base_print(out, " (%s)", planned->why);
  fputc('\n', out);
}

static void explain_plan(const struct sym_report *report, const struct sym_report_site *site, FILE *out)
{
  if (!site->plan) {
    base_print(out, "%s:%" PRIu32 ": function without debug information\n", site->file, site->line);
    return;
  }
  const struct sym_plan *plan = site->plan;
  base_print(out, "%s:%" PRIu32 ": %s\n", site->file, site->line, base_strings_at(report->strings, plan->name));
  for (uint16_t arg = 0; arg < plan->arg_count; arg++)
    explain_arg(report, plan, arg, out);
  for (const char *const *note = plan->notes; *note; note++)
    base_print(out, "  note: %s\n", *note);
}

static int explain_site(const struct sym_report *report, const struct sym_report_site *site, FILE *out)
{
  base_print(out, "  %s %#" PRIx64, site->is_sled ? "sled" : "site",
             site->is_sled ? site->pc - FMT_SLED_CALL : site->pc);
  if (site->inlined)
    base_print(out, " inlined at line %" PRIu32, site->site_line);
  const char *separator = ": ";
  for (uint16_t arg = 0; site->plan && arg < site->plan->arg_count; arg++) {
    bool is_lost = site->lost[arg] != SYM_LOST_NOT;
    if (site->plan->args[arg].arg.flags & FMT_ARG_RETURN) {
      base_print(out, "%sreturn=%s", separator,
                 site->returns ? "(where it returns)" : "? (not known where it returns)");
      separator = "; ";
      continue;
    }
    if (!is_lost && sym_source_of(site->ops, site->op_count, arg) == SYM_SOURCE_TYPE)
      continue;
    base_print(out, "%s%s=", separator, arg_name(report, site->plan, arg));
    separator = "; ";
    if (is_lost)
      base_print(out, "? (lost: %s)", sym_lost_text(site->lost[arg]));
    else
      sym_ops_print(site->processor, site->ops, site->op_count, arg, out);
  }
  fputc('\n', out);
  return ferror(out) ? -EIO : 0;
}

int sym_report_explain(struct sym_report *report, const char *module, FILE *out)
{
  if (report->count)
    qsort(report->sites, report->count, sizeof *report->sites, compare);
  base_print(out, "%s\n", module);
  for (size_t i = 0; i < report->count; i++) {
    const struct sym_report_site *site = &report->sites[i];
    if (i == 0 || site[-1].function != site->function)
      explain_plan(report, site, out);
    int result = explain_site(report, site, out);
    if (result < 0)
      return result;
  }
  return ferror(out) ? -EIO : 0;
}
