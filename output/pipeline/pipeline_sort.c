/* Stages and queues in the order of their places in the pipelines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/pipeline/pipeline.h"

static int compare_places(unsigned pipeline, unsigned index, const char *label, unsigned other_pipeline,
                          unsigned other_index, const char *other_label)
{
  if (pipeline != other_pipeline)
    return pipeline < other_pipeline ? -1 : 1;
  if (index != other_index)
    return index < other_index ? -1 : 1;
  return strcmp(label, other_label);
}

static int compare_queues(const void *left, const void *right)
{
  const struct callsig_queue_stats *a = &((const struct out_queue *)left)->stats;
  const struct callsig_queue_stats *b = &((const struct out_queue *)right)->stats;
  return compare_places(a->pipeline, a->index, a->label, b->pipeline, b->index, b->label);
}

static int compare_stages(const void *left, const void *right)
{
  const struct callsig_stage_stats *a = &((const struct out_stage *)left)->stats;
  const struct callsig_stage_stats *b = &((const struct out_stage *)right)->stats;
  return compare_places(a->pipeline, a->index, a->label, b->pipeline, b->index, b->label);
}

int out_pipeline_sort(struct callsig_pipeline *pipeline)
{
  uint32_t *place = calloc(pipeline->stages.count + 1u, sizeof *place);
  if (!place)
    return -ENOMEM;
  for (uint32_t i = 0; i < pipeline->stages.count; i++)
    out_pipeline_stage_at(pipeline, i)->met = i;
  if (pipeline->stages.count > 0)
    qsort(pipeline->stages.data, pipeline->stages.count, sizeof(struct out_stage), compare_stages);
  if (pipeline->queues.count > 0)
    qsort(pipeline->queues.data, pipeline->queues.count, sizeof(struct out_queue), compare_queues);
  for (uint32_t i = 0; i < pipeline->stages.count; i++)
    place[out_pipeline_stage_at(pipeline, i)->met] = i;
  for (uint32_t i = 0; i < pipeline->replicas.count; i++) {
    struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    replica->stage = place[replica->stage];
  }
  for (uint32_t i = 0; i < pipeline->links.count; i++) {
    struct out_link *link = base_vector_at(&pipeline->links, i);
    link->stage = place[link->stage];
  }
  for (uint32_t i = 0; i < pipeline->waits.count; i++) {
    struct out_stage_wait *wait = base_vector_at(&pipeline->waits, i);
    wait->stage = place[wait->stage];
  }
  free(place);
  return 0;
}
