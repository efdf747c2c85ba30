/* Finds the stages whose tasks the same threads run. */
#include "output/verdict/thread_groups.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool out_thread_group_has(const struct out_thread_group *group, const struct out_stage *stage)
{
  for (uint32_t i = 0; i < group->count; i++)
    if (group->members[i]->stage == stage)
      return true;
  return false;
}

/* The stage of a replica, if it is one of the pipeline's through which items go. */
static const struct out_stage_view *view_of(const struct callsig_pipeline *pipeline,
                                            const struct out_bottleneck *bottleneck, const struct out_replica *replica)
{
  const uint32_t first = (uint32_t)(bottleneck->views[0].stage - out_pipeline_stage_at(pipeline, 0));
  if (replica->stage < first || replica->stage - first >= bottleneck->count)
    return NULL;
  const struct out_stage_view *view = &bottleneck->views[replica->stage - first];
  return view->stage->stats.num_tasks > 0 && out_bottleneck_counts(bottleneck, view) ? view : NULL;
}

static const struct out_replica *replica_at(const struct callsig_pipeline *pipeline, uint32_t number)
{
  return base_vector_at(&pipeline->replicas, number);
}

/* The end of the replicas of the thread that begins at a number. */
static uint32_t end_of_thread(const struct callsig_pipeline *pipeline, uint32_t number)
{
  const uint32_t first = replica_at(pipeline, number)->first;
  while (number < pipeline->replicas.count && replica_at(pipeline, number)->first == first)
    number++;
  return number;
}

/* Adds the stages of a thread that runs one of the group. True: there was another. */
static bool add_thread(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck, uint32_t begin,
                       uint32_t end, struct out_thread_group *group)
{
  bool runs = false, more = false;
  for (int again = 0; again < 2; again++)
    for (uint32_t i = begin; i < end; i++) {
      const struct out_stage_view *view = view_of(pipeline, bottleneck, replica_at(pipeline, i));
      if (!view || replica_at(pipeline, i)->folded)
        continue;
      const bool has = out_thread_group_has(group, view->stage);
      runs |= has;
      if (runs && !has) {
        group->members[group->count++] = view;
        more = true;
      }
    }
  return more;
}

/* The stages of the group that a thread runs, by their numbers in it. There are 64 at most. */
static uint64_t stages_of(const struct callsig_pipeline *pipeline, const struct out_thread_group *group, uint32_t begin,
                          uint32_t end)
{
  uint64_t stages = 0;
  for (uint32_t i = begin; i < end; i++)
    for (uint32_t j = 0; j < group->count; j++)
      if (group->members[j]->stage == out_pipeline_stage_at(pipeline, replica_at(pipeline, i)->stage))
        stages |= UINT64_C(1) << j;
  return stages;
}

static int by_index(const void *one, const void *other)
{
  const struct out_stage_view *const *first = one, *const *second = other;
  return (*first > *second) - (*first < *second);
}

/* Puts a stage first that all threads run, that of the least index, and the others behind it by theirs. False: there
 * is none. */
static bool find_first(const struct callsig_pipeline *pipeline, struct out_thread_group *group)
{
  uint64_t by_all = UINT64_MAX;
  uint32_t found = 0;
  qsort(group->members, group->count, sizeof(struct out_stage_view *), by_index);
  for (uint32_t i = 0, end; i < pipeline->replicas.count; i = end) {
    end = end_of_thread(pipeline, i);
    const uint64_t stages = stages_of(pipeline, group, i, end);
    by_all &= stages ? stages : UINT64_MAX;
  }
  while (found < group->count && !(by_all >> found & 1))
    found++;
  if (found == group->count)
    return false;
  const struct out_stage_view *first = group->members[found];
  memmove(&group->members[1], &group->members[0], found * sizeof(struct out_stage_view *));
  group->members[0] = first;
  return true;
}

/* As many as were there on average, if that is more than what the first one works on at a time, or all together do. */
static double servers_of(const struct out_bottleneck *bottleneck, const struct out_thread_group *group)
{
  double own = 0, lifetime = 0;
  for (uint32_t i = 0; i < group->count; i++) {
    own += group->members[i]->stage->work.own;
    lifetime = fmax(lifetime, group->members[i]->stage->work.lifetime);
  }
  const double window = fmax(bottleneck->window, 1e-30);
  return fmax(group->members[0]->replicas, fmax(ceil(own / window - 0.05), floor(lifetime / window + 0.5)));
}

int out_thread_group_make(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                          const struct out_stage_view *view, struct base_arena *memory, struct out_thread_group *group,
                          const char **why)
{
  *group = (struct out_thread_group){.members = base_arena_alloc(memory, bottleneck->count * sizeof *group->members)};
  if (!group->members)
    return -ENOMEM;
  group->members[group->count++] = view;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0, end; i < pipeline->replicas.count; i = end) {
      end = end_of_thread(pipeline, i);
      more |= add_thread(pipeline, bottleneck, i, end, group);
    }
  }
  *why = " run stages of other pipelines, too, which are not simulated beside it: record it with threads of its own";
  for (uint32_t i = 0; i < group->count; i++)
    if (group->members[i]->pooled)
      return 0;
  group->servers = view->replicas;
  if (group->count == 1) {
    *why =
        " run other stages, too, or have ended and are told together with those of others: it is not known which ran "
        "which, so look while they run";
    return view->shared ? 0 : 1;
  }
  *why =
      " run other stages, too, and none of these is run by all of the threads: record it with threads for each stage";
  if (!find_first(pipeline, group))
    return 0;
  *why = " run other stages, too, and how long each one works by itself is not known: record it anew";
  for (uint32_t i = 0; i < group->count; i++)
    if (!group->members[i]->stage->work.known)
      return 0;
  group->servers = servers_of(bottleneck, group);
  return 1;
}
