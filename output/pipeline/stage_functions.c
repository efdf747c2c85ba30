/* Finds the functions that a stage spends its time in. */
#include "output/pipeline/stage_functions.h"

#include <errno.h>
#include <string.h>

#include "output/stats/stats_object.h"
#include "output/text/message.h"
#include "output/text/text.h"

#define TEXT_SHARE 0.05 /* of the stage's time, outside of functions: a task's text is told */

/* A glob that only the label matches: its brackets mean themselves. */
static void escape(const char *label, struct out_text *glob)
{
  for (; *label; label++) {
    if (strchr("\\*?[]", *label))
      out_text_putc(glob, '\\');
    out_text_putc(glob, *label);
  }
}

static int select_stage(struct callsig_stats *stats, const char *label)
{
  struct out_text glob = {0};
  escape(label, &glob);
  struct callsig_stats_filter filter = {.size = sizeof filter, .stage = out_text_string(&glob)};
  int result = glob.failed ? out_stats_no_memory() : callsig_stats_filter(stats, &filter);
  out_text_free(&glob);
  if (result == 0)
    result = callsig_stats_group(stats, CALLSIG_BY_SIGNATURE);
  if (result == 0)
    result = callsig_stats_sort(stats, "tottime");
  return result == 0 ? out_stats_prepare(stats) : result;
}

static int add(struct out_stage_functions *functions, const struct out_names *names, const struct out_row *row,
               double tick, double share)
{
  struct out_text text = {0};
  struct out_arguments scratch = {0};
  out_row_name(names, &row->key, &scratch, &text);
  struct out_stage_function *added = base_vector_add(&functions->list, 1);
  const char *name = text.failed ? NULL : base_arena_copy(&functions->strings, out_text_string(&text), text.length);
  out_text_free(&text);
  out_arguments_free(&scratch);
  if (!added || !name)
    return out_stats_no_memory();
  *added = (struct out_stage_function){
      .name = name, .ncalls = row->calls, .tottime = (double)row->own * tick, .share = share};
  return 0;
}

/* Was the task begun with a text? */
static bool has_text(const struct out_names *names, const struct out_row_key *key)
{
  struct out_text text = {0};
  struct out_arguments scratch = {0};
  out_row_arguments(names, key, &scratch, &text);
  const bool has = text.length > 0;
  out_arguments_free(&scratch);
  out_text_free(&text);
  return has;
}

int out_stage_functions(struct callsig_stats *stats, const char *label, unsigned most,
                        struct out_stage_functions *functions)
{
  functions->list.entry_size = sizeof(struct out_stage_function);
  int result = select_stage(stats, label);
  if (result < 0)
    return result;
  struct out_names names = out_stats_names(stats);
  const double tick = stats->grouping.tick, whole = stats->total.time;
  for (uint32_t i = 0; i < stats->listed && result == 0; i++) {
    const struct out_row *row = out_rows_at(&stats->rows, stats->order[i]);
    const struct out_known_function *function = out_row_function(&names, &row->key);
    double share = whole > 0 ? (double)row->own * tick / whole : 0;
    /* Below a stage's tasks, what is written like an action and is not one is the task itself. */
    const char *name = out_profile_string(&stats->profile, function->name);
    const bool is_task =
        function->is_action && strlen(name) == strlen(label) + 2 && strncmp(name + 1, label, strlen(label)) == 0;
    if (is_task)
      functions->task_share += share;
    /* Tasks are told by their texts, where these have time that no function has. */
    if (is_task && (share < TEXT_SHARE || !has_text(&names, &row->key)))
      continue;
    if (functions->list.count < most && row->own > 0)
      result = add(functions, &names, row, tick, share);
  }
  return result;
}

void out_stage_functions_free(struct out_stage_functions *functions)
{
  base_vector_free(&functions->list);
  base_arena_free(&functions->strings);
}
