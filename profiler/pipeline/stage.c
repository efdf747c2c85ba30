/*
 * Stages: what is known of them in the process, and what a thread's tree has of each.
 */
#include "profiler/pipeline/stage.h"

#include <errno.h>
#include <stddef.h>

#include "format/hash.h"
#include "profiler/base/arena.h"
#include "profiler/base/clock.h"
#include "profiler/base/counter.h"
#include "profiler/base/histogram_record.h"
#include "profiler/base/lock.h"
#include "profiler/base/options.h"
#include "profiler/base/recording.h"
#include "profiler/pipeline/processors.h"
#include "profiler/pipeline/task_waits.h"
#include "profiler/session/startup.h"
#include "profiler/tree/tree.h"
#include "profiler/tree/user_edges.h"

#define FIRST_USES 16u

/* ------------------------------------------------------------------------------------------------------------------ */

static void publish(struct fmt_rec_header *header, struct fmt_rec_stage *record)
{
  record->next = header->first_stage;
  __atomic_store_n(&header->first_stage, (uintptr_t)record, __ATOMIC_RELEASE);
}

/* Under stages_lock. */
static struct fmt_rec_stage *make_record(const struct prof_stage *stage)
{
  const struct fmt_rec_name *name = prof_record_name(stage->name, stage->name_length);
  const struct fmt_rec_name *label = prof_record_name(stage->label, prof_length(stage->label));
  struct fmt_rec_stage *record = name && label ? prof_record_small(sizeof *record) : NULL;
  if (!record)
    return NULL;
  record->name = (uintptr_t)name;
  record->label = (uintptr_t)label;
  record->pipeline = stage->pipeline;
  record->index = stage->index;
  record->concurrency = stage->concurrency;
  record->number = stage->number;
  record->flags = stage->flags;
  record->opened_ticks = prof_clock_shared();
  record->tag = (struct fmt_rec_tag){FMT_TAG_STAGE, sizeof *record};
  record->processors = prof_processors_allowed();
  publish(prof_process.header, record);
  return record;
}

/* Under stages_lock. */
static struct fmt_rec_stage *record_of(struct prof_stage *stage)
{
  if (stage->epoch != prof_process.epoch) {
    stage->record = NULL;
    stage->texts = NULL;
    stage->epoch = prof_process.epoch;
  }
  if (!stage->record && prof_process.header)
    __atomic_store_n(&stage->record, make_record(stage), __ATOMIC_RELEASE);
  return stage->record;
}

/* The stage's record in the recording of this process, made when a fork has left it behind. NULL: no space. Takes
 * stages_lock. In a slow section. */
static struct fmt_rec_stage *current_record(struct prof_stage *stage)
{
  prof_lock(&prof_process.stages_lock);
  struct fmt_rec_stage *record = record_of(stage);
  prof_unlock(&prof_process.stages_lock);
  return record;
}

struct prof_stage *prof_stage_of_record(const struct fmt_rec_stage *record)
{
  prof_lock(&prof_process.stages_lock);
  struct prof_stage *stage = prof_process.stages;
  while (stage && stage->record != record)
    stage = stage->next;
  prof_unlock(&prof_process.stages_lock);
  return stage;
}

/* ------------------------------------------------------------------------------------------------------------------ */

void prof_stage_write_label(struct prof_text *text, uint32_t pipeline, uint32_t index, const char *name,
                            uint32_t concurrency)
{
  prof_text_add_number(text, pipeline, 10);
  prof_text_add(text, ":");
  prof_text_add_number(text, index, 10);
  prof_text_add(text, ":");
  prof_text_add(text, name);
  if (concurrency > 1) {
    prof_text_add(text, "[");
    prof_text_add_number(text, concurrency, 10);
    prof_text_add(text, "]");
  }
}

const char *prof_label_name(const char *label)
{
  for (unsigned colons = 0; colons < 2; label++)
    colons += *label == ':';
  return label;
}

void *prof_label_alloc(size_t size, const char *label)
{
  size_t length = prof_length(label);
  char *memory = prof_process_alloc(size + length + 1);
  for (size_t i = 0; memory && i < length; i++)
    memory[size + i] = label[i];
  return memory;
}

/* The stage with these options, made when new. NULL: no memory. Under stages_lock. */
static struct prof_stage *find_stage(const struct callsig_stage_options *options)
{
  char label[PROF_LABEL_MAX];
  struct prof_text text = prof_text_begin(label, sizeof label);
  prof_stage_write_label(&text, options->pipeline, options->index, options->name, options->concurrency);
  struct prof_stage *stage = prof_process.stages;
  while (stage && !(stage->concurrency == options->concurrency && prof_equal(stage->label, label)))
    stage = stage->next;
  if (stage)
    return stage;
  stage = prof_label_alloc(offsetof(struct prof_stage, label), label);
  if (!stage)
    return NULL;
  stage->number = prof_process.stages ? prof_process.stages->number + 1 : 0;
  stage->pipeline = options->pipeline;
  stage->index = options->index;
  stage->concurrency = options->concurrency;
  stage->name = prof_label_name(stage->label);
  stage->name_length = (uint32_t)prof_length(options->name);
  stage->next = prof_process.stages;
  prof_process.stages = stage;
  return stage;
}

/* Under stages_lock: one more handle of the stage is open. */
static void begin_use(struct prof_stage *stage, bool own_time)
{
  stage->flags = own_time ? FMT_STAGE_OWN_TIME : 0u;
  struct fmt_rec_stage *record = record_of(stage);
  if (!record)
    return;
  record->flags = stage->flags;
  if (stage->opens == 0 && record->closed_ticks) {
    /* The time while it was closed is none of its own. */
    record->opened_ticks += prof_clock_shared() - record->closed_ticks;
    record->closed_ticks = 0;
  }
}

static void end_use(struct prof_stage *stage)
{
  if (--stage->opens == 0 && stage->record && stage->epoch == prof_process.epoch)
    stage->record->closed_ticks = prof_clock_shared();
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* A handle with room for the callbacks: one that was closed, or a new one. Under stages_lock. */
static struct callsig_stage *take_handle(size_t hooks)
{
  struct callsig_stage **link = &prof_process.closed_stages;
  while (*link && (*link)->hook_capacity < hooks)
    link = &(*link)->next;
  struct callsig_stage *handle = *link;
  if (handle) {
    *link = handle->next;
    return handle;
  }
  handle = prof_process_alloc(sizeof *handle + hooks * sizeof handle->hooks[0]);
  if (handle)
    handle->hook_capacity = (uint32_t)hooks;
  return handle;
}

static void give_handle(struct callsig_stage *handle)
{
  handle->next = prof_process.closed_stages;
  prof_process.closed_stages = handle;
}

static void fill_handle(struct callsig_stage *handle, const struct callsig_stage_options *options)
{
  handle->max_failures = options->max_failures;
  handle->max_failure_permille = options->max_failure_permille;
  handle->limited = options->max_failures || options->max_failure_permille;
  handle->tasks = handle->failures = 0;
  handle->hook_count = (uint32_t)options->hook_count;
  for (size_t i = 0; i < options->hook_count; i++)
    prof_options_copy(&handle->hooks[i], sizeof handle->hooks[i], options->hooks[i]);
}

static int check_options(const struct callsig_stage_options *options)
{
  size_t length = options->name ? prof_length(options->name) : 0;
  if (length == 0 || length > PROF_STAGE_NAME_MAX || options->max_failure_permille > 1000 ||
      (options->hook_count && !options->hooks) || options->hook_count > PROF_STAGE_HOOKS_MAX)
    return -EINVAL;
  for (size_t i = 0; i < options->hook_count; i++)
    if (!options->hooks[i] || options->hooks[i]->size < sizeof(size_t) ||
        prof_options_check("callsig_stage_open", options->hooks[i], sizeof *options->hooks[i]) != 0)
      return -EINVAL;
  return 0;
}

/* A handle of the stage with these options, before its callbacks. NULL: no memory. */
static struct callsig_stage *open_handle(const struct callsig_stage_options *options)
{
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.stages_lock);
  struct prof_stage *stage = find_stage(options);
  struct callsig_stage *handle = stage ? take_handle(options->hook_count) : NULL;
  if (handle) {
    handle->stage = stage;
    handle->label = stage->label;
    fill_handle(handle, options);
    begin_use(stage, options->own_time != 0);
    stage->opens++;
  }
  prof_unlock(&prof_process.stages_lock);
  prof_restore_signals(mask);
  return handle;
}

static void close_handle(struct callsig_stage *handle)
{
  if (!prof_start_own())
    return;
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.stages_lock);
  end_use(handle->stage);
  give_handle(handle);
  prof_unlock(&prof_process.stages_lock);
  prof_restore_signals(mask);
}

int callsig_stage_open(const struct callsig_stage_options *given, struct callsig_stage **stage)
{
  struct callsig_stage_options options;
  if (!given || !stage || given->size < offsetof(struct callsig_stage_options, concurrency) ||
      prof_options_check("callsig_stage_open", given, sizeof options) != 0)
    return -EINVAL;
  prof_options_copy(&options, sizeof options, given);
  if (options.concurrency == 0)
    options.concurrency = 1;
  int error = check_options(&options);
  if (error)
    return error;
  (void)prof_start_now(); /* without a recording there are stages all the same */
  struct callsig_stage *handle = open_handle(&options);
  if (!handle)
    return -ENOMEM;
  error = prof_stage_enter(handle);
  if (error) {
    close_handle(handle);
    return error;
  }
  *stage = handle;
  return 0;
}

int callsig_stage_close(struct callsig_stage *stage)
{
  if (!stage)
    return 0;
  int error = prof_stage_leave(stage);
  close_handle(stage);
  return error;
}

const char *callsig_stage_label(const struct callsig_stage *stage)
{
  return stage->stage->label;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Where the text is or would be. Every text finds a free slot: no more than half are taken. */
static const struct fmt_rec_name **slot_of(struct prof_texts *texts, const char *text)
{
  for (uint64_t i = fmt_hash(text, prof_length(text));; i++) {
    const struct fmt_rec_name **slot = &texts->slots[i & (PROF_TEXTS_SLOTS - 1)];
    const struct fmt_rec_name *known = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!known || prof_equal(known->text, text))
      return slot;
  }
}

const struct fmt_rec_name *prof_stage_text_known(const struct prof_stage *stage, const char *text)
{
  struct prof_texts *texts = __atomic_load_n(&stage->texts, __ATOMIC_ACQUIRE);
  return texts ? __atomic_load_n(slot_of(texts, text), __ATOMIC_ACQUIRE) : NULL;
}

bool prof_stage_texts_full(const struct prof_stage *stage)
{
  const struct prof_texts *texts = __atomic_load_n(&stage->texts, __ATOMIC_ACQUIRE);
  return texts && __atomic_load_n(&texts->count, __ATOMIC_ACQUIRE) >= PROF_TEXTS_MAX;
}

const struct fmt_rec_name *prof_stage_text(struct prof_stage *stage, const char *text)
{
  const struct fmt_rec_name *name = NULL;
  prof_lock(&prof_process.stages_lock);
  if (!stage->texts)
    __atomic_store_n(&stage->texts, prof_process_alloc(sizeof *stage->texts), __ATOMIC_RELEASE);
  if (stage->texts) {
    const struct fmt_rec_name **slot = slot_of(stage->texts, text);
    if (!*slot && stage->texts->count < PROF_TEXTS_MAX) {
      __atomic_store_n(slot, prof_record_name(text, prof_length(text)), __ATOMIC_RELEASE);
      if (*slot)
        __atomic_store_n(&stage->texts->count, stage->texts->count + 1, __ATOMIC_RELEASE);
    }
    name = *slot;
  }
  prof_unlock(&prof_process.stages_lock);
  return name;
}

/* ------------------------------------------------------------------------------------------------------------------ */

struct fmt_rec_tasks *prof_tasks_of(struct prof_tree *tree, const struct fmt_rec_stage *stage)
{
  for (uint64_t at = tree->record->first_tasks; at; at = ((const struct fmt_rec_tasks *)at)->next)
    if (((const struct fmt_rec_tasks *)at)->stage == (uintptr_t)stage)
      return (struct fmt_rec_tasks *)at;
  struct fmt_rec_histogram *histogram = prof_histogram_make(tree, PROF_TASK_SUB_BITS);
  struct fmt_rec_task_work *work = histogram ? prof_task_work_make(tree) : NULL;
  struct fmt_rec_task_waits *waits = work ? prof_task_waits_make(tree) : NULL;
  struct fmt_rec_histogram *gaps = waits ? prof_histogram_make(tree, PROF_TASK_SUB_BITS) : NULL;
  struct fmt_rec_tasks *tasks = gaps ? prof_record_alloc(tree, sizeof *tasks) : NULL;
  if (!tasks)
    return NULL;
  tasks->gaps = (uintptr_t)gaps;
  tasks->waits = (uintptr_t)waits;
  tasks->work = (uintptr_t)work;
  tasks->stage = (uintptr_t)stage;
  tasks->min = UINT64_MAX;
  tasks->histogram = (uintptr_t)histogram;
  tasks->next = tree->record->first_tasks;
  tasks->tag = (struct fmt_rec_tag){FMT_TAG_TASKS, sizeof *tasks};
  __atomic_store_n(&tree->record->first_tasks, (uintptr_t)tasks, __ATOMIC_RELEASE);
  return tasks;
}

uint64_t prof_tasks_merge(struct prof_tree *target, const struct fmt_rec_thread *source, prof_ring_edge_fn map,
                          void *data)
{
  uint64_t lost = 0, waste = 0;
  for (uint64_t at = source->first_tasks; at; at = ((const struct fmt_rec_tasks *)at)->next) {
    struct fmt_rec_tasks *from = (struct fmt_rec_tasks *)at;
    struct fmt_rec_tasks *to = prof_tasks_of(target, (const struct fmt_rec_stage *)from->stage);
    if (!to) {
      lost += from->tasks;
      continue;
    }
    prof_move(&to->tasks, &from->tasks);
    prof_move(&to->failures, &from->failures);
    prof_move(&to->total, &from->total);
    prof_move(&to->failed_total, &from->failed_total);
    prof_move(&to->cancelled, &from->cancelled);
    prof_task_work_move((struct fmt_rec_task_work *)to->work, (struct fmt_rec_task_work *)from->work);
    prof_task_waits_move((struct fmt_rec_task_waits *)to->waits, (struct fmt_rec_task_waits *)from->waits, map, data);
    if (from->min <= from->max) {
      prof_note_extremes(&to->min, &to->max, from->min);
      prof_note_extremes(&to->min, &to->max, from->max);
    }
    if (from->first_ticks && (!to->first_ticks || from->first_ticks < to->first_ticks))
      to->first_ticks = from->first_ticks;
    if (from->last_ticks > to->last_ticks)
      to->last_ticks = from->last_ticks;
    (void)prof_histogram_move(target, &to->histogram, (struct fmt_rec_histogram *)from->histogram, &waste);
    (void)prof_histogram_move(target, &to->gaps, (struct fmt_rec_histogram *)from->gaps, &waste);
  }
  if (waste)
    prof_count_loss(FMT_LOSS_HISTOGRAM, waste);
  return lost;
}

void prof_tasks_clear(const struct fmt_rec_thread *record)
{
  for (uint64_t at = record->first_tasks; at; at = ((const struct fmt_rec_tasks *)at)->next) {
    struct fmt_rec_tasks *tasks = (struct fmt_rec_tasks *)at;
    tasks->tasks = tasks->failures = tasks->total = tasks->failed_total = tasks->cancelled = 0;
    tasks->min = UINT64_MAX;
    tasks->max = tasks->open = tasks->first_ticks = tasks->last_ticks = 0;
    prof_histogram_clear((struct fmt_rec_histogram *)tasks->histogram);
    prof_histogram_clear((struct fmt_rec_histogram *)tasks->gaps);
    prof_task_work_clear((struct fmt_rec_task_work *)tasks->work);
    struct fmt_rec_task_waits *waits = (struct fmt_rec_task_waits *)tasks->waits;
    *waits = (struct fmt_rec_task_waits){.tag = waits->tag};
  }
}

void prof_stages_clear(struct fmt_rec_header *header)
{
  const uint64_t now = prof_clock_shared();
  for (uint64_t at = header->first_stage; at; at = ((const struct fmt_rec_stage *)at)->next) {
    struct fmt_rec_stage *stage = (struct fmt_rec_stage *)at;
    __atomic_store_n(&stage->dropped, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&stage->callback_failures, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&stage->merged_signatures, 0, __ATOMIC_RELAXED);
    if (!stage->closed_ticks)
      stage->opened_ticks = now;
  }
}

bool prof_uses_reserve(struct prof_thread *t, struct prof_uses *uses, uint32_t number)
{
  if (number < uses->count)
    return true;
  uint32_t count = uses->count ? uses->count : FIRST_USES;
  while (count <= number)
    count *= 2;
  void **items = prof_arena_alloc(&t->tree.arena, count * sizeof *items);
  if (!items)
    return false;
  for (uint32_t i = 0; i < uses->count; i++)
    items[i] = uses->items[i];
  uses->items = items;
  uses->count = count;
  return true;
}

struct prof_stage_use *prof_stage_use(struct prof_thread *t, struct prof_stage *stage)
{
  struct prof_stage_use *known = prof_stage_use_known(t, stage);
  if (known)
    return known;
  const struct fmt_rec_stage *record = current_record(stage);
  struct prof_stage_use *use = record && prof_uses_reserve(t, &t->stage_uses, stage->number)
                                   ? prof_arena_alloc(&t->tree.arena, sizeof *use)
                                   : NULL;
  if (!use)
    return NULL;
  if (!t->tree.record->first_tasks)
    prof_task_work_start(t);
  use->sample.last_end = &stage->last_end;
  use->function = prof_tree_task_function(&t->tree, record);
  use->tasks = use->function ? prof_tasks_of(&t->tree, record) : NULL;
  if (!use->tasks)
    return NULL;
  t->stage_uses.items[stage->number] = use;
  return use;
}
