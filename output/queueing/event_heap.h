/*
 * What happens next: servers by the time at which something happens to them. Of those with the same time the one that
 * was added first comes first.
 */
#ifndef CALLSIG_OUTPUT_QUEUEING_EVENT_HEAP_H
#define CALLSIG_OUTPUT_QUEUEING_EVENT_HEAP_H

#include <stdint.h>

struct out_event {
  double time;
  uint64_t added; /* how many were added before */
  uint32_t server;
};

/* Zero but for `events`, which has room for all that are ever in it at a time. */
struct out_event_heap {
  struct out_event *events;
  uint32_t count;
  uint64_t added;
};

void out_event_heap_add(struct out_event_heap *heap, double time, uint32_t server);

/* Takes out the first one's server; there must be one. */
uint32_t out_event_heap_take(struct out_event_heap *heap);

#endif
