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
               uint32_t number, double tick, double share)
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
  *added = (struct out_stage_function){.name = name,
                                       .ncalls = row->calls,
                                       .tottime = (double)row->own * tick,
                                       .share = share,
                                       .row = number,
                                       .waits = {.running = functions->task_waits.running}};
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

static bool is_task_of(const char *name, const struct out_known_function *function, const char *label)
{
  return function->is_action && strlen(name) == strlen(label) + 2 && strncmp(name + 1, label, strlen(label)) == 0;
}

/* Adds a look at a call of the edge to its function in the list, and to the task where it is none. */
static void add_wait(const struct callsig_stats *stats, const char *label, const struct fmt_rec_task_wait *wait,
                     struct out_stage_functions *functions)
{
  const struct out_names names = out_stats_names(stats);
  const uint32_t row = out_rows_of_edge(&stats->profile, &stats->grouping, &stats->rows, (uint32_t)(wait->edge - 1));
  if (row == FMT_NONE)
    return;
  for (uint32_t i = 0; i < functions->list.count; i++) {
    struct out_stage_function *function = base_vector_at(&functions->list, i);
    if (function->row == row)
      out_waits_add(&function->waits, wait->kind, wait->looks);
  }
  const struct out_known_function *function = out_row_function(&names, &out_rows_at(&stats->rows, row)->key);
  if (is_task_of(out_profile_string(&stats->profile, function->name), function, label))
    out_waits_add(&functions->task_waits, wait->kind, wait->looks);
}

/* What the functions in the list were found waiting for. */
static void find_waits(const struct callsig_stats *stats, const char *label, struct out_stage_functions *functions)
{
  const struct out_stage_records *kept = &stats->profile.stage_records;
  for (uint32_t i = 0; i < kept->tasks.count; i++) {
    const struct out_tasks_record *tasks = base_vector_at(&kept->tasks, i);
    const struct out_stage_record *stage = base_vector_at(&kept->stages, tasks->stage);
    if (strcmp(out_profile_string(&stats->profile, out_profile_stage(&stats->profile, stage->stage)->label), label) !=
        0)
      continue;
    for (unsigned j = 0; j < FMT_WAIT_SLOTS; j++)
      if (tasks->waits.slots[j].edge)
        add_wait(stats, label, &tasks->waits.slots[j], functions);
  }
}

int out_stage_functions(struct callsig_stats *stats, const char *label, unsigned most, double running,
                        struct out_stage_functions *functions)
{
  functions->list.entry_size = sizeof(struct out_stage_function);
  functions->task_waits.running = running;
  int result = select_stage(stats, label);
  if (result < 0)
    return result;
  struct out_names names = out_stats_names(stats);
  const double tick = stats->grouping.tick, whole = stats->total.time;
  for (uint32_t i = 0; i < stats->listed && result == 0; i++) {
    const uint32_t number = stats->order[i];
    const struct out_row *row = out_rows_at(&stats->rows, number);
    const struct out_known_function *function = out_row_function(&names, &row->key);
    double share = whole > 0 ? (double)row->own * tick / whole : 0;
    /* Below a stage's tasks, what is written like an action and is not one is the task itself. */
    const char *name = out_profile_string(&stats->profile, function->name);
    const bool is_task = is_task_of(name, function, label);
    if (is_task)
      functions->task_share += share;
    /* Tasks are told by their texts, where these have time that no function has. */
    if (is_task && (share < TEXT_SHARE || !has_text(&names, &row->key)))
      continue;
    if (functions->list.count < most && row->own > 0)
      result = add(functions, &names, row, number, tick, share);
  }
  if (result == 0)
    find_waits(stats, label, functions);
  return result;
}

void out_stage_functions_free(struct out_stage_functions *functions)
{
  base_vector_free(&functions->list);
  base_arena_free(&functions->strings);
}
