/*
 * Events: counted by name in the process, and marks of the timeline.
 */
#include <errno.h>

#include "callsig/format/hash.h"
#include "internal.h"
#include "ring.h"
#include "text.h"

#define BUCKETS 256u

/* An event's record. In the process's arena; never taken out. */
struct known {
  struct known *next;
  struct cs_rec_event *record;
  const struct cs_rec_name *name;
};

/* Of the recording number `epoch`. Read without a lock by what belongs to that recording; changed under stages_lock. */
static struct {
  uint32_t epoch;
  struct known *buckets[BUCKETS];
} events;

static struct cs_rec_event *find_event(const char *name)
{
  if (events.epoch != cs_process.epoch)
    return NULL;
  const struct known *at = __atomic_load_n(&events.buckets[cs_hash(name, cs_length(name)) % BUCKETS], __ATOMIC_ACQUIRE);
  while (at && !cs_equal(at->name->text, name))
    at = at->next;
  return at ? at->record : NULL;
}

/* Under stages_lock. */
static struct cs_rec_event *make_event(const char *name)
{
  if (events.epoch != cs_process.epoch) {
    for (unsigned i = 0; i < BUCKETS; i++)
      events.buckets[i] = NULL;
    events.epoch = cs_process.epoch;
  }
  const size_t length = cs_length(name);
  struct known *made = cs_process_alloc(sizeof *made);
  if (!made)
    return NULL;
  made->name = cs_record_name(name, length);
  made->record = made->name ? cs_record_small(sizeof *made->record) : NULL;
  if (!made->record)
    return NULL;
  made->record->name = (uintptr_t)made->name;
  made->record->next = cs_process.header->first_event;
  made->record->tag = (struct cs_rec_tag){CS_TAG_EVENT, sizeof *made->record};
  __atomic_store_n(&cs_process.header->first_event, (uintptr_t)made->record, __ATOMIC_RELEASE);
  struct known **bucket = &events.buckets[cs_hash(name, length) % BUCKETS];
  made->next = *bucket;
  __atomic_store_n(bucket, made, __ATOMIC_RELEASE);
  return made->record;
}

/* The calling thread when it counts now; else NULL. */
static inline struct cs_thread *counting_thread(void)
{
  struct cs_thread *t = cs_thread_wake();
  return t && !t->warming ? t : NULL;
}

static CS_COLD struct cs_rec_event *event_of(const char *name)
{
  uint64_t mask = cs_block_signals();
  cs_lock(&cs_process.stages_lock);
  struct cs_rec_event *record = find_event(name);
  if (!record)
    record = make_event(name);
  cs_unlock(&cs_process.stages_lock);
  cs_restore_signals(mask);
  return record;
}

/* Counts what began at `start` and ends at `now`; an instant when both are equal. */
static int note(struct cs_thread *t, const char *name, uint64_t start, uint64_t now, uint32_t kind)
{
  struct cs_rec_event *record = find_event(name);
  if (!record)
    record = event_of(name);
  if (!record) {
    cs_count_loss(CS_LOSS_NO_SPACE, 1);
    return -ENOSPC;
  }
  uint64_t ticks = now > start ? now - start : 0;
  __atomic_fetch_add(&record->count, 1, __ATOMIC_RELAXED);
  if (ticks)
    __atomic_fetch_add(&record->total, ticks, __ATOMIC_RELAXED);
  cs_ring_add(t, kind, record, start, ticks, 0, 0);
  return 0;
}

int callsig_event(const char *name)
{
  if (!name)
    return -EINVAL;
  struct cs_thread *t = counting_thread();
  if (!t)
    return 0;
  uint64_t now = cs_clock_shared();
  return note(t, name, now, now, CS_SPAN_EVENT);
}

uint64_t callsig_span_begin(void)
{
  return counting_thread() ? cs_clock_shared() : 0;
}

int callsig_span_end(const char *name, uint64_t token)
{
  if (!name)
    return -EINVAL;
  struct cs_thread *t = token ? counting_thread() : NULL;
  return t ? note(t, name, token, cs_clock_shared(), CS_SPAN_RANGE) : 0;
}

void callsig_span_cleanup(const struct callsig_span_scope *scope)
{
  (void)callsig_span_end(scope->name, scope->token);
}
