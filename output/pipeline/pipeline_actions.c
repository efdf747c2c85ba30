/* Finds a recording's actions and takes their times from the rows by function. */
#include "output/pipeline/pipeline_actions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/stats/stats_object.h"
#include "output/text/message.h"

/* 1 when a function list holds an action. `list` is of out_recording_number(). */
static int has_action(struct out_recording *recording, uint64_t address, struct base_vector *list)
{
  struct fmt_rec_function function;
  int found;
  while ((found = out_recording_next(recording, list, address, FMT_TAG_FUNCTION, &function, sizeof function)) > 0) {
    if (function.kind == FMT_FUNCTION_KIND_ACTION)
      break;
    address = function.next;
  }
  return found;
}

/* 1 when any thread called an action: most recordings need no reading of their trees. */
static int find_action(int file, const char *path)
{
  struct out_recording recording;
  struct base_vector threads = BASE_VECTOR_OF(uint64_t), functions = BASE_VECTOR_OF(uint64_t);
  int result = out_recording_attach(file, path, &recording);
  if (result < 0)
    return result;
  struct fmt_rec_thread thread;
  uint64_t address = recording.header.first_thread;
  while ((result = out_recording_next(&recording, &threads, address, FMT_TAG_THREAD, &thread, sizeof thread)) > 0) {
    result = has_action(&recording, thread.first_function, &functions);
    if (result != 0)
      break;
    address = thread.next;
  }
  base_vector_free(&threads);
  base_vector_free(&functions);
  int failed = result < 0 ? 0 : out_recording_failed(&recording);
  out_recording_close(&recording);
  return failed < 0 ? failed : result == -ENOMEM ? out_stats_no_memory() : result;
}

/* Which functions of a profile are actions: one byte each. A task is written like one, and is of a stage. */
static unsigned char *mark_actions(const struct out_profile *profile)
{
  unsigned char *marks = calloc(profile->functions.count + 1u, 1);
  for (uint32_t i = 0; marks && i < profile->callables.count; i++) {
    const struct out_callable *callable = out_profile_callable(profile, i);
    if (callable->stage == 0 && out_profile_function(profile, callable->function)->is_action)
      marks[callable->function] = 1;
  }
  return marks;
}

static int add_action(struct callsig_pipeline *pipeline, const struct out_row *row, const char *name, double tick)
{
  size_t length = strlen(name);
  /* The braces are how a table tells actions from functions. */
  bool braces = length >= 2 && name[0] == '{';
  struct callsig_action_stats *action = base_vector_add(&pipeline->actions, 1);
  const char *copy = base_arena_copy(&pipeline->strings, braces ? name + 1 : name, braces ? length - 2 : length);
  if (!action || !copy)
    return out_stats_no_memory();
  *action = (struct callsig_action_stats){
      .size = sizeof *action, .name = copy, .num_calls = row->calls, .total_time = (double)row->cumulative * tick};
  if (row->calls > 0)
    action->mean_time = action->total_time / (double)row->calls;
  return 0;
}

int out_pipeline_take_actions(struct callsig_stats *stats, struct callsig_pipeline *pipeline)
{
  stats->only_process = pipeline->only_process;
  int result = callsig_stats_group(stats, CALLSIG_BY_FUNCTION);
  if (result == 0)
    result = out_stats_prepare(stats);
  if (result < 0)
    return result;
  unsigned char *marks = mark_actions(&stats->profile);
  if (!marks)
    return out_stats_no_memory();
  struct out_names names = out_stats_names(stats);
  for (uint32_t i = 0; i < stats->listed && result == 0; i++) {
    const struct out_row *row = out_rows_at(&stats->rows, stats->order[i]);
    const struct out_known_function *function = out_row_function(&names, &row->key);
    if (marks[row->key.what])
      result = add_action(pipeline, row, out_profile_string(&stats->profile, function->name), stats->grouping.tick);
  }
  free(marks);
  return result;
}

int out_pipeline_open_actions(int file, const char *path, struct callsig_stats **opened)
{
  *opened = NULL;
  int result = find_action(file, path);
  if (result > 0)
    result = out_stats_read_file(file, path, NULL, opened);
  if (result < 0)
    *opened = NULL;
  return result;
}

int out_pipeline_load_actions(int file, const char *path, struct callsig_pipeline *pipeline)
{
  struct callsig_stats *stats;
  int result = out_pipeline_open_actions(file, path, &stats);
  if (stats)
    result = out_pipeline_take_actions(stats, pipeline);
  callsig_stats_free(stats);
  return result;
}
