/* A binary heap of what happens next. */
#include "output/queueing/event_heap.h"

#include <stdbool.h>

static bool is_before(const struct out_event *one, const struct out_event *other)
{
  return one->time != other->time ? one->time < other->time : one->added < other->added;
}

void out_event_heap_add(struct out_event_heap *heap, double time, uint32_t server)
{
  const struct out_event event = {.time = time, .added = heap->added++, .server = server};
  uint32_t at = heap->count++;
  for (; at > 0 && is_before(&event, &heap->events[(at - 1) / 2]); at = (at - 1) / 2)
    heap->events[at] = heap->events[(at - 1) / 2];
  heap->events[at] = event;
}

uint32_t out_event_heap_take(struct out_event_heap *heap)
{
  const uint32_t server = heap->events[0].server;
  const struct out_event last = heap->events[--heap->count];
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child + 1 < heap->count && is_before(&heap->events[child + 1], &heap->events[child]))
      child++;
    if (child >= heap->count || !is_before(&heap->events[child], &last))
      break;
    heap->events[at] = heap->events[child];
    at = child;
  }
  heap->events[at] = last;
  return server;
}
