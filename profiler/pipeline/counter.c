/*
 * Counters and levels: found by key in the process, and counted by each thread for itself, by stage.
 *
 * A thread remembers where it counts what by the addresses of key and stage; the key's text is compared too, by words,
 * since what lies at its address may have changed. What it does not remember takes the slow way.
 */
#include "profiler/pipeline/counter.h"

#include <errno.h>
#include <stdbool.h>

#include "callsig/callsig.h"
#include "profiler/base/arena.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/counter.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/text.h"
#include "profiler/pipeline/open_task.h"
#include "profiler/pipeline/stage.h"
#include "profiler/session/requests.h"
#include "profiler/session/startup.h"

/* The first slots: 2^22 ticks, some milliseconds. */
#define FIRST_SHIFT 22u

/* Of a text, at any address. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word;
typedef uint32_t __attribute__((may_alias, aligned(1))) half;

#define PLACES 128u /* a power of two */

/* What a signed number is ordered by as an unsigned one. */
#define BIAS (UINT64_C(1) << 63)

/* A key's record. In the process's arena; never taken out. */
struct known {
  struct known *next;
  struct fmt_rec_counter *record;
  const struct fmt_rec_name *name;
};

/* Of the recording number `epoch`, under stages_lock. */
static struct {
  uint32_t epoch;
  uint32_t count;
  struct known *first;
} counters;

/* Where a thread counts a key in a stage. Written in slow sections. */
struct place {
  const char *key;
  const struct prof_stage *stage;  /* NULL: outside of any */
  const char *text;                /* the key as it was */
  uint32_t words;                  /* the bytes of the text, with the NUL, where the key is compared by words; else 0 */
  uint32_t kind;                   /* enum fmt_counter_kind */
  struct fmt_rec_counter_use *use; /* NULL: nothing was counted here yet */
};

/* In the tree's arena. */
struct prof_counter_places {
  struct place places[PLACES];
};

static inline struct place *place_of(const struct prof_thread *t, const char *key, const struct prof_stage *stage)
{
  const uintptr_t hash = (uintptr_t)key ^ (uintptr_t)key >> 7 ^ (uintptr_t)stage >> 5;
  return &t->counter_places->places[hash & (PLACES - 1)];
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The slow way
 * ------------------------------------------------------------------------------------------------------------------ */

static const struct fmt_rec_counter *publish(const char *key, uint32_t kind)
{
  struct known *made = prof_process_alloc(sizeof *made);
  if (!made)
    return NULL;
  made->name = prof_record_name(key, prof_length(key));
  made->record = made->name ? prof_record_small(sizeof *made->record) : NULL;
  if (!made->record)
    return NULL;
  made->record->name = (uintptr_t)made->name;
  made->record->kind = kind;
  made->record->next = prof_process.header->first_counter;
  made->record->tag = (struct fmt_rec_tag){FMT_TAG_COUNTER, sizeof *made->record};
  __atomic_store_n(&prof_process.header->first_counter, (uintptr_t)made->record, __ATOMIC_RELEASE);
  made->next = counters.first;
  counters.first = made;
  counters.count++;
  return made->record;
}

/* The record of the key, made when new; NULL and why: -EINVAL when it is one of the other kind, -ENOSPC. Under
 * stages_lock. */
static const struct fmt_rec_counter *record_of(const char *key, uint32_t kind, int *error)
{
  if (counters.epoch != prof_process.epoch) {
    counters.first = NULL;
    counters.count = 0;
    counters.epoch = prof_process.epoch;
  }
  const struct known *at = counters.first;
  while (at && !prof_equal(at->name->text, key))
    at = at->next;
  *error = at ? -EINVAL : -ENOSPC;
  if (at)
    return at->record->kind == kind ? at->record : NULL;
  return counters.count < PROF_COUNTERS_MAX ? publish(key, kind) : NULL;
}

/* The use in the tree, made when new. NULL: no space. In a slow section. */
static struct fmt_rec_counter_use *use_of(struct prof_tree *tree, uint64_t counter, uint64_t stage)
{
  for (uint64_t at = tree->record->first_counter_use; at; at = ((const struct fmt_rec_counter_use *)at)->next) {
    struct fmt_rec_counter_use *use = (struct fmt_rec_counter_use *)at;
    if (use->counter == counter && use->stage == stage)
      return use;
  }
  struct fmt_rec_counter_use *use = prof_record_alloc(tree, sizeof *use);
  if (!use)
    return NULL;
  use->counter = counter;
  use->stage = stage;
  use->least = UINT64_MAX;
  use->shift = FIRST_SHIFT;
  use->next = tree->record->first_counter_use;
  use->tag = (struct fmt_rec_tag){FMT_TAG_COUNTER_USE, sizeof *use};
  __atomic_store_n(&tree->record->first_counter_use, (uintptr_t)use, __ATOMIC_RELEASE);
  return use;
}

/* Words are read up to the key's end, which may have moved nearer later: only where that is the same page. */
static uint32_t words_of(const char *key, uint32_t size)
{
  const uintptr_t page = 4096;
  return size >= sizeof(half) && ((uintptr_t)key & (page - 1)) + size <= page ? size : 0;
}

/* Remembers it, in place of another. In a slow section. */
static void remember(struct prof_thread *t, const char *key, const struct prof_stage *stage,
                     struct fmt_rec_counter_use *use)
{
  if (!t->counter_places)
    t->counter_places = prof_arena_alloc(&t->tree.arena, sizeof *t->counter_places);
  if (!t->counter_places)
    return;
  const struct fmt_rec_counter *counter = (const struct fmt_rec_counter *)use->counter;
  const struct fmt_rec_name *name = (const struct fmt_rec_name *)counter->name;
  *place_of(t, key, stage) =
      (struct place){key, stage, name->text, words_of(key, name->length + 1), counter->kind, use};
}

/* Finds where the thread counts the key in the stage. *use is NULL where the thread does not record, which is no error,
 * and with an error. */
static int find_use(const char *key, const struct prof_stage *stage, uint32_t kind, struct fmt_rec_counter_use **use)
{
  int error = 0;
  *use = NULL;
  struct prof_thread *t = prof_thread_enter();
  if (!t)
    return 0;
  prof_lock(&prof_process.stages_lock);
  const struct fmt_rec_counter *record = record_of(key, kind, &error);
  prof_unlock(&prof_process.stages_lock);
  if (stage && stage->epoch != prof_process.epoch)
    stage = NULL;
  if (record) {
    *use = use_of(&t->tree, (uintptr_t)record, stage ? (uintptr_t)stage->record : 0);
    error = *use ? 0 : -ENOSPC;
  }
  if (*use)
    remember(t, key, stage, *use);
  else if (error == -ENOSPC)
    prof_count_loss(FMT_LOSS_NO_SPACE, 1);
  prof_slow_leave(t);
  if (!prof_thread_running(t)) /* it may have learnt just now that recording is off */
    *use = NULL;
  return error;
}

static void widen(struct fmt_rec_counter_use *use)
{
  fmt_counter_slots_widen(use->slots);
  use->shift++;
}

static void extend(struct fmt_rec_counter_use *use, uint64_t since_start)
{
  struct prof_thread *t = prof_thread_enter();
  if (!t)
    return;
  while (use->shift < 63 && since_start >> use->shift >= FMT_COUNTER_SLOTS)
    widen(use);
  prof_slow_leave(t);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Counting
 * ------------------------------------------------------------------------------------------------------------------ */

/* The recorded task's stage, or NULL. */
static inline const struct prof_stage *stage_of(const struct prof_open_task *task)
{
  return task && task->stage ? task->stage->stage : NULL;
}

static inline uint64_t word_at(const char *text)
{
  return *(const word *)text;
}

static inline uint32_t half_at(const char *text)
{
  return *(const half *)text;
}

/* Is `key` still what it was when the place was made? */
static inline __attribute__((always_inline)) bool is_same(const struct place *place, const char *key)
{
  const char *text = place->text;
  const size_t size = place->words;
  size_t at = 0;
  if (size > 2 * sizeof(word) || size < sizeof(half)) {
    if (!size)
      return prof_equal(text, key);
    for (; at + 2 * sizeof(word) < size; at += sizeof(word))
      if (word_at(text + at) != word_at(key + at))
        return false;
  }
  if (size >= sizeof(word)) {
    const size_t last = size - sizeof(word);
    return !((word_at(text + at) ^ word_at(key + at)) | (word_at(text + last) ^ word_at(key + last)));
  }
  const size_t last = size - sizeof(half);
  return !((half_at(text) ^ half_at(key)) | (half_at(text + last) ^ half_at(key + last)));
}

/* Where the thread remembers to count the key in the stage; NULL: it does not. */
static inline __attribute__((always_inline)) struct fmt_rec_counter_use *
remembered(const struct prof_thread *t, const char *key, const struct prof_stage *stage, uint32_t kind)
{
  if (PROF_UNLIKELY(!t->counter_places))
    return NULL;
  const struct place *place = place_of(t, key, stage);
  if (PROF_UNLIKELY(place->key != key || place->stage != stage || place->kind != kind || !place->use))
    return NULL;
  return PROF_LIKELY(is_same(place, key)) ? place->use : NULL;
}

static inline __attribute__((always_inline)) void note(struct fmt_rec_counter_use *use, uint64_t amount, uint32_t kind,
                                                       uint64_t now, uint64_t slot)
{
  if (kind == FMT_COUNTER_LEVEL) {
    use->last = amount;
    prof_note_extremes(&use->least, &use->most, amount + BIAS);
  }
  prof_add(&use->count, 1);
  prof_add(&use->amount, amount);
  use->last_ticks = now;
  if (slot >= FMT_COUNTER_SLOTS)
    return;
  prof_add(&use->slots[slot].amount, amount);
  prof_add(&use->slots[slot].count, 1);
}

/* All of it: also where the thread does not remember the key, or does not record, and by any clock. */
static PROF_COLD int count_slowly(const char *key, uint64_t amount, uint32_t kind)
{
  struct prof_thread *t = prof_self;
  int error = 0;
  if (!key || !*key)
    return -EINVAL;
  if (!prof_thread_running(t) && !(t = prof_thread_wake()))
    return 0;
  const struct prof_stage *stage = stage_of(prof_open_task_recorded());
  struct fmt_rec_counter_use *use = remembered(t, key, stage, kind);
  if (!use) {
    if (prof_length(key) > PROF_COUNTER_KEY_MAX)
      return -EINVAL;
    error = find_use(key, stage, kind, &use);
  }
  if (!use || prof_self->warming)
    return error;
  const uint64_t now = prof_clock_shared(), start = prof_process.header->start.ticks;
  const uint64_t since = now > start ? now - start : 0;
  if (since >> use->shift >= FMT_COUNTER_SLOTS)
    extend(use, since);
  note(use, amount, kind, now, since >> use->shift);
  return 0;
}

/* A leaf, for what is usual: a thread that records, at the top of its list of tasks, and remembers the key. */
static inline __attribute__((always_inline)) int count(const char *key, uint64_t amount, uint32_t kind)
{
  const struct prof_thread *t = prof_self;
  const struct prof_open_chunk *chunk = prof_open_chunk;
  const struct prof_stage *stage = NULL;
  if (PROF_UNLIKELY(!prof_thread_running(t) || !t->counter_places || t->warming))
    return count_slowly(key, amount, kind);
  if (chunk && chunk->used) {
    const struct prof_open_task *task = &chunk->tasks[chunk->used - 1];
    if (PROF_UNLIKELY(!task->frame))
      return count_slowly(key, amount, kind);
    stage = stage_of(task);
  } else if (chunk && PROF_UNLIKELY(chunk->outer != NULL))
    return count_slowly(key, amount, kind);
  struct fmt_rec_counter_use *use = remembered(t, key, stage, kind);
  if (PROF_UNLIKELY(!use || prof_process.settings.clock != FMT_CLOCK_TSC))
    return count_slowly(key, amount, kind);
  const uint64_t now = prof_time_stamp(), slot = (now - prof_process.header->start.ticks) >> use->shift;
  if (PROF_UNLIKELY(slot >= FMT_COUNTER_SLOTS))
    return count_slowly(key, amount, kind);
  note(use, amount, kind, now, slot);
  return 0;
}

int callsig_counter_add(const char *key, uint64_t n)
{
  return count(key, n, FMT_COUNTER_SUM);
}

int callsig_level_set(const char *key, int64_t value)
{
  return count(key, (uint64_t)value, FMT_COUNTER_LEVEL);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void move_use(struct fmt_rec_counter_use *to, struct fmt_rec_counter_use *from)
{
  while (to->shift < from->shift)
    widen(to);
  while (from->shift < to->shift)
    widen(from);
  prof_move(&to->count, &from->count);
  prof_move(&to->amount, &from->amount);
  if (from->last_ticks >= to->last_ticks) {
    to->last = from->last;
    to->last_ticks = from->last_ticks;
  }
  if (from->least <= from->most) {
    prof_note_extremes(&to->least, &to->most, from->least);
    prof_note_extremes(&to->least, &to->most, from->most);
  }
  for (unsigned i = 0; i < FMT_COUNTER_SLOTS; i++) {
    prof_move(&to->slots[i].amount, &from->slots[i].amount);
    prof_move(&to->slots[i].count, &from->slots[i].count);
  }
}

void prof_counters_clear(const struct fmt_rec_thread *record)
{
  for (uint64_t at = record->first_counter_use; at; at = ((const struct fmt_rec_counter_use *)at)->next) {
    struct fmt_rec_counter_use *use = (struct fmt_rec_counter_use *)at;
    *use = (struct fmt_rec_counter_use){.tag = use->tag,
                                        .next = use->next,
                                        .counter = use->counter,
                                        .stage = use->stage,
                                        .least = UINT64_MAX,
                                        .shift = FIRST_SHIFT};
  }
}

uint64_t prof_counters_merge(struct prof_tree *target, const struct fmt_rec_thread *source)
{
  uint64_t lost = 0;
  for (uint64_t at = source->first_counter_use; at; at = ((const struct fmt_rec_counter_use *)at)->next) {
    struct fmt_rec_counter_use *from = (struct fmt_rec_counter_use *)at;
    struct fmt_rec_counter_use *to = use_of(target, from->counter, from->stage);
    if (to)
      move_use(to, from);
    else
      lost += from->count;
  }
  return lost;
}
