/*
 * Tasks: begun and ended by the program, or cut short.
 *
 * A task is an entry in the thread's list of open tasks (open_task.c), which is there whatever is recorded, and a frame
 * while its thread records. Ended, its frame counts in the tree, and then the task in the statistics of its stage.
 */
#include "task.h"

#include <errno.h>

#include "histogram.h"
#include "named.h"
#include "open_task.h"
#include "options.h"
#include "ring.h"
#include "stage.h"
#include "tree.h"

#define ATTEMPTS 8u /* until a task is given up: something undoes the preparation each time */

#define TASKS_FOR_A_RATE 100u /* as many have to end before their failures make a rate */

/* The ending of a task's frame. */
struct ending {
  const struct cs_rec_edge *edge; /* NULL: the task was not recorded */
  uint64_t start, ticks;
  uint64_t own; /* ticks without the tasks and the waits for queues inside */
};

/* ---------------------------------------------------------------------------------------------------------------------
 * Statistics
 * ------------------------------------------------------------------------------------------------------------------ */

/* `tasks` goes first, so that a reader never finds more failures than tasks. False: the histogram has to grow. */
static bool count(struct cs_rec_tasks *tasks, uint64_t ticks, uint64_t now, bool failed)
{
  cs_add(&tasks->tasks, 1);
  tasks->last_ticks = now;
  if (failed) {
    cs_add(&tasks->failures, 1);
    cs_add(&tasks->failed_total, ticks);
    return true;
  }
  cs_add(&tasks->total, ticks);
  cs_note_extremes(&tasks->min, &tasks->max, ticks);
  return cs_histogram_count((struct cs_rec_histogram *)tasks->histogram, ticks);
}

/* In a slow section. */
static void count_in_new_bucket(struct cs_thread *t, struct cs_rec_tasks *tasks, uint64_t ticks)
{
  if (!cs_histogram_add(&t->tree, (struct cs_rec_histogram *)tasks->histogram, ticks))
    cs_count_loss(CS_LOSS_HISTOGRAM, 1);
}

static uint64_t ticks_of_stage(const struct cs_rec_stage *stage, const struct ending *ending)
{
  return stage->flags & CS_STAGE_OWN_TIME ? ending->own : ending->ticks;
}

static CS_COLD void extend_histogram(struct cs_rec_tasks *tasks, uint64_t ticks)
{
  struct cs_thread *t = cs_thread_enter();
  if (!t)
    return;
  count_in_new_bucket(t, tasks, ticks);
  cs_slow_leave(t);
}

/* What the calling thread has of the stage now; a callback may have forked meanwhile. */
static struct cs_stage_use *use_of(struct cs_stage *stage)
{
  struct cs_thread *t = cs_self;
  struct cs_stage_use *use = t && t->self == t ? cs_stage_use_known(t, stage) : NULL;
  if (CS_LIKELY(use))
    return use;
  t = cs_thread_enter();
  if (!t)
    return NULL;
  use = cs_stage_use(t, stage);
  cs_slow_leave(t);
  return use;
}

static void count_ending(struct cs_stage *stage, const struct ending *ending, uint64_t item, bool failed)
{
  struct cs_stage_use *use = use_of(stage);
  if (!use)
    return;
  uint64_t ticks = ticks_of_stage((const struct cs_rec_stage *)use->tasks->stage, ending);
  if (!count(use->tasks, ticks, ending->start + ending->ticks, failed))
    extend_histogram(use->tasks, ticks);
  cs_ring_add(cs_self, CS_SPAN_TASK, ending->edge, ending->start, ending->ticks, item, failed);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Frames
 * ------------------------------------------------------------------------------------------------------------------ */

/* Ends `top`, a task's frame. `open` is its entry, NULL when the program has ended it already, unrecorded. */
static struct ending end_frame(struct cs_thread *t, struct cs_open_task *open, struct cs_rec_tasks *tasks, uint64_t now)
{
  const struct cs_rec_frame *frame = t->top;
  const bool counts = !cs_frame_is_discarded(t, frame->flags);
  struct ending ending = {.edge = counts ? cs_frame_edge(frame) : NULL, .start = frame->start_ticks};
  struct cs_open_task *outer = open ? cs_open_task_around(open) : NULL;
  cs_frame_end(t, now);
  ending.ticks = ending.start == CS_NOT_STARTED || now < ending.start ? 0 : now - ending.start;
  uint64_t nested = open ? open->nested : 0;
  ending.own = nested < ending.ticks ? ending.ticks - nested : 0;
  if (outer)
    cs_add(&outer->nested, ending.ticks);
  if (open)
    open->frame = NULL;
  if (tasks && counts)
    cs_add(&tasks->open, (uint64_t)-1);
  return ending;
}

void cs_task_cut(struct cs_thread *t, uint64_t now, bool left)
{
  struct cs_open_task *open = cs_open_task_of_frame(t->top);
  const struct cs_rec_stage *stage = (const struct cs_rec_stage *)cs_edge_function(cs_frame_edge(t->top))->address;
  struct cs_rec_tasks *tasks = cs_tasks_of(&t->tree, stage);
  struct ending ending = end_frame(t, open, tasks, now);
  bool failed = left || (open && open->failed);
  uint64_t item = open ? open->item : 0, ticks = ticks_of_stage(stage, &ending);
  if (ending.edge) {
    if (tasks && !count(tasks, ticks, now, failed))
      count_in_new_bucket(t, tasks, ticks);
    cs_ring_add(t, CS_SPAN_TASK, ending.edge, ending.start, ending.ticks, item, failed);
  }
  if (open && left)
    cs_open_task_remove(open);
}

/* The text's name where it is known or there is to be none; false: it has to be made. `last`: the edge of the thread's
 * last task of the stage, or NULL: most often it has the same text. */
static bool find_text(const struct cs_stage *stage, const struct cs_rec_edge *last, const char *text,
                      const struct cs_rec_name **name)
{
  *name = NULL;
  if (!text || !cs_process.settings.signatures)
    return true;
  if (last && last->word_count) {
    *name = (const struct cs_rec_name *)last->words[0];
    if (cs_equal((*name)->text, text))
      return true;
  }
  *name = cs_stage_text_known(stage, text);
  return *name || cs_stage_texts_full(stage);
}

static void begun(const struct cs_thread *t, struct cs_stage_use *use, const struct cs_rec_frame *frame)
{
  if (CS_UNLIKELY(t->warming))
    return;
  if (CS_UNLIKELY(!use->tasks->first_ticks))
    use->tasks->first_ticks = frame->start_ticks;
  cs_add(&use->tasks->open, 1);
}

void cs_task_inherit(struct cs_thread *t, const struct cs_stage *stage, struct cs_open_task *open)
{
  begun(t, cs_stage_use_known(t, stage), t->top);
  if (open)
    open->frame = t->top;
}

/* Opens the task's frame, when nothing has to be prepared. */
static bool open_quick(struct cs_thread *t, struct cs_stage *stage, struct cs_open_task *open, const char *text,
                       uintptr_t sp)
{
  struct cs_stage_use *use = cs_stage_use_known(t, stage);
  struct cs_named named;
  if (!use || !find_text(stage, use->last, text, &named.text))
    return false;
  named.function = use->function;
  named.last = &use->last;
  /* Where the frame will be: what unwinds it must find the task. */
  open->frame = t->top + 1;
  if (!cs_named_open(t, &named, sp)) {
    open->frame = NULL;
    return false;
  }
  begun(t, use, open->frame);
  if (CS_UNLIKELY(text && !named.text && cs_process.settings.signatures && !t->warming))
    __atomic_fetch_add(&((struct cs_rec_stage *)use->tasks->stage)->merged_signatures, 1, __ATOMIC_RELAXED);
  return true;
}

/* False: there is no space, or nothing is recorded. */
static bool prepare(struct cs_stage *stage, const char *text, uintptr_t sp, bool last)
{
  struct cs_thread *t = cs_named_enter(sp, 0);
  if (!t)
    return false;
  struct cs_stage_use *use = cs_stage_use(t, stage);
  struct cs_named named = {.function = use ? use->function : NULL};
  if (!find_text(stage, NULL, text, &named.text))
    named.text = cs_stage_text(stage, text);
  bool ready = cs_named_prepare(t, &named) && !last;
  cs_named_leave(t, !ready);
  return ready;
}

static CS_COLD void open_slow(struct cs_stage *stage, struct cs_open_task *open, const char *text, uintptr_t sp)
{
  for (unsigned attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (!prepare(stage, text, sp, attempt == ATTEMPTS))
      return;
    if (cs_thread_running(cs_self) && open_quick(cs_self, stage, open, text, sp))
      return;
  }
  cs_count_loss(CS_LOSS_NESTED, 1);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Beginning and ending
 * ------------------------------------------------------------------------------------------------------------------ */

static void count_dropped(const struct callsig_stage *stage)
{
  struct cs_rec_stage *record = cs_stage_record_known(stage->stage);
  if (record)
    __atomic_fetch_add(&record->dropped, 1, __ATOMIC_RELAXED);
}

static int begin(struct callsig_stage *stage, const struct callsig_task_options *given, uintptr_t sp)
{
  struct callsig_task_options options = {0};
  if (given && CS_LIKELY(given->size == sizeof options))
    options = *given;
  else if (given)
    cs_options_copy(&options, sizeof options, given);
  if (stage->hook_count && cs_stage_enter_task(stage, options.item) != 0) {
    count_dropped(stage);
    return -ECANCELED;
  }
  struct cs_open_task *open = cs_open_task_add();
  if (!open) {
    if (stage->hook_count)
      (void)cs_stage_leave_task(stage, options.item, 1);
    return -ENOMEM;
  }
  open->item = options.item;
  open->stage = stage;
  struct cs_thread *t = cs_self;
  if (!cs_thread_running(t) || !open_quick(t, stage->stage, open, options.signature, sp))
    open_slow(stage->stage, open, options.signature, sp);
  return 0;
}

/* The innermost task when it is of the stage; what lies above one of the stage, while nothing is recorded, was left
 * unseen. */
static struct cs_open_task *unrecorded(const struct callsig_stage *stage)
{
  struct cs_open_task *open = cs_open_task_innermost();
  while (open && open->stage != stage)
    open = cs_open_task_before(open);
  for (struct cs_open_task *above; open && (above = cs_open_task_innermost()) != open;)
    cs_open_task_remove(above);
  return open;
}

/* Finds the task that ends, and ends its frame. NULL: the innermost one is not of the stage. */
static CS_COLD struct cs_open_task *end_slow(const struct callsig_stage *stage, uintptr_t sp, uint64_t now,
                                             struct ending *ending)
{
  struct cs_thread *t = cs_named_enter(sp, now);
  if (!t)
    return unrecorded(stage);
  struct cs_open_task *open = cs_open_task_innermost();
  bool has_frame = !cs_frame_is_link(t->stack, t->top) && t->top->edge && cs_frame_is_task(t->top);
  if (open && open->frame)
    open = has_frame ? cs_open_task_of_frame(t->top) : NULL;
  if (open && open->stage != stage)
    open = NULL;
  if (open && open->frame) {
    struct cs_stage_use *use = cs_stage_use_known(t, stage->stage);
    *ending = end_frame(t, open, use ? use->tasks : NULL, now ? now : cs_clock_now());
  }
  cs_named_leave(t, true);
  return open;
}

static struct cs_open_task *end_quick(const struct callsig_stage *stage, struct cs_thread *t, uintptr_t sp,
                                      uint64_t now, struct ending *ending)
{
  struct cs_open_task *open = cs_open_task_innermost();
  if (!open || open->stage != stage || !open->frame || open->frame != t->top || !cs_named_ends_top(t, sp))
    return NULL;
  struct cs_stage_use *use = cs_stage_use_known(t, stage->stage);
  *ending = end_frame(t, open, use ? use->tasks : NULL, now);
  return open;
}

static int check_limits(struct callsig_stage *stage, bool failed)
{
  uint64_t tasks = __atomic_add_fetch(&stage->tasks, 1, __ATOMIC_RELAXED);
  uint64_t failures = __atomic_add_fetch(&stage->failures, failed, __ATOMIC_RELAXED);
  bool over = stage->max_failures && failures > stage->max_failures;
  if (stage->max_failure_permille && tasks >= TASKS_FOR_A_RATE)
    over = over || failures * 1000 > tasks * stage->max_failure_permille;
  return over ? -EOVERFLOW : 0;
}

static void count_cancelled(struct cs_stage *stage)
{
  struct cs_stage_use *use = use_of(stage);
  if (use)
    cs_add(&use->tasks->cancelled, 1);
}

static int end(struct callsig_stage *stage, bool failed, bool cancelled, uintptr_t sp)
{
  struct cs_thread *t = cs_self;
  const bool running = cs_thread_running(t);
  const uint64_t now = running ? cs_clock_now() : 0;
  struct ending ending = {0};
  struct cs_open_task *open = running ? end_quick(stage, t, sp, now, &ending) : NULL;
  if (!open)
    open = end_slow(stage, sp, now, &ending);
  if (!open)
    return -EINVAL;
  const uint64_t item = open->item;
  failed = !cancelled && (failed || open->failed);
  cs_open_task_remove(open);
  int result = 0;
  if (stage->hook_count && cs_stage_leave_task(stage, item, failed) != 0) {
    result = -ECANCELED;
    failed = true;
    count_dropped(stage);
  }
  if (ending.edge && cancelled)
    count_cancelled(stage->stage);
  else if (ending.edge)
    count_ending(stage->stage, &ending, item, failed);
  if (stage->limited && !cancelled) {
    int over = check_limits(stage, failed);
    result = result ? result : over;
  }
  return result;
}

int callsig_task_begin(struct callsig_stage *stage, const struct callsig_task_options *options)
{
  return begin(stage, options, (uintptr_t)__builtin_frame_address(0));
}

int callsig_task_end(struct callsig_stage *stage, int failed)
{
  return end(stage, failed != 0, false, (uintptr_t)__builtin_frame_address(0));
}

int callsig_task_cancel(struct callsig_stage *stage)
{
  return end(stage, false, true, (uintptr_t)__builtin_frame_address(0));
}

int callsig_task_fail(void)
{
  struct cs_open_task *open = cs_open_task_innermost();
  if (!open)
    return -EINVAL;
  open->failed = 1;
  return 0;
}

struct callsig_stage *callsig_task_scope(struct callsig_stage *stage, const struct callsig_task_options *options)
{
  return begin(stage, options, (uintptr_t)__builtin_frame_address(0)) == 0 ? stage : NULL;
}

void callsig_task_cleanup(struct callsig_stage **stage)
{
  if (*stage)
    (void)end(*stage, false, false, (uintptr_t)__builtin_frame_address(0));
}
