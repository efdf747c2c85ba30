/* The same stage in several recordings: all ranks together, and which of them takes much longer for its tasks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/pipeline/bottleneck.h"
#include "output/pipeline/pipeline_text.h"
#include "output/pipeline/slow_parts.h"
#include "output/processes/rank_stages.h"
#include "output/text/message.h"

/* Tasks that succeeded, and their time. */
struct share {
  uint64_t tasks;
  double time;
};

static struct share share_of(const struct out_stage *stage)
{
  return (struct share){.tasks = stage->stats.num_tasks - stage->stats.num_failures, .time = stage->stats.total_time};
}

/* What the stage with this label did in the recordings of the same program other than number `except`. */
static struct share elsewhere(const struct callsig_pipeline *const *pipelines, size_t count, size_t except,
                              const char *label)
{
  struct share sum = {0};
  for (size_t i = 0; i < count; i++) {
    if (i == except || !out_is_same_program(pipelines[i], pipelines[except]))
      continue;
    for (uint32_t j = 0; j < pipelines[i]->stages.count; j++) {
      const struct out_stage *stage = out_pipeline_stage_at(pipelines[i], j);
      if (strcmp(stage->stats.label, label) != 0)
        continue;
      sum.tasks += share_of(stage).tasks;
      sum.time += share_of(stage).time;
    }
  }
  return sum;
}

/* In how many parts of the time the stage of recording `number` is the slowest of all; and how many there are. */
static int find_parts(const struct callsig_pipeline *const *pipelines, size_t count, size_t number,
                      const struct out_stage *which, unsigned *slowest, unsigned *parts)
{
  struct out_slow_entry *entries = calloc(count, sizeof *entries);
  uint32_t found = 0, own = 0;
  if (!entries)
    return -ENOMEM;
  for (size_t i = 0; i < count; i++)
    for (uint32_t j = 0; out_is_same_program(pipelines[i], pipelines[number]) && j < pipelines[i]->stages.count; j++) {
      const struct out_stage *stage = out_pipeline_stage_at(pipelines[i], j);
      if (strcmp(stage->stats.label, which->stats.label) != 0)
        continue;
      own = stage == which ? found : own;
      entries[found++] = (struct out_slow_entry){.slots = stage->work.slots,
                                                 .shift = stage->work.shift,
                                                 .start = pipelines[i]->info.start,
                                                 .tick = pipelines[i]->tick};
      break;
    }
  *parts = out_slow_parts(entries, found, NULL);
  *slowest = entries[own].slowest;
  free(entries);
  return 0;
}

/* At most so likely does the stage take so long in one of these recordings by chance; or -ENOMEM. */
static double chance_of(const struct callsig_pipeline *const *pipelines, size_t count, size_t number, const char *label,
                        struct share own)
{
  struct out_values values = out_values_new();
  unsigned found = 0;
  int result = 0;
  for (size_t i = 0; i < count && result == 0; i++)
    for (uint32_t j = 0; out_is_same_program(pipelines[i], pipelines[number]) && j < pipelines[i]->stages.count; j++) {
      const struct out_stage *stage = out_pipeline_stage_at(pipelines[i], j);
      if (strcmp(stage->stats.label, label) != 0)
        continue;
      result = out_values_add(&values, &stage->times, pipelines[i]->tick);
      found++;
      break;
    }
  const double chance = out_values_chance(&values, (double)own.tasks, own.time / (double)own.tasks);
  out_values_free(&values);
  return result < 0 ? result : found * chance;
}

static int put_straggler(struct out_text *text, const struct callsig_pipeline *const *pipelines, size_t count,
                         size_t number, const struct out_stage *stage)
{
  const struct callsig_pipeline *pipeline = pipelines[number];
  const struct share own = share_of(stage), others = elsewhere(pipelines, count, number, stage->stats.label);
  unsigned slowest, parts;
  if (own.tasks < OUT_STRAGGLER_TASKS || others.tasks < OUT_STRAGGLER_TASKS)
    return 0;
  double mean = own.time / (double)own.tasks, other_mean = others.time / (double)others.tasks;
  if (other_mean <= 0 || mean < OUT_STRAGGLER_RATIO * other_mean)
    return 0;
  const double chance = chance_of(pipelines, count, number, stage->stats.label, own);
  if (chance < 0)
    return -ENOMEM;
  if (chance >= OUT_CHANCE)
    return 0;
  if (find_parts(pipelines, count, number, stage, &slowest, &parts) < 0)
    return -ENOMEM;
  out_text_puts(text, pipeline->info.path);
  if (pipeline->has_rank)
    out_text_printf(text, " (rank %lld)", (long long)pipeline->rank);
  out_text_printf(text, ": %s is a straggler: ", stage->stats.label);
  out_put_slower(text, mean, "elsewhere", other_mean, slowest, parts);
  return 0;
}

int callsig_pipeline_print_stragglers(const struct callsig_pipeline *const *pipelines, size_t count, FILE *out)
{
  struct out_text text = {0};
  if (out_put_rank_stages(&text, pipelines, count) < 0)
    text.failed = true;
  for (size_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < pipelines[i]->stages.count; j++)
      if (put_straggler(&text, pipelines, count, i, out_pipeline_stage_at(pipelines[i], j)) < 0)
        text.failed = true;
  return out_pipeline_write(&text, out);
}
