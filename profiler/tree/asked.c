/*
 * Records of what was asked the allocator for. A block that is freed leads to the record that it was counted in, by an
 * address that never means anything else while the block lives: so records lie in no tree's memory, and one is used
 * again when nothing that was counted in it is left. An edge whose threads have ended has one record for all that is
 * settled, and behind it those that blocks still lead to, the oldest first.
 *
 * Where a period begins, an edge's records are taken from it, and it begins with another: what is freed of the blocks
 * before counts where nobody reads it, however late. There are at most as many of these records as blocks live.
 *
 * A record says how many calls are under way that count in it, so that nobody else is given it meanwhile. A call that
 * is left by a longjmp() stays among them, until its thread has ended or a period begins in which it has no such call
 * open.
 *
 * Records that are free lie on R. K. Treiber's stack ("Systems Programming: Coping with Parallelism", IBM RJ 5118,
 * 1986), whose head is a pair of words: the newest record, and how often the head was replaced. That count goes on, so
 * that who was interrupted finds another head even if the same record is on top again. So a record is taken by any
 * thread, and by what interrupts it there, without waiting for another one.
 */
#include "profiler/tree/asked.h"

#include "profiler/arch/primitives.h"
#include "profiler/base/counter.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"

/* How many records are looked at whenever an edge takes some from another, or is left by one: more than it takes, so
 * that those which nothing is left of do not gather. */
#define LOOKS 4u

static struct fmt_rec_asked *at(uint64_t address)
{
  return (struct fmt_rec_asked *)(uintptr_t)address;
}

/* The stack's head; where it is replaced between the two loads, replacing what was found fails. */
static struct prof_word_pair free_head(void)
{
  return (struct prof_word_pair){__atomic_load_n(&prof_process.free_asked.first, __ATOMIC_ACQUIRE),
                                 __atomic_load_n(&prof_process.free_asked.second, __ATOMIC_ACQUIRE)};
}

/* A record that was used before, or NULL. What `next` of one is that another thread has taken meanwhile is not used. */
static struct fmt_rec_asked *take_free(void)
{
  struct prof_word_pair head = free_head();
  while (head.first) {
    const struct prof_word_pair rest = {__atomic_load_n(&at(head.first)->next, __ATOMIC_RELAXED), head.second + 1};
    if (prof_word_pair_replace(&prof_process.free_asked, &head, rest))
      return at(head.first);
  }
  return NULL;
}

static void give_record(struct fmt_rec_asked *record)
{
  struct prof_word_pair head = free_head();
  do
    __atomic_store_n(&record->next, head.first, __ATOMIC_RELAXED);
  while (!prof_word_pair_replace(&prof_process.free_asked, &head,
                                 (struct prof_word_pair){(uintptr_t)record, head.second + 1}));
}

/* A record that was used before, with its counts set to zero, or a new one. NULL: no space. */
static struct fmt_rec_asked *take_record(void)
{
  struct fmt_rec_asked *record = take_free();
  if (!record)
    record = prof_record_small(sizeof *record);
  if (!record)
    return NULL;
  record->tag = (struct fmt_rec_tag){FMT_TAG_ASKED, sizeof *record};
  record->next = record->calls = record->bytes = record->freed_calls = record->freed_bytes = 0;
  record->lost_calls = record->lost_bytes = 0;
  /* `open` stays: somebody who was late may be about to take back what he added. */
  return record;
}

struct fmt_rec_asked *prof_asked_record(const struct fmt_rec_edge *edge)
{
  struct fmt_rec_asked_list *list = prof_edge_asked(edge);
  if (!list || list->first)
    return list ? at(list->first) : NULL;
  struct fmt_rec_asked *made = take_record();
  if (!made)
    return NULL;
  list->last = (uintptr_t)made;
  __atomic_store_n(&list->first, (uintptr_t)made, __ATOMIC_RELEASE);
  return made;
}

struct fmt_rec_asked *prof_asked_open(const struct fmt_rec_asked_list *list)
{
  struct fmt_rec_asked *record;
  while ((record = at(__atomic_load_n(&list->first, __ATOMIC_ACQUIRE)))) {
    __atomic_add_fetch(&record->open, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&list->first, __ATOMIC_SEQ_CST) == (uintptr_t)record)
      break;
    prof_asked_close(record);
  }
  return record;
}

void prof_asked_close(struct fmt_rec_asked *record)
{
  uint32_t open = __atomic_load_n(&record->open, __ATOMIC_RELAXED);
  while (open && !__atomic_compare_exchange_n(&record->open, &open, open - 1, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
}

/* No call is under way that counts in the record: one that was left by a longjmp() never tells of its end. */
static void end_calls(struct fmt_rec_asked *record)
{
  __atomic_store_n(&record->open, 0, __ATOMIC_RELEASE);
}

/* Is there no block of it that somebody may free, and no call that may ask for one? No other call begins in it. */
static bool is_settled(const struct fmt_rec_asked *record)
{
  return __atomic_load_n(&record->open, __ATOMIC_SEQ_CST) == 0 &&
         __atomic_load_n(&record->freed_calls, __ATOMIC_ACQUIRE) +
                 __atomic_load_n(&record->lost_calls, __ATOMIC_ACQUIRE) ==
             record->calls;
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
  prof_add_saturated(target, *source);
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
    end_calls(record);
    accept(to, record);
    record = next;
  }
  struct fmt_rec_asked *oldest;
  for (unsigned i = 0; i < LOOKS && (oldest = take_oldest(to)); i++)
    accept(to, oldest);
}

/* Keeps a record that was taken from its edge until it is settled. */
static void retire(struct fmt_rec_asked *record)
{
  struct fmt_rec_asked_list *retired = &prof_process.retired_asked;
  append(retired, record);
  for (unsigned i = 0; i < LOOKS && retired->first; i++) {
    struct fmt_rec_asked *oldest = at(retired->first);
    retired->first = oldest->next;
    if (!retired->first)
      retired->last = 0;
    if (is_settled(oldest))
      give_record(oldest);
    else
      append(retired, oldest);
  }
}

void prof_asked_clear(const struct fmt_rec_edge *edge, bool is_asking)
{
  struct fmt_rec_asked_list *list = prof_edge_asked(edge);
  if (!list)
    return;
  struct fmt_rec_asked *record = at(list->first);
  list->last = 0;
  __atomic_store_n(&list->first, 0, __ATOMIC_SEQ_CST);
  while (record) {
    struct fmt_rec_asked *next = at(record->next);
    if (!is_asking)
      end_calls(record);
    retire(record);
    record = next;
  }
}
