/*
 * Events: counted by name in the process, and marks of the timeline.
 */
#include "profiler/pipeline/event.h"

#include <errno.h>

#include "callsig/callsig.h"
#include "format/hash.h"
#include "format/recording.h"
#include "profiler/base/arena.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/text.h"
#include "profiler/session/requests.h"
#include "profiler/session/startup.h"
#include "profiler/stack/ring.h"

#define BUCKETS 256u

/* An event's record. In the process's arena; never taken out. */
struct known {
  struct known *next;
  struct fmt_rec_event *record;
  const struct fmt_rec_name *name;
};

/* Of the recording number `epoch`. Read without a lock by what belongs to that recording; changed under stages_lock. */
static struct {
  uint32_t epoch;
  struct known *buckets[BUCKETS];
} events;

static struct fmt_rec_event *find_event(const char *name)
{
  if (events.epoch != prof_process.epoch)
    return NULL;
  const struct known *at =
      __atomic_load_n(&events.buckets[fmt_hash(name, prof_length(name)) % BUCKETS], __ATOMIC_ACQUIRE);
  while (at && !prof_equal(at->name->text, name))
    at = at->next;
  return at ? at->record : NULL;
}

/* Under stages_lock. */
static struct fmt_rec_event *make_event(const char *name)
{
  if (events.epoch != prof_process.epoch) {
    for (unsigned i = 0; i < BUCKETS; i++)
      events.buckets[i] = NULL;
    events.epoch = prof_process.epoch;
  }
  const size_t length = prof_length(name);
  struct known *made = prof_process_alloc(sizeof *made);
  if (!made)
    return NULL;
  made->name = prof_record_name(name, length);
  made->record = made->name ? prof_record_small(sizeof *made->record) : NULL;
  if (!made->record)
    return NULL;
  struct fmt_rec_event_times *times = prof_record_small(sizeof *times);
  if (times)
    times->tag = (struct fmt_rec_tag){FMT_TAG_EVENT_TIMES, sizeof *times};
  made->record->times = (uintptr_t)times;
  made->record->name = (uintptr_t)made->name;
  made->record->next = prof_process.header->first_event;
  made->record->tag = (struct fmt_rec_tag){FMT_TAG_EVENT, sizeof *made->record};
  __atomic_store_n(&prof_process.header->first_event, (uintptr_t)made->record, __ATOMIC_RELEASE);
  struct known **bucket = &events.buckets[fmt_hash(name, length) % BUCKETS];
  made->next = *bucket;
  __atomic_store_n(bucket, made, __ATOMIC_RELEASE);
  return made->record;
}

/* The calling thread when it counts now; else NULL. */
static inline struct prof_thread *counting_thread(void)
{
  struct prof_thread *t = prof_thread_wake();
  return t && !t->warming ? t : NULL;
}

static PROF_COLD struct fmt_rec_event *event_of(const char *name)
{
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.stages_lock);
  struct fmt_rec_event *record = find_event(name);
  if (!record)
    record = make_event(name);
  prof_unlock(&prof_process.stages_lock);
  prof_restore_signals(mask);
  return record;
}

/* Keeps when the event happened that was counted as this number. One that is overtaken by as many later ones as there
 * are places, while it is written, leaves a place without a number. */
static void keep_time(const struct fmt_rec_event *record, uint64_t number, uint64_t start, uint64_t ticks)
{
  struct fmt_rec_event_times *times = (struct fmt_rec_event_times *)record->times;
  if (!times)
    return;
  struct fmt_rec_event_time *place = &times->places[number % FMT_EVENT_TIMES];
  __atomic_store_n(&place->number, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  place->start = start;
  place->duration = ticks;
  const bool overtaken = __atomic_load_n(&record->count, __ATOMIC_RELAXED) - number > FMT_EVENT_TIMES;
  __atomic_store_n(&place->number, overtaken ? 0 : number + 1, __ATOMIC_RELEASE);
}

/* Counts what began at `start` and ends at `now`; an instant when both are equal. */
static int note(struct prof_thread *t, const char *name, uint64_t start, uint64_t now, uint32_t kind)
{
  struct fmt_rec_event *record = find_event(name);
  if (!record)
    record = event_of(name);
  if (!record) {
    prof_count_loss(FMT_LOSS_NO_SPACE, 1);
    return -ENOSPC;
  }
  uint64_t ticks = now > start ? now - start : 0;
  keep_time(record, __atomic_fetch_add(&record->count, 1, __ATOMIC_RELAXED), start, ticks);
  if (ticks)
    __atomic_fetch_add(&record->total, ticks, __ATOMIC_RELAXED);
  prof_ring_add(t, kind, record, start, ticks, 0, 0);
  return 0;
}

int callsig_event(const char *name)
{
  if (!name)
    return -EINVAL;
  struct prof_thread *t = counting_thread();
  if (!t)
    return 0;
  uint64_t now = prof_clock_shared();
  return note(t, name, now, now, FMT_SPAN_EVENT);
}

uint64_t callsig_span_begin(void)
{
  return counting_thread() ? prof_clock_shared() : 0;
}

int callsig_span_end(const char *name, uint64_t token)
{
  if (!name)
    return -EINVAL;
  struct prof_thread *t = token ? counting_thread() : NULL;
  return t ? note(t, name, token, prof_clock_shared(), FMT_SPAN_RANGE) : 0;
}

void callsig_span_cleanup(const struct callsig_span_scope *scope)
{
  (void)callsig_span_end(scope->name, scope->token);
}

void prof_events_clear(struct fmt_rec_header *header)
{
  for (uint64_t at = header->first_event; at; at = ((const struct fmt_rec_event *)at)->next) {
    struct fmt_rec_event *event = (struct fmt_rec_event *)at;
    struct fmt_rec_event_times *times = (struct fmt_rec_event_times *)event->times;
    __atomic_store_n(&event->count, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&event->total, 0, __ATOMIC_RELAXED);
    for (unsigned i = 0; times && i < FMT_EVENT_TIMES; i++)
      __atomic_store_n(&times->places[i].number, 0, __ATOMIC_RELAXED);
  }
}
