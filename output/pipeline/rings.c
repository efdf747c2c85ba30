/* Finds the queues of a pipeline that close a ring. */
#include "output/pipeline/rings.h"

#include <math.h>
#include <string.h>

#define MOST       64u   /* stages and queues of a pipeline */
#define MOST_LINKS 4096u /* of all */
#define FEW        0.50  /* of what it takes: so much a stage puts into its own queue before it begins */
#define RETURNED   0.90  /* of what was taken out: so much came back */

/* The stages and queues of one pipeline; sets of stages are bits. */
struct graph {
  struct callsig_pipeline *pipeline;
  uint32_t first_stage, num_stages, first_queue, num_queues;
  uint64_t takers[MOST], putters[MOST]; /* by queue */
  double returned[MOST];                /* by queue: what stages put that do not take from it, ... */
  double put_back[MOST];                /* ... and those that do */
};

/* The queue of a link in the graph; MOST: it is of none. */
static uint32_t queue_of(const struct graph *graph, const struct out_link *link)
{
  for (uint32_t i = 0; i < graph->num_queues; i++)
    if (strcmp(out_pipeline_queue_at(graph->pipeline, graph->first_queue + i)->stats.label, link->queue) == 0)
      return i;
  return MOST;
}

/* Threads that run several stages have what they put with each of them. */
static void add_link(struct graph *graph, const struct out_link *link, double *shared)
{
  const uint32_t stage = link->stage - graph->first_stage, queue = queue_of(graph, link);
  if (queue == MOST)
    return;
  const double gets = (double)link->gets, puts = (double)link->puts;
  if (gets > 0)
    graph->takers[queue] |= UINT64_C(1) << stage;
  if (puts > 0 && (gets == 0 || puts >= FEW * gets))
    graph->putters[queue] |= UINT64_C(1) << stage;
  if (gets > 0)
    graph->put_back[queue] += puts;
  if (gets == 0 && !link->shared)
    graph->returned[queue] += puts;
  if (gets == 0 && link->shared)
    shared[queue] = fmax(shared[queue], puts);
}

static void add_links(struct graph *graph)
{
  double shared[MOST] = {0};
  for (uint32_t i = 0; i < graph->pipeline->links.count; i++) {
    const struct out_link *link = base_vector_at(&graph->pipeline->links, i);
    if (link->stage >= graph->first_stage && link->stage - graph->first_stage < graph->num_stages)
      add_link(graph, link, shared);
  }
  for (uint32_t i = 0; i < graph->num_queues; i++)
    graph->returned[i] += shared[i];
}

/* The stages that items of some stages reach without a queue. */
static uint64_t reached_without(const struct graph *graph, uint64_t stages, uint32_t without)
{
  for (uint64_t before = 0; before != stages;) {
    before = stages;
    for (uint32_t i = 0; i < graph->num_queues; i++)
      if (i != without && (graph->putters[i] & stages))
        stages |= graph->takers[i];
  }
  return stages;
}

/* The lowest index of some stages, and the tasks of all of them. */
static unsigned first_index(const struct graph *graph, uint64_t stages, double *tasks)
{
  unsigned first = UINT32_MAX;
  *tasks = 0;
  for (uint32_t i = 0; i < graph->num_stages; i++) {
    const struct callsig_stage_stats *stats = &out_pipeline_stage_at(graph->pipeline, graph->first_stage + i)->stats;
    if (!(stages >> i & 1))
      continue;
    first = stats->index < first ? stats->index : first;
    *tasks += (double)stats->num_tasks;
  }
  return first;
}

/* Does a queue lead back in the order of the stages, to one that takes from it for each task? Then the thread that
 * gives back has put in what goes round, too. */
static bool leads_back(const struct graph *graph, uint32_t queue, double gets)
{
  double tasks, others;
  return first_index(graph, graph->takers[queue], &tasks) < first_index(graph, graph->putters[queue], &others) &&
         gets >= RETURNED * tasks;
}

/* How many items go round by a queue; 0: it closes no ring. Those of a retry leave it sooner or later, and those of a
 * ring come back. */
static double items_of(const struct graph *graph, uint32_t queue)
{
  const struct callsig_queue_stats *stats = &out_pipeline_queue_at(graph->pipeline, graph->first_queue + queue)->stats;
  const uint64_t takers = graph->takers[queue], returners = graph->putters[queue] & ~takers;
  const double gets = (double)stats->num_items, returned = graph->returned[queue];
  if (!takers || (graph->putters[queue] & takers) || !(reached_without(graph, takers, queue) & returners))
    return 0;
  /* What was put but not returned, or put back without having been used; and what its level tells that was never put.
   */
  const double unused = fmin(graph->put_back[queue], fmax(0, gets - returned));
  const double given = fmax((double)stats->puts - returned - unused, 0);
  const double silent = stats->items <= stats->high_water ? (double)stats->items + gets - (double)stats->puts : 0;
  if (!(given + fmax(0, silent) > 0) && !leads_back(graph, queue, gets))
    return 0;
  const double items = fmax(given + fmax(0, silent), (double)stats->high_water);
  return returned >= RETURNED * gets || gets - returned <= (double)stats->high_water ? items : 0;
}

static void find_rings(struct graph *graph)
{
  if (graph->num_stages > MOST || graph->num_queues > MOST)
    return;
  add_links(graph);
  for (uint32_t i = 0; i < graph->num_queues; i++)
    out_pipeline_queue_at(graph->pipeline, graph->first_queue + i)->ring = items_of(graph, i);
}

void out_rings_find(struct callsig_pipeline *pipeline)
{
  uint32_t stage = 0, queue = 0;
  if (pipeline->links.count > MOST_LINKS)
    return;
  while (stage < pipeline->stages.count) {
    const unsigned number = out_pipeline_stage_at(pipeline, stage)->stats.pipeline;
    struct graph graph = {.pipeline = pipeline, .first_stage = stage};
    for (; queue < pipeline->queues.count && out_pipeline_queue_at(pipeline, queue)->stats.pipeline < number; queue++)
      ;
    graph.first_queue = queue;
    for (; stage < pipeline->stages.count && out_pipeline_stage_at(pipeline, stage)->stats.pipeline == number; stage++)
      graph.num_stages++;
    for (; queue < pipeline->queues.count && out_pipeline_queue_at(pipeline, queue)->stats.pipeline == number; queue++)
      graph.num_queues++;
    find_rings(&graph);
  }
}
