/*
 * The timeline: rings of spans.
 *
 * A ring has one writer, the thread, whose signal handlers may interrupt it and write spans of their own. A place is
 * reserved by one instruction; then it is filled, published in `written`, and its kind is stored last: what has a kind
 * is whole. A handler finds the places between `written` and its own in progress, and takes their old kinds away before
 * it publishes its own, since their writers may never come back.
 *
 * All rings together take no more than half of the recording. A thread that comes when most of that is taken gets a
 * smaller ring. Those of folded threads are used again.
 */
#include "profiler/stack/ring.h"

#include "profiler/arch/primitives.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/stack/stack.h"

#define LEAST_SPANS     256u
#define THREADS_TO_COME 16u /* no ring takes more than this part of what is left, unless it is the least */

static size_t bytes_of(uint64_t capacity)
{
  return sizeof(struct fmt_rec_ring) + capacity * sizeof(struct fmt_rec_span);
}

/* A ring that a folded thread gave back, empty, or NULL. */
static struct fmt_rec_ring *take_freed(struct prof_process *process)
{
  struct fmt_rec_ring *ring = process->free_rings;
  if (ring)
    process->free_rings = (struct fmt_rec_ring *)ring->reserved;
  if (ring)
    ring->reserved = 0;
  return ring;
}

static struct fmt_rec_ring *make(struct prof_process *process)
{
  uint64_t left = process->reserved / 2 - process->ring_bytes;
  uint64_t capacity = process->settings.timeline_spans;
  while (capacity > LEAST_SPANS && bytes_of(capacity) > left / THREADS_TO_COME)
    capacity /= 2;
  if (bytes_of(capacity) > left)
    return NULL;
  struct fmt_rec_ring *ring = prof_record_alloc_run(bytes_of(capacity));
  if (!ring)
    return NULL;
  process->ring_bytes += bytes_of(capacity);
  ring->capacity = capacity;
  ring->tag = (struct fmt_rec_tag){FMT_TAG_RING, (uint32_t)bytes_of(capacity)};
  return ring;
}

static struct fmt_rec_ring *take(void)
{
  struct prof_process *process = &prof_process;
  prof_lock(&process->rings_lock);
  struct fmt_rec_ring *ring = take_freed(process);
  if (!ring)
    ring = make(process);
  prof_unlock(&process->rings_lock);
  return ring;
}

void prof_ring_open(struct prof_thread *t)
{
  if (prof_process.header->timeline_min == UINT64_MAX)
    return;
  t->ring = take();
  __atomic_store_n(&t->tree.record->ring, (uintptr_t)t->ring, __ATOMIC_RELEASE);
}

static struct fmt_rec_span *place_of(struct fmt_rec_ring *ring, uint64_t number)
{
  return &ring->spans[number & (ring->capacity - 1)];
}

/* Counts the places up to `mine` as written. */
static void publish(struct fmt_rec_ring *ring, uint64_t mine)
{
  uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_RELAXED);
  for (uint64_t i = written; i < mine; i++)
    __atomic_store_n(&place_of(ring, i)->kind, 0, __ATOMIC_RELAXED);
  while (written <= mine &&
         !__atomic_compare_exchange_n(&ring->written, &written, mine + 1, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
}

void prof_ring_add(struct prof_thread *t, uint32_t kind, const void *what, uint64_t start, uint64_t duration,
                   uint64_t item, uint32_t value)
{
  struct fmt_rec_ring *ring = t->ring;
  if (!ring) {
    if (prof_process.header->timeline_min != UINT64_MAX)
      prof_count_loss(FMT_LOSS_TIMELINE, 1);
    return;
  }
  uint64_t mine = prof_take(&t->ring_next, 1);
  struct fmt_rec_span *span = place_of(ring, mine);
  __atomic_store_n(&span->kind, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  span->start = start;
  span->duration = duration;
  span->what = (uintptr_t)what;
  span->item = item;
  span->value = value;
  publish(ring, mine);
  /* Handlers that went once around the ring meanwhile may have taken the place: then it is nobody's. */
  if (__atomic_load_n(&t->ring_next, __ATOMIC_RELAXED) - mine > ring->capacity)
    kind = 0;
  __atomic_store_n(&span->kind, kind, __ATOMIC_RELEASE);
}

void prof_ring_stood_still(struct prof_thread *t, uint64_t until, uint64_t ticks)
{
  struct prof_standstill *kept = t->standstills;
  if (!t->ring)
    return;
  if (t->standstill_count == PROF_STANDSTILLS) {
    /* The oldest two become one: a frame that began between them is then told to have begun by the second one's time
     * too late. */
    kept[0].ticks += kept[1].ticks;
    for (uint32_t i = 1; i + 1 < PROF_STANDSTILLS; i++)
      kept[i] = kept[i + 1];
    t->standstill_count--;
  }
  kept[t->standstill_count++] = (struct prof_standstill){.until = until, .ticks = ticks};
}

/* When the frame began that is said to have begun then. One that was open while the clock stood still seems to have
 * begun before it went on, and no other does. */
static uint64_t began(const struct prof_thread *t, uint64_t start)
{
  for (uint32_t i = t->standstill_count; i-- > 0;)
    if (start < t->standstills[i].until)
      start -= t->standstills[i].ticks;
  return start;
}

void prof_ring_add_frame(struct prof_thread *t, uint32_t kind, const struct fmt_rec_edge *edge, uint64_t start,
                         uint64_t duration, uint64_t item, uint32_t value)
{
  const uint64_t first = began(t, start);
  const uint64_t stood_still = start - first;
  prof_ring_add(t, kind, edge, first, duration + stood_still, kind == FMT_SPAN_CALL ? stood_still : item, value);
}

void prof_ring_call(struct prof_thread *t, const struct fmt_rec_edge *edge, uint64_t start, uint64_t duration)
{
  const struct fmt_rec_function *function = prof_edge_function(edge);
  if (!function || function->kind != FMT_FUNCTION_KIND_TASK)
    prof_ring_add_frame(t, FMT_SPAN_CALL, edge, start, duration, 0, 0);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool names_edge(uint32_t kind)
{
  return kind == FMT_SPAN_CALL || kind == FMT_SPAN_TASK;
}

/* Adds a copy of `span`; its ring is nobody else's while it is folded into. */
static void append(struct fmt_rec_ring *ring, const struct fmt_rec_span *span, uint64_t what)
{
  struct fmt_rec_span *place = place_of(ring, ring->written);
  uint32_t kind = span->kind;
  __atomic_store_n(&place->kind, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  *place = (struct fmt_rec_span){span->start, span->duration, what, span->item, span->value, 0};
  __atomic_store_n(&ring->written, ring->written + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&place->kind, kind, __ATOMIC_RELEASE);
}

void prof_ring_clear(struct fmt_rec_ring *ring)
{
  uint64_t used = ring->written < ring->capacity ? ring->written : ring->capacity;
  for (uint64_t i = 0; i < used; i++)
    ring->spans[i].kind = 0;
  ring->written = 0;
}

static void give_back(struct fmt_rec_ring *ring)
{
  struct prof_process *process = &prof_process;
  prof_ring_clear(ring);
  prof_lock(&process->rings_lock);
  ring->reserved = (uintptr_t)process->free_rings;
  process->free_rings = ring;
  prof_unlock(&process->rings_lock);
}

void prof_ring_merge(struct fmt_rec_thread *target, struct fmt_rec_thread *source, prof_ring_edge_fn map, void *data)
{
  struct fmt_rec_ring *ring = (struct fmt_rec_ring *)source->ring;
  if (!ring)
    return;
  if (!target->ring)
    __atomic_store_n(&target->ring, (uintptr_t)take(), __ATOMIC_RELEASE);
  struct fmt_rec_ring *folded = (struct fmt_rec_ring *)target->ring;
  uint64_t first = ring->written > ring->capacity ? ring->written - ring->capacity : 0;
  uint64_t lost = folded ? first : ring->written;
  for (uint64_t i = first; folded && i < ring->written; i++) {
    const struct fmt_rec_span *span = place_of(ring, i);
    uint64_t what = names_edge(span->kind) ? map(data, span->what) : span->what;
    if (span->kind && what)
      append(folded, span, what);
    else
      lost++;
  }
  if (lost)
    prof_count_loss(FMT_LOSS_TIMELINE, lost);
  __atomic_store_n(&source->ring, 0, __ATOMIC_RELEASE);
  give_back(ring);
}
