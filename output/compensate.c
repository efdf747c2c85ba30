#include "compensate.h"

#include <errno.h>
#include <stdlib.h>

void cs_compensation_free(struct cs_compensation *compensation)
{
  free(compensation->own);
  free(compensation->share);
  free(compensation->calls);
  *compensation = (struct cs_compensation){0};
}

static uint64_t calls_of(const struct cs_profile *profile, const struct cs_edge *edge)
{
  return edge->calls + (edge->recursion == CS_NONE ? 0 : cs_profile_recursion(profile, edge->recursion)->calls);
}

/* Own time of the calls on an edge, ticks. */
static double own_of(const struct cs_profile *profile, const struct cs_edge *edge)
{
  uint64_t total =
      edge->total + (edge->recursion == CS_NONE ? 0 : cs_profile_recursion(profile, edge->recursion)->total);
  return total > edge->children ? (double)(total - edge->children) : 0;
}

/* own[variant], calls[variant], and by context the sum of own time in `time`. */
static void count_variants(const struct cs_profile *profile, struct cs_compensation *compensation, double *time)
{
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct cs_edge *edge = cs_profile_edge(profile, i);
    if (edge->to == CS_NONE)
      continue;
    const struct cs_recording_info *info =
        cs_profile_recording(profile, cs_profile_thread(profile, edge->thread)->recording);
    uint64_t calls = calls_of(profile, edge);
    compensation->calls[edge->to] += calls;
    compensation->own[edge->to] += (double)calls * (double)info->hook_inner / 1024;
    if (edge->from != CS_NONE)
      compensation->own[edge->from] += (double)calls * (double)info->hook_outer / 1024;
    time[cs_profile_variant(profile, edge->to)->context] += own_of(profile, edge);
  }
}

/* The hooks' share of each context's subtree: children are added to their parents, later ones in the preorder first. */
static void add_up(const struct cs_profile *profile, struct cs_compensation *compensation, double *time)
{
  double *cost = compensation->share;
  for (uint32_t i = 0; i < profile->variants.count; i++) {
    uint32_t context = cs_profile_variant(profile, i)->context;
    if (context != CS_NONE)
      cost[context] += compensation->own[i];
  }
  for (uint32_t i = profile->preorder.count; i-- > 0;) {
    uint32_t context = *(uint32_t *)cs_vector_at(&profile->preorder, i);
    uint32_t parent = cs_profile_context(profile, context)->parent;
    if (cost[context] > time[context])
      cost[context] = time[context];
    if (parent != CS_NONE) {
      cost[parent] += cost[context];
      time[parent] += time[context];
    }
  }
  for (uint32_t i = 0; i < profile->contexts.count; i++)
    cost[i] = time[i] > 0 ? cost[i] / time[i] : 0;
}

int cs_compensate(const struct cs_profile *profile, struct cs_compensation *compensation)
{
  compensation->own = calloc(profile->variants.count + 1u, sizeof *compensation->own);
  compensation->calls = calloc(profile->variants.count + 1u, sizeof *compensation->calls);
  compensation->share = calloc(profile->contexts.count + 1u, sizeof *compensation->share);
  double *time = calloc(profile->contexts.count + 1u, sizeof *time);
  bool complete = compensation->own && compensation->calls && compensation->share && time;
  if (complete) {
    count_variants(profile, compensation, time);
    add_up(profile, compensation, time);
  } else {
    cs_compensation_free(compensation);
  }
  free(time);
  return complete ? 0 : -ENOMEM;
}
