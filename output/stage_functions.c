#include "stage_functions.h"

#include <errno.h>
#include <string.h>

#include "message.h"
#include "object.h"
#include "text.h"

/* A glob that only the label matches: its brackets mean themselves. */
static void escape(const char *label, struct cs_text *glob)
{
  for (; *label; label++) {
    if (strchr("\\*?[]", *label))
      cs_text_putc(glob, '\\');
    cs_text_putc(glob, *label);
  }
}

static int select_stage(struct callsig_stats *stats, const char *label)
{
  struct cs_text glob = {0};
  escape(label, &glob);
  struct callsig_stats_filter filter = {.size = sizeof filter, .stage = cs_text_string(&glob)};
  int result = glob.failed ? cs_stats_no_memory() : callsig_stats_filter(stats, &filter);
  cs_text_free(&glob);
  if (result == 0)
    result = callsig_stats_group(stats, CALLSIG_BY_SIGNATURE);
  if (result == 0)
    result = callsig_stats_sort(stats, "tottime");
  return result == 0 ? cs_stats_prepare(stats) : result;
}

static int add(struct cs_stage_functions *functions, const struct cs_names *names, const struct cs_row *row,
               double tick, double share)
{
  struct cs_text text = {0};
  struct cs_arguments scratch = {0};
  cs_row_name(names, &row->key, &scratch, &text);
  struct cs_stage_function *added = cs_vector_add(&functions->list, 1);
  const char *name = text.failed ? NULL : cs_arena_copy(&functions->strings, cs_text_string(&text), text.length);
  cs_text_free(&text);
  cs_arguments_free(&scratch);
  if (!added || !name)
    return cs_stats_no_memory();
  *added = (struct cs_stage_function){
      .name = name, .ncalls = row->calls, .tottime = (double)row->own * tick, .share = share};
  return 0;
}

int cs_stage_functions(struct callsig_stats *stats, const char *label, unsigned most,
                       struct cs_stage_functions *functions)
{
  functions->list.entry_size = sizeof(struct cs_stage_function);
  int result = select_stage(stats, label);
  if (result < 0)
    return result;
  struct cs_names names = cs_stats_names(stats);
  const double tick = stats->grouping.tick, whole = stats->total.time;
  for (uint32_t i = 0; i < stats->listed && result == 0; i++) {
    const struct cs_row *row = cs_rows_at(&stats->rows, stats->order[i]);
    const struct cs_known_function *function = cs_row_function(&names, &row->key);
    double share = whole > 0 ? (double)row->own * tick / whole : 0;
    /* Below a stage's tasks, what is written like an action and is not one is the task itself. */
    const char *name = cs_profile_string(&stats->profile, function->name);
    if (function->is_action && strlen(name) == strlen(label) + 2 && strncmp(name + 1, label, strlen(label)) == 0)
      functions->task_share += share;
    else if (functions->list.count < most && row->own > 0)
      result = add(functions, &names, row, tick, share);
  }
  return result;
}

void cs_stage_functions_free(struct cs_stage_functions *functions)
{
  cs_vector_free(&functions->list);
  cs_arena_free(&functions->strings);
}
