/* Finds the threads of a stage that take much longer for a task than the others, and stages in which they take turns.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/pipeline/bottleneck.h"
#include "output/pipeline/slow_parts.h"
#include "output/recording/chance.h"
#include "output/text/message.h"

#define FEW_PARTS 4u /* of the time: too few to tell in how many one is slow */

/* The threads of one stage. */
struct threads {
  const struct out_replica **replicas;
  struct out_slow_entry *entries;
  uint32_t count;
  unsigned parts;           /* that could be judged */
  struct out_values values; /* the times of all tasks of the stage, seconds */
};

/* Folded threads are none. */
static void find_threads(const struct callsig_pipeline *pipeline, uint32_t stage, struct threads *threads)
{
  threads->count = 0;
  for (uint32_t i = 0; i < pipeline->replicas.count; i++) {
    const struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    if (replica->stage != stage || replica->folded)
      continue;
    threads->replicas[threads->count] = replica;
    threads->entries[threads->count++] =
        (struct out_slow_entry){.slots = replica->slots, .shift = replica->shift, .tick = pipeline->tick};
  }
  threads->parts = out_slow_parts(threads->entries, threads->count, &threads->values);
}

/* Is it the one that is slow, and not some of its tasks? It takes longer than tasks drawn at random from those of all
 * would, and in more parts of the time than in a single one. */
static bool is_no_chance(const struct threads *threads, uint32_t number, double tasks, double mean, double *chance)
{
  *chance = fmin(1, threads->count * out_values_chance(&threads->values, tasks, mean));
  return *chance < OUT_CHANCE && (threads->parts < FEW_PARTS || threads->entries[number].slower > 1);
}

static int add_straggler(struct out_bottleneck *bottleneck, const struct out_stage_view *view,
                         const struct threads *threads, uint32_t number)
{
  const struct out_replica *replica = threads->replicas[number];
  const struct callsig_stage_stats *stats = &view->stage->stats;
  const uint64_t own = replica->tasks - replica->failures, all = out_stage_successes(stats);
  if (own < OUT_STRAGGLER_TASKS || all < own + OUT_STRAGGLER_TASKS)
    return 0;
  const double mean = replica->total_time / (double)own;
  const double others = (stats->total_time - replica->total_time) / (double)(all - own);
  double chance;
  if (others <= 0 || mean < OUT_STRAGGLER_RATIO * others || !is_no_chance(threads, number, (double)own, mean, &chance))
    return 0;
  struct out_straggler *added = base_vector_add(&bottleneck->stragglers, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_straggler){.view = view,
                                  .replica = replica,
                                  .mean = mean,
                                  .others = others,
                                  .chance = chance,
                                  .parts = threads->parts,
                                  .slowest = threads->entries[number].slower};
  return 0;
}

/* Where in most parts of the time one is slow, and not always the same one. */
static int add_turns(struct out_bottleneck *bottleneck, const struct out_stage_view *view,
                     const struct threads *threads)
{
  struct out_turns turns = {.view = view, .parts = threads->parts};
  for (uint32_t i = 0; i < threads->count; i++) {
    turns.slow += threads->entries[i].slowest;
    turns.threads += threads->entries[i].slowest > 0;
  }
  if (turns.threads < 2 || 2 * turns.slow < turns.parts)
    return 0;
  struct out_turns *added = base_vector_add(&bottleneck->turns, 1);
  if (!added)
    return -ENOMEM;
  *added = turns;
  return 0;
}

int out_stragglers_find(const struct callsig_pipeline *pipeline, struct out_bottleneck *bottleneck,
                        uint32_t first_stage)
{
  const uint32_t most = pipeline->replicas.count + 1u;
  struct threads threads = {.replicas = calloc(most, sizeof *threads.replicas),
                            .entries = calloc(most, sizeof *threads.entries)};
  int result = threads.replicas && threads.entries ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < bottleneck->count && result == 0; i++) {
    const uint32_t known = bottleneck->stragglers.count;
    threads.values = out_values_new();
    result = out_values_add(&threads.values, &bottleneck->views[i].stage->times, pipeline->tick);
    find_threads(pipeline, first_stage + i, &threads);
    for (uint32_t j = 0; j < threads.count && result == 0; j++)
      result = add_straggler(bottleneck, &bottleneck->views[i], &threads, j);
    if (result == 0 && bottleneck->stragglers.count == known)
      result = add_turns(bottleneck, &bottleneck->views[i], &threads);
    out_values_free(&threads.values);
  }
  free(threads.replicas);
  free(threads.entries);
  return result < 0 ? out_stats_no_memory() : 0;
}
