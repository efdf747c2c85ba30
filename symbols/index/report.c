/*
 * Keeps what was made of every site until --explain and --coverage write their texts.
 */
#include "symbols/index/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sym_report_new(const struct base_strings *strings, struct sym_planner *planner, struct sym_report **report)
{
  *report = calloc(1, sizeof **report);
  if (!*report)
    return -ENOMEM;
  (*report)->planner = planner;
  (*report)->strings = strings;
  return 0;
}

void sym_report_free(struct sym_report *report)
{
  if (!report)
    return;
  base_arena_free(&report->arena);
  free(report->sites);
  free(report);
}

int sym_report_add(struct sym_report *report, const struct sym_report_site *site)
{
  if (report->count == report->capacity) {
    size_t capacity = report->capacity ? report->capacity * 2 : 256;
    struct sym_report_site *sites = realloc(report->sites, capacity * sizeof *sites);
    if (!sites)
      return -ENOMEM;
    report->sites = sites;
    report->capacity = capacity;
  }
  struct sym_report_site *kept = &report->sites[report->count];
  *kept = *site;
  kept->file = base_arena_copy(&report->arena, site->file, strlen(site->file));
  kept->ops = base_arena_copy(&report->arena, site->ops, site->op_count * sizeof *site->ops);
  kept->lost = base_arena_copy(&report->arena, site->lost, site->plan ? site->plan->arg_count : 0);
  if (!kept->file || !kept->ops || !kept->lost)
    return -ENOMEM;
  report->count++;
  return 0;
}
