/*
 * Queues of the program's own, between two hooks around each put and each get.
 *
 * The level follows every put and get, whatever is recorded, so that it stays true; the waits are counted by the thread
 * while it records.
 */
#include "profiler/pipeline/queue.h"

#include <errno.h>
#include <stddef.h>

#include "callsig/callsig.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/counter.h"
#include "profiler/base/histogram_record.h"
#include "profiler/base/lock.h"
#include "profiler/base/options.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/text.h"
#include "profiler/pipeline/open_task.h"
#include "profiler/pipeline/open_wait.h"
#include "profiler/pipeline/queue_level.h"
#include "profiler/pipeline/stage.h"
#include "profiler/session/startup.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/ring.h"
#include "profiler/stack/thread.h"

/* A queue, by label. In the process's arena, for as long as the process; it is its own handle. */
struct callsig_queue {
  struct callsig_queue *next;
  uint32_t number; /* 0, 1, 2 ...: its place in the tables of threads */
  uint32_t pipeline, index;
  uint32_t opens; /* under stages_lock */
  uint64_t capacity;
  uint64_t kept_items;          /* of the parent's recording, after a fork */
  uint32_t epoch;               /* of the recording that holds `record` */
  struct fmt_rec_queue *record; /* NULL: there is no space for it */
  char label[];
};

/* ---------------------------------------------------------------------------------------------------------------------
 * Opening and closing
 * ------------------------------------------------------------------------------------------------------------------ */

/* Under stages_lock. */
static struct fmt_rec_queue *make_record(const struct callsig_queue *queue)
{
  const char *name = prof_label_name(queue->label);
  const struct fmt_rec_name *name_record = prof_record_name(name, prof_length(name));
  const struct fmt_rec_name *label = prof_record_name(queue->label, prof_length(queue->label));
  struct fmt_rec_queue *record = name_record && label ? prof_record_small(sizeof *record) : NULL;
  if (!record)
    return NULL;
  uint64_t now = prof_clock_shared();
  record->name = (uintptr_t)name_record;
  record->label = (uintptr_t)label;
  record->pipeline = queue->pipeline;
  record->index = queue->index;
  record->capacity = queue->capacity;
  record->number = queue->number;
  record->opened_ticks = now;
  record->level.items = record->high_water = queue->kept_items;
  record->level.empty_ticks = queue->kept_items ? 0 : -now;
  record->next = prof_process.header->first_queue;
  record->tag = (struct fmt_rec_tag){FMT_TAG_QUEUE, sizeof *record};
  __atomic_store_n(&prof_process.header->first_queue, (uintptr_t)record, __ATOMIC_RELEASE);
  return record;
}

/* Under stages_lock. */
static struct fmt_rec_queue *record_of(struct callsig_queue *queue)
{
  if (queue->epoch != prof_process.epoch) {
    queue->record = NULL;
    queue->epoch = prof_process.epoch;
  }
  if (!queue->record && prof_process.header)
    __atomic_store_n(&queue->record, make_record(queue), __ATOMIC_RELEASE);
  return queue->record;
}

static inline struct fmt_rec_queue *record_known(const struct callsig_queue *queue)
{
  return queue->epoch == prof_process.epoch ? __atomic_load_n(&queue->record, __ATOMIC_ACQUIRE) : NULL;
}

/* In a forked child, before the parent's recording is given up: notes what each queue holds. */
static void keep_levels(void)
{
  for (struct callsig_queue *queue = prof_process.queues; queue; queue = queue->next) {
    const struct fmt_rec_queue *record = record_known(queue);
    queue->kept_items = record && (int64_t)record->level.items > 0 ? record->level.items : 0;
  }
}

/* The queue's record in the recording of this process, made when a fork has left it behind. NULL: no space. */
static struct fmt_rec_queue *current_record(struct callsig_queue *queue)
{
  struct fmt_rec_queue *known = prof_fork_happened() ? NULL : record_known(queue);
  if (PROF_LIKELY(known))
    return known;
  if (prof_start_now() != 0)
    return NULL;
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.stages_lock);
  known = record_of(queue);
  prof_unlock(&prof_process.stages_lock);
  prof_restore_signals(mask);
  return known;
}

/* The queue with these options, made when new. NULL: no memory. Under stages_lock. */
static struct callsig_queue *find_queue(const struct callsig_queue_options *options)
{
  char label[PROF_LABEL_MAX];
  struct prof_text text = prof_text_begin(label, sizeof label);
  prof_stage_write_label(&text, options->pipeline, options->index, options->name, 1);
  struct callsig_queue *queue = prof_process.queues;
  while (queue && !prof_equal(queue->label, label))
    queue = queue->next;
  if (queue)
    return queue;
  queue = prof_label_alloc(offsetof(struct callsig_queue, label), label);
  if (!queue)
    return NULL;
  queue->number = prof_process.queues ? prof_process.queues->number + 1 : 0;
  queue->pipeline = options->pipeline;
  queue->index = options->index;
  queue->epoch = prof_process.epoch;
  queue->next = prof_process.queues;
  prof_process.queues = queue;
  prof_process.upcalls.keep_queue_levels = keep_levels;
  return queue;
}

/* Goes on where the queue was closed, empty: the time in between is none of its own. Under stages_lock. */
static void reopen(struct fmt_rec_queue *record)
{
  uint64_t now = prof_clock_shared(), closed = record->closed_ticks;
  struct fmt_rec_queue_level level = record->level, empty;
  do {
    empty.items = 0;
    empty.empty_ticks = level.empty_ticks - now + ((int64_t)level.items <= 0 ? closed : 0);
  } while (!prof_queue_level_replace(&record->level, &level, empty));
  record->opened_ticks += now - closed;
  record->closed_ticks = 0;
}

static struct callsig_queue *open_queue(const struct callsig_queue_options *options)
{
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.stages_lock);
  struct callsig_queue *queue = find_queue(options);
  if (queue) {
    queue->capacity = options->capacity;
    struct fmt_rec_queue *record = record_of(queue);
    if (record && queue->opens == 0 && record->closed_ticks)
      reopen(record);
    if (record)
      record->capacity = options->capacity;
    queue->opens++;
  }
  prof_unlock(&prof_process.stages_lock);
  prof_restore_signals(mask);
  return queue;
}

int callsig_queue_open(const struct callsig_queue_options *given, struct callsig_queue **queue)
{
  struct callsig_queue_options options;
  if (!given || !queue || given->size < offsetof(struct callsig_queue_options, capacity) ||
      prof_options_check("callsig_queue_open", given, sizeof options) != 0)
    return -EINVAL;
  prof_options_copy(&options, sizeof options, given);
  size_t length = options.name ? prof_length(options.name) : 0;
  if (length == 0 || length > PROF_STAGE_NAME_MAX)
    return -EINVAL;
  (void)prof_start_now(); /* without a recording there are queues all the same */
  *queue = open_queue(&options);
  return *queue ? 0 : -ENOMEM;
}

void callsig_queue_close(struct callsig_queue *queue)
{
  if (!queue || !prof_start_own())
    return;
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.stages_lock);
  struct fmt_rec_queue *record = record_known(queue);
  if (--queue->opens == 0 && record)
    record->closed_ticks = prof_clock_shared();
  prof_unlock(&prof_process.stages_lock);
  prof_restore_signals(mask);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The level
 * ------------------------------------------------------------------------------------------------------------------ */

/* The level with other items, at `now`. */
static struct fmt_rec_queue_level with_items(struct fmt_rec_queue_level level, uint64_t items, uint64_t now)
{
  bool was_empty = (int64_t)level.items <= 0, is_empty = (int64_t)items <= 0;
  if (was_empty && !is_empty)
    level.empty_ticks += now;
  else if (!was_empty && is_empty)
    level.empty_ticks -= now;
  level.items = items;
  return level;
}

static void raise_high_water(struct fmt_rec_queue *record, uint64_t items)
{
  uint64_t known = __atomic_load_n(&record->high_water, __ATOMIC_RELAXED);
  while ((int64_t)items > (int64_t)known &&
         !__atomic_compare_exchange_n(&record->high_water, &known, items, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* Adds `change` (modulo 2^64) to the items. Gives how many there are then. */
static uint64_t change_level(struct fmt_rec_queue *record, uint64_t change, uint64_t now)
{
  struct fmt_rec_queue_level level = record->level;
  while (!prof_queue_level_replace(&record->level, &level, with_items(level, level.items + change, now)))
    ;
  uint64_t items = level.items + change;
  raise_high_water(record, items);
  return items;
}

void callsig_queue_set_level(struct callsig_queue *queue, uint64_t items)
{
  struct fmt_rec_queue *record = current_record(queue);
  if (!record)
    return;
  struct fmt_rec_queue_level level = record->level;
  uint64_t now = prof_clock_shared();
  while (!prof_queue_level_replace(&record->level, &level, with_items(level, items, now)))
    ;
  raise_high_water(record, items);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Waits
 * ------------------------------------------------------------------------------------------------------------------ */

/* The use of the queue in the tree, made when new. NULL: no space. In a slow section. */
static struct fmt_rec_queue_use *use_of(struct prof_tree *tree, const struct fmt_rec_queue *queue)
{
  for (uint64_t at = tree->record->first_queue_use; at; at = ((const struct fmt_rec_queue_use *)at)->next)
    if (((const struct fmt_rec_queue_use *)at)->queue == (uintptr_t)queue)
      return (struct fmt_rec_queue_use *)at;
  struct fmt_rec_histogram *put = prof_histogram_make(tree, PROF_TASK_SUB_BITS);
  struct fmt_rec_histogram *get = prof_histogram_make(tree, PROF_TASK_SUB_BITS);
  struct fmt_rec_queue_use *use = put && get ? prof_record_alloc(tree, sizeof *use) : NULL;
  if (!use)
    return NULL;
  use->queue = (uintptr_t)queue;
  use->put_min = use->get_min = UINT64_MAX;
  use->put_histogram = (uintptr_t)put;
  use->get_histogram = (uintptr_t)get;
  use->next = tree->record->first_queue_use;
  use->tag = (struct fmt_rec_tag){FMT_TAG_QUEUE_USE, sizeof *use};
  __atomic_store_n(&tree->record->first_queue_use, (uintptr_t)use, __ATOMIC_RELEASE);
  return use;
}

/* What the calling thread has of the queue, made when new; NULL: no space. */
static PROF_COLD struct fmt_rec_queue_use *make_use(const struct callsig_queue *queue)
{
  struct prof_thread *t = prof_thread_enter();
  if (!t)
    return NULL;
  const struct fmt_rec_queue *record = record_known(queue);
  struct fmt_rec_queue_use *use = NULL;
  if (record && prof_uses_reserve(t, &t->queue_uses, queue->number)) {
    use = t->queue_uses.items[queue->number];
    if (!use)
      use = use_of(&t->tree, record);
    t->queue_uses.items[queue->number] = use;
  }
  if (!use)
    prof_count_loss(FMT_LOSS_NO_SPACE, 1);
  prof_slow_leave(t);
  return prof_thread_running(t) ? use : NULL; /* it may have learnt just now that recording is off */
}

static inline struct fmt_rec_queue_use *use_known(const struct prof_thread *t, const struct callsig_queue *queue)
{
  return prof_use_known(&t->queue_uses, queue->number);
}

/* One of the two kinds of waits. */
struct waits {
  uint64_t *count, *total, *min, *max;
  struct fmt_rec_histogram *histogram;
};

static struct waits puts_of(struct fmt_rec_queue_use *use)
{
  return (struct waits){&use->puts, &use->put_total, &use->put_min, &use->put_max,
                        (struct fmt_rec_histogram *)use->put_histogram};
}

static struct waits gets_of(struct fmt_rec_queue_use *use)
{
  return (struct waits){&use->gets, &use->get_total, &use->get_min, &use->get_max,
                        (struct fmt_rec_histogram *)use->get_histogram};
}

static PROF_COLD void extend_histogram(struct fmt_rec_histogram *histogram, uint64_t ticks)
{
  struct prof_thread *t = prof_thread_enter();
  if (!t)
    return;
  if (!prof_histogram_add(&t->tree, histogram, ticks))
    prof_count_loss(FMT_LOSS_HISTOGRAM, 1);
  prof_slow_leave(t);
}

static inline void count_wait(const struct waits *waits, uint64_t ticks)
{
  prof_add(waits->count, 1);
  prof_add(waits->total, ticks);
  prof_note_extremes(waits->min, waits->max, ticks);
  if (PROF_UNLIKELY(!prof_histogram_count(waits->histogram, ticks)))
    extend_histogram(waits->histogram, ticks);
}

/* 0 while the thread does not record. */
static uint64_t begin(void)
{
  struct prof_thread *t = prof_self;
  uint32_t state = t ? __atomic_load_n(&t->state, __ATOMIC_RELAXED) : PROF_HOOKS_SLOW;
  if (state == PROF_HOOKS_OFF || state == PROF_HOOKS_GONE)
    return 0;
  const uint64_t now = prof_clock_shared();
  if (state == PROF_HOOKS_ON || state == PROF_HOOKS_CLOCK) {
    t->in_queue = 1;
    prof_wait_note(t, now);
  }
  return now;
}

uint64_t callsig_queue_put_begin(struct callsig_queue *queue)
{
  (void)queue;
  return begin();
}

uint64_t callsig_queue_get_begin(struct callsig_queue *queue)
{
  (void)queue;
  return begin();
}

/* The thread's use of the queue when this wait is to be counted, else NULL. */
static inline struct fmt_rec_queue_use *counted_use(const struct callsig_queue *queue, uint64_t token)
{
  struct prof_thread *t = prof_self;
  if (!token)
    return NULL;
  struct fmt_rec_queue_use *use = prof_thread_running(t) ? use_known(t, queue) : NULL;
  return PROF_LIKELY(use) ? use : make_use(queue);
}

static inline void end(struct callsig_queue *queue, uint64_t token, uint64_t item, bool failed, bool is_put)
{
  struct fmt_rec_queue *record = current_record(queue);
  if (prof_thread_running(prof_self))
    prof_self->in_queue = 0;
  if (!record)
    return;
  uint64_t now = prof_clock_shared(), items = record->level.items;
  if (!failed)
    items = change_level(record, is_put ? 1 : (uint64_t)-1, now);
  struct fmt_rec_queue_use *use = counted_use(queue, token);
  if (!use || prof_self->warming)
    return;
  struct prof_open_task *task = prof_open_task_recorded();
  const uint64_t ticks = prof_wait_net(prof_self, task, token, now);
  prof_wait_count(prof_self, task, ticks, now);
  if (failed) {
    prof_add(&use->failed, 1);
    return;
  }
  struct waits waits = is_put ? puts_of(use) : gets_of(use);
  count_wait(&waits, ticks);
  prof_ring_add(prof_self, is_put ? FMT_SPAN_PUT : FMT_SPAN_GET, record, token, ticks, item,
                (int64_t)items > 0 ? (uint32_t)items : 0);
}

void callsig_queue_put_end(struct callsig_queue *queue, uint64_t token, uint64_t item, int failed)
{
  end(queue, token, item, failed != 0, true);
}

void callsig_queue_get_end(struct callsig_queue *queue, uint64_t token, uint64_t item, int failed)
{
  end(queue, token, item, failed != 0, false);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void merge_waits(struct prof_tree *target, const struct waits *to, const struct waits *from, uint64_t *histogram)
{
  uint64_t waste = 0;
  prof_move(to->count, from->count);
  prof_move(to->total, from->total);
  if (*from->min <= *from->max) {
    prof_note_extremes(to->min, to->max, *from->min);
    prof_note_extremes(to->min, to->max, *from->max);
  }
  if (!prof_histogram_move(target, histogram, from->histogram, &waste))
    prof_count_loss(FMT_LOSS_HISTOGRAM, waste);
}

void prof_queue_uses_clear(const struct fmt_rec_thread *record)
{
  for (uint64_t at = record->first_queue_use; at; at = ((const struct fmt_rec_queue_use *)at)->next) {
    struct fmt_rec_queue_use *use = (struct fmt_rec_queue_use *)at;
    use->puts = use->put_total = use->put_max = use->gets = use->get_total = use->get_max = use->failed = 0;
    use->put_min = use->get_min = UINT64_MAX;
    prof_histogram_clear((struct fmt_rec_histogram *)use->put_histogram);
    prof_histogram_clear((struct fmt_rec_histogram *)use->get_histogram);
  }
}

/* As opened at `now` with the items that it holds. One that is closed was there for no time. */
static void begin_anew(struct fmt_rec_queue *record, uint64_t now)
{
  struct fmt_rec_queue_level level = record->level, anew;
  if (record->closed_ticks)
    now = record->closed_ticks;
  do {
    anew = (struct fmt_rec_queue_level){level.items, (int64_t)level.items > 0 ? 0 : -now};
  } while (!prof_queue_level_replace(&record->level, &level, anew));
  record->opened_ticks = now;
  __atomic_store_n(&record->high_water, (int64_t)anew.items > 0 ? anew.items : 0, __ATOMIC_RELAXED);
}

void prof_queues_clear(struct fmt_rec_header *header)
{
  for (uint64_t at = header->first_queue; at; at = ((const struct fmt_rec_queue *)at)->next)
    begin_anew((struct fmt_rec_queue *)at, prof_clock_shared());
}

uint64_t prof_queues_merge(struct prof_tree *target, const struct fmt_rec_thread *source)
{
  uint64_t lost = 0;
  for (uint64_t at = source->first_queue_use; at; at = ((const struct fmt_rec_queue_use *)at)->next) {
    struct fmt_rec_queue_use *from = (struct fmt_rec_queue_use *)at;
    struct fmt_rec_queue_use *to = use_of(target, (const struct fmt_rec_queue *)from->queue);
    if (!to) {
      lost += from->puts + from->gets;
      continue;
    }
    struct waits to_puts = puts_of(to), from_puts = puts_of(from), to_gets = gets_of(to), from_gets = gets_of(from);
    merge_waits(target, &to_puts, &from_puts, &to->put_histogram);
    merge_waits(target, &to_gets, &from_gets, &to->get_histogram);
    prof_move(&to->failed, &from->failed);
  }
  return lost;
}
