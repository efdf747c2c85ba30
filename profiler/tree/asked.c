/*
 * Records of what was asked the allocator for. A block that is freed leads to the record that it was counted in, by an
 * address that never means anything else while the block lives: so records lie in no tree's memory, and one is used
 * again when nothing that was counted in it is left. An edge whose threads have ended has one record for all that is
 * settled, and behind it those that blocks still lead to, the oldest first.
 */
#include "profiler/tree/asked.h"

#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"

/* How many records are looked at whenever an edge takes some from another: more than it takes, so that those which
 * nothing is left of do not gather. */
#define LOOKS 4u

static struct fmt_rec_asked *at(uint64_t address)
{
  return (struct fmt_rec_asked *)(uintptr_t)address;
}

/* A record that was used before, with its counts set to zero, or a new one. NULL: no space. */
static struct fmt_rec_asked *take_record(void)
{
  prof_lock(&prof_process.asked_lock);
  struct fmt_rec_asked *record = prof_process.free_asked;
  if (record)
    prof_process.free_asked = at(record->next);
  prof_unlock(&prof_process.asked_lock);
  if (!record)
    record = prof_record_small(sizeof *record);
  if (record)
    *record = (struct fmt_rec_asked){.tag = {FMT_TAG_ASKED, sizeof *record}};
  return record;
}

static void give_record(struct fmt_rec_asked *record)
{
  prof_lock(&prof_process.asked_lock);
  record->next = (uintptr_t)prof_process.free_asked;
  prof_process.free_asked = record;
  prof_unlock(&prof_process.asked_lock);
}

struct fmt_rec_asked *prof_asked_record(const struct fmt_rec_edge *edge, uint64_t period)
{
  struct fmt_rec_asked_list *list = prof_edge_asked(edge);
  if (!list || list->first)
    return list ? at(list->first) : NULL;
  struct fmt_rec_asked *made = take_record();
  if (!made)
    return NULL;
  made->period = (uint32_t)period;
  list->last = (uintptr_t)made;
  __atomic_store_n(&list->first, (uintptr_t)made, __ATOMIC_RELEASE);
  return made;
}

/* Is there no block of it that somebody may free? Nobody asks for more in it. */
static bool is_settled(const struct fmt_rec_asked *record)
{
  return __atomic_load_n(&record->freed_calls, __ATOMIC_ACQUIRE) + record->lost_calls == record->calls;
}

static void append(struct fmt_rec_asked_list *list, struct fmt_rec_asked *record)
{
  record->next = 0;
  if (list->last)
    __atomic_store_n(&at(list->last)->next, (uintptr_t)record, __ATOMIC_RELEASE);
  else
    __atomic_store_n(&list->first, (uintptr_t)record, __ATOMIC_RELEASE);
  list->last = (uintptr_t)record;
}

static void move(uint64_t *target, uint64_t *source)
{
  __atomic_add_fetch(target, *source, __ATOMIC_RELAXED);
  __atomic_store_n(source, 0, __ATOMIC_RELAXED);
}

/* Gives the list a record that is in none: what is settled is added to the first one, and the rest waits behind it. */
static void accept(struct fmt_rec_asked_list *list, struct fmt_rec_asked *record)
{
  struct fmt_rec_asked *sum = at(list->first);
  if (!sum || !is_settled(record)) {
    append(list, record);
    return;
  }
  move(&sum->calls, &record->calls);
  move(&sum->bytes, &record->bytes);
  move(&sum->lost_calls, &record->lost_calls);
  move(&sum->lost_bytes, &record->lost_bytes);
  move(&sum->freed_calls, &record->freed_calls);
  move(&sum->freed_bytes, &record->freed_bytes);
  give_record(record);
}

/* Takes the oldest record behind the first one out of the list. NULL: there is none. */
static struct fmt_rec_asked *take_oldest(struct fmt_rec_asked_list *list)
{
  struct fmt_rec_asked *sum = at(list->first), *oldest = sum ? at(sum->next) : NULL;
  if (!oldest)
    return NULL;
  __atomic_store_n(&sum->next, oldest->next, __ATOMIC_RELEASE);
  if (list->last == (uintptr_t)oldest)
    list->last = (uintptr_t)sum;
  return oldest;
}

void prof_asked_move(struct fmt_rec_edge *target, struct fmt_rec_edge *source)
{
  struct fmt_rec_asked_list *from = prof_edge_asked(source), *to = prof_edge_asked(target);
  if (!from || !to || !from->first)
    return;
  struct fmt_rec_asked *record = at(from->first);
  from->first = from->last = 0;
  while (record) {
    struct fmt_rec_asked *next = at(record->next);
    accept(to, record);
    record = next;
  }
  struct fmt_rec_asked *oldest;
  for (unsigned i = 0; i < LOOKS && (oldest = take_oldest(to)); i++)
    accept(to, oldest);
}

void prof_asked_clear(const struct fmt_rec_edge *edge, uint64_t period)
{
  const struct fmt_rec_asked_list *list = prof_edge_asked(edge);
  for (struct fmt_rec_asked *record = list ? at(list->first) : NULL; record; record = at(record->next)) {
    /* First, so that what is freed from now on does not count as what was asked for before. */
    __atomic_store_n(&record->period, (uint32_t)period, __ATOMIC_SEQ_CST);
    record->calls = record->bytes = record->lost_calls = record->lost_bytes = 0;
    __atomic_store_n(&record->freed_calls, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->freed_bytes, 0, __ATOMIC_RELAXED);
  }
}
