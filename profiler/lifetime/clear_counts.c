/*
 * Setting what was counted to zero. Records stay where they are, since threads, and the code of sites, know their
 * addresses; only what they have counted goes.
 */
#include "profiler/lifetime/clear_counts.h"

#include "profiler/base/histogram_record.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/pipeline/counter.h"
#include "profiler/pipeline/event.h"
#include "profiler/pipeline/queue.h"
#include "profiler/pipeline/stage.h"
#include "profiler/stack/ring.h"
#include "profiler/tree/asked.h"
#include "profiler/tree/sampling.h"

static void clear_edge(struct fmt_rec_edge *edge, bool is_asking)
{
  edge->calls = edge->total = edge->children = edge->overhead = edge->max = 0;
  edge->min = UINT64_MAX;
  struct fmt_rec_recursion *recursion = (struct fmt_rec_recursion *)edge->recursion;
  if (recursion) {
    recursion->calls = recursion->total = 0;
    for (unsigned group = 0; group < FMT_GROUP_RESERVED; group++)
      recursion->primitive[group] = recursion->cumulative[group] = 0;
  }
  prof_sampling_clear(edge);
  prof_asked_clear(edge, is_asking);
  if (edge->histogram)
    prof_histogram_clear((struct fmt_rec_histogram *)edge->histogram);
}

void prof_counts_clear(struct fmt_rec_thread *record, bool is_asking)
{
  clear_edge((struct fmt_rec_edge *)record->root_edge, is_asking);
  for (uint64_t at = record->first_edge; at; at = ((const struct fmt_rec_edge *)at)->next)
    clear_edge((struct fmt_rec_edge *)at, is_asking);
  prof_tasks_clear(record);
  prof_queue_uses_clear(record);
  prof_counters_clear(record);
  if (record->ring)
    prof_ring_clear((struct fmt_rec_ring *)record->ring);
}

void prof_process_counts_clear(void)
{
  struct fmt_rec_header *header = prof_process.header;
  for (unsigned i = 0; i < FMT_LOSS_COUNT; i++)
    /* Arguments that were widened stay so, and processes without a recording. */
    if (i != FMT_LOSS_SIGNATURES_MERGED && i != FMT_LOSS_PROCESSES)
      __atomic_store_n(&header->loss[i], 0, __ATOMIC_RELAXED);
  prof_lock(&prof_process.stages_lock);
  prof_stages_clear(header);
  prof_queues_clear(header);
  prof_events_clear(header);
  prof_unlock(&prof_process.stages_lock);
}
