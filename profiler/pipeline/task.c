/*
 * Tasks: begun and ended by the program, or cut short.
 *
 * A task is an entry in the thread's list of open tasks (open_task.c), which is there whatever is recorded, and a frame
 * while its thread records. Ended, its frame counts in the tree, and then the task in the statistics of its stage.
 */
#include "profiler/pipeline/task.h"

#include <errno.h>

#include "callsig/callsig.h"
#include "format/recording.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/counter.h"
#include "profiler/base/histogram_record.h"
#include "profiler/base/marker.h"
#include "profiler/base/options.h"
#include "profiler/base/process.h"
#include "profiler/base/text.h"
#include "profiler/frame/frame.h"
#include "profiler/pipeline/open_task.h"
#include "profiler/pipeline/stage.h"
#include "profiler/pipeline/task_waits.h"
#include "profiler/pipeline/user_frame.h"
#include "profiler/session/startup.h"
#include "profiler/stack/ring.h"
#include "profiler/stack/stack.h"

#define ATTEMPTS 8u /* until a task is given up: something undoes the preparation each time */

#define TASKS_FOR_A_RATE 100u /* as many have to end before their failures make a rate */

/* The ending of a task. */
struct ending {
  struct prof_open_task *open;     /* NULL: there is none that can end */
  const struct fmt_rec_edge *edge; /* of its frame. NULL: the task counts nowhere */
  uint64_t start, ticks;
  uint32_t sampled;
  uint64_t own;               /* ticks without the tasks and the waits for queues inside */
  struct prof_stage_use *use; /* what the thread has of the stage, where it was asked */
};

/* ---------------------------------------------------------------------------------------------------------------------
 * Statistics
 * ------------------------------------------------------------------------------------------------------------------ */

/* `tasks` goes first, so that a reader never finds more failures than tasks. False: the histogram has to grow. */
static bool count(struct fmt_rec_tasks *tasks, uint64_t ticks, uint64_t now, bool failed)
{
  prof_add(&tasks->tasks, 1);
  tasks->last_ticks = now;
  if (failed) {
    prof_add(&tasks->failures, 1);
    prof_add(&tasks->failed_total, ticks);
    return true;
  }
  prof_add(&tasks->total, ticks);
  prof_note_extremes(&tasks->min, &tasks->max, ticks);
  return prof_histogram_count((struct fmt_rec_histogram *)tasks->histogram, ticks);
}

/* In a slow section. */
static void count_in_new_bucket(struct prof_thread *t, uint64_t histogram, uint64_t ticks)
{
  if (!prof_histogram_add(&t->tree, (struct fmt_rec_histogram *)histogram, ticks))
    prof_count_loss(FMT_LOSS_HISTOGRAM, 1);
}

static PROF_COLD void extend_histogram(uint64_t histogram, uint64_t ticks)
{
  struct prof_thread *t = prof_thread_enter();
  if (!t)
    return;
  count_in_new_bucket(t, histogram, ticks);
  prof_slow_leave(t);
}

static uint64_t ticks_of_stage(const struct fmt_rec_stage *stage, const struct ending *ending)
{
  return stage->flags & FMT_STAGE_OWN_TIME ? ending->own : ending->ticks;
}

static PROF_COLD void extend_work(struct fmt_rec_tasks *tasks, uint64_t end)
{
  struct prof_thread *t = prof_thread_enter();
  if (!t)
    return;
  prof_task_work_extend((struct fmt_rec_task_work *)tasks->work, end);
  prof_slow_leave(t);
}

static void count_work(struct prof_stage_use *use, const struct ending *ending)
{
  struct prof_task_sample *sample = &use->sample;
  if (PROF_LIKELY(prof_task_work_count_quickly(use->tasks, ending->sampled, ending->start, ending->ticks, ending->own)))
    return;
  if (!prof_task_work_count(use->tasks, sample, ending->sampled, ending->start, ending->ticks, ending->own)) {
    extend_work(use->tasks, ending->start + ending->ticks);
    (void)prof_task_work_count(use->tasks, sample, ending->sampled, ending->start, ending->ticks, ending->own);
  }
  const uint64_t gap = sample->gap;
  sample->gap = 0;
  if (gap && !prof_histogram_count((struct fmt_rec_histogram *)use->tasks->gaps, gap))
    extend_histogram(use->tasks->gaps, gap);
}

/* What the calling thread has of the stage now; a callback may have forked meanwhile. */
static struct prof_stage_use *use_of(struct prof_stage *stage)
{
  struct prof_thread *t = prof_self;
  struct prof_stage_use *use = t && t->self == t ? prof_stage_use_known(t, stage) : NULL;
  if (PROF_LIKELY(use))
    return use;
  t = prof_thread_enter();
  if (!t)
    return NULL;
  use = prof_stage_use(t, stage);
  prof_slow_leave(t);
  return use;
}

static inline void count_ending(struct prof_stage_use *use, const struct ending *ending, uint64_t item, bool failed)
{
  if (!use)
    return;
  uint64_t ticks = ticks_of_stage((const struct fmt_rec_stage *)use->tasks->stage, ending);
  if (!count(use->tasks, ticks, ending->start + ending->ticks, failed))
    extend_histogram(use->tasks->histogram, ticks);
  count_work(use, ending);
  if (prof_self->ring || prof_process.header->timeline_min != UINT64_MAX)
    prof_ring_add_frame(prof_self, FMT_SPAN_TASK, ending->edge, ending->start, ending->ticks, item, failed);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Frames
 * ------------------------------------------------------------------------------------------------------------------ */

/* Does a task with this frame count in its stage? Not one that began while its thread warmed up, nor one that a fork
 * has opened: it is a task of the parent process. */
static inline bool counts_in_stage(const struct prof_thread *t, const struct fmt_rec_frame *frame)
{
  return !prof_frame_is_discarded(t, frame->flags) && !(prof_frame_edge(frame)->flags & FMT_EDGE_INHERITED);
}

/* Ends a task's frame, the innermost. `open` is its entry, NULL when the program has ended it already, unrecorded. */
static inline __attribute__((always_inline)) struct ending end_frame(struct prof_thread *t, struct prof_place place,
                                                                     struct prof_open_task *open,
                                                                     struct fmt_rec_tasks *tasks, uint64_t now)
{
  const struct fmt_rec_frame *frame = place.top;
  const bool counts = counts_in_stage(t, frame);
  struct ending ending = {.open = open,
                          .edge = counts ? prof_frame_edge(frame) : NULL,
                          .start = open ? open->start : frame->start_ticks,
                          .sampled = open ? open->sampled : 0};
  struct prof_open_task *outer = open ? prof_open_task_around_this(open) : NULL;
  prof_frame_cut(t, place, now);
  ending.ticks = ending.start == PROF_NOT_STARTED || now < ending.start ? 0 : now - ending.start;
  uint64_t nested = open ? open->nested : 0;
  ending.own = nested < ending.ticks ? ending.ticks - nested : 0;
  if (outer)
    prof_add(&outer->nested, ending.ticks);
  else {
    prof_add(&t->waits.nested, ending.ticks);
    t->waits.last_task = now;
  }
  if (open)
    open->frame = NULL;
  if (tasks && counts)
    prof_add(&tasks->open, (uint64_t)-1);
  return ending;
}

/* For tools that look from outside: a task has ended, or was left. */
static inline __attribute__((always_inline)) void mark_end(const struct callsig_stage *stage, uint64_t item,
                                                           bool failed, bool cancelled)
{
  PROF_MARKER_4("task__end", stage->label, item, failed, cancelled);
}

/* Ends `top`, the open frame of a task, at `now`, other than by callsig_task_end(). `left`: control will not come back
 * to the task, which has failed; else only recording stops. In a slow section. */
static void cut(struct prof_thread *t, uint64_t now, bool left)
{
  struct prof_open_task *open = prof_open_task_of_frame(t->top);
  const struct fmt_rec_stage *stage =
      (const struct fmt_rec_stage *)prof_edge_function(prof_frame_edge(t->top))->address;
  struct fmt_rec_tasks *tasks = prof_tasks_of(&t->tree, stage);
  struct ending ending = end_frame(t, prof_place_settled(t), open, tasks, now);
  bool failed = left || (open && open->failed);
  uint64_t item = open ? open->item : 0, ticks = ticks_of_stage(stage, &ending);
  if (ending.edge) {
    if (tasks && !count(tasks, ticks, now, failed))
      count_in_new_bucket(t, tasks->histogram, ticks);
    struct prof_task_sample unseen = {0};
    if (tasks) {
      prof_task_work_extend((struct fmt_rec_task_work *)tasks->work, now);
      (void)prof_task_work_count(tasks, &unseen, 0, ending.start, ending.ticks, ending.own);
    }
    prof_ring_add_frame(t, FMT_SPAN_TASK, ending.edge, ending.start, ending.ticks, item, failed);
  }
  if (open && left) {
    mark_end(open->stage, item, true, false);
    prof_open_task_remove(open);
  }
}

/* The text's name where it is known or there is to be none; false: it has to be made. `last`: the edge of the thread's
 * last task of the stage, or NULL: most often it has the same text. */
static bool find_text(const struct prof_stage *stage, const struct fmt_rec_edge *last, const char *text,
                      const struct fmt_rec_name **name)
{
  *name = NULL;
  if (!text || !prof_process.settings.signatures)
    return true;
  if (last && last->word_count) {
    *name = (const struct fmt_rec_name *)last->words[0];
    if (prof_equal((*name)->text, text))
      return true;
  }
  *name = prof_stage_text_known(stage, text);
  return *name || prof_stage_texts_full(stage);
}

static void begun(const struct prof_thread *t, struct prof_stage_use *use, const struct fmt_rec_frame *frame)
{
  if (PROF_UNLIKELY(t->warming))
    return;
  if (PROF_UNLIKELY(!use->tasks->first_ticks))
    use->tasks->first_ticks = frame->start_ticks;
  prof_add(&use->tasks->open, 1);
}

void prof_task_inherit(const struct prof_thread *t, struct prof_open_task *open)
{
  open->frame = t->top;
  open->start = t->top->start_ticks;
}

/* Opens the task's frame, when nothing has to be prepared. */
static bool open_quick(struct prof_thread *t, struct prof_stage *stage, struct prof_open_task *open, const char *text,
                       uintptr_t sp)
{
  struct prof_stage_use *use = prof_stage_use_known(t, stage);
  struct prof_user_frame user_frame;
  if (!use || !find_text(stage, use->last, text, &user_frame.text))
    return false;
  user_frame.function = use->function;
  user_frame.last = &use->last;
  if (PROF_UNLIKELY(use->sample.until == 0)) {
    prof_task_waits_look(t);
    open->sampled = prof_task_sample_begin(&use->sample);
  } else
    use->sample.until--;
  /* Where the frame will be: what unwinds it must find the task. */
  open->frame = t->top + 1;
  if (!prof_user_frame_open(t, &user_frame, sp)) {
    open->frame = NULL;
    return false;
  }
  open->start = open->frame->start_ticks;
  t->in_queue = 0; /* also where the program has begun to put already */
  begun(t, use, open->frame);
  if (PROF_UNLIKELY(text && !user_frame.text && prof_process.settings.signatures && !t->warming))
    __atomic_fetch_add(&((struct fmt_rec_stage *)use->tasks->stage)->merged_signatures, 1, __ATOMIC_RELAXED);
  return true;
}

/* False: there is no space, or nothing is recorded. */
static bool prepare(struct prof_stage *stage, const char *text, uintptr_t sp, bool last)
{
  struct prof_thread *t = prof_user_frame_enter(sp, 0);
  if (!t)
    return false;
  prof_process.upcalls.cut_task = cut;
  prof_process.upcalls.forget_task_frames = prof_open_tasks_forget_frames;
  struct prof_stage_use *use = prof_stage_use(t, stage);
  struct prof_user_frame user_frame = {.function = use ? use->function : NULL};
  if (!find_text(stage, NULL, text, &user_frame.text))
    user_frame.text = prof_stage_text(stage, text);
  bool ready = prof_user_frame_prepare(t, &user_frame) && !last;
  prof_user_frame_leave(t, !ready);
  return ready;
}

static PROF_COLD void open_slow(struct prof_stage *stage, struct prof_open_task *open, const char *text, uintptr_t sp)
{
  for (unsigned attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (!prepare(stage, text, sp, attempt == ATTEMPTS))
      return;
    if (prof_thread_running(prof_self) && open_quick(prof_self, stage, open, text, sp))
      return;
  }
  prof_count_loss(FMT_LOSS_NESTED, 1);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Beginning and ending
 * ------------------------------------------------------------------------------------------------------------------ */

static void count_dropped(const struct callsig_stage *stage)
{
  struct fmt_rec_stage *record = prof_stage_record_known(stage->stage);
  if (record)
    __atomic_fetch_add(&record->dropped, 1, __ATOMIC_RELAXED);
}

/* The options of a program that knows fewer or more of them than this library. False, after a message: it asks for
 * what is not known here. */
static PROF_COLD bool read_options(const struct callsig_task_options *given, struct callsig_task_options *options)
{
  if (prof_options_check("callsig_task_begin", given, sizeof *options) != 0)
    return false;
  prof_options_copy(options, sizeof *options, given);
  return true;
}

static int begin(struct callsig_stage *stage, const struct callsig_task_options *given, uintptr_t sp)
{
  struct callsig_task_options options = {.item = 0};
  if (given && PROF_LIKELY(given->size == sizeof options))
    options = *given;
  else if (given && !read_options(given, &options))
    return -EINVAL;
  if (stage->hook_count && prof_stage_enter_task(stage, options.item) != 0) {
    count_dropped(stage);
    return -ECANCELED;
  }
  struct prof_open_task *open = prof_open_task_add();
  if (!open) {
    if (stage->hook_count)
      (void)prof_stage_leave_task(stage, options.item, 1);
    return -ENOMEM;
  }
  open->item = options.item;
  open->stage = stage;
  struct prof_thread *t = prof_self;
  if (!prof_thread_running(t) || !open_quick(t, stage->stage, open, options.signature, sp))
    open_slow(stage->stage, open, options.signature, sp);
  PROF_MARKER_3("task__begin", stage->label, options.item, options.signature);
  return 0;
}

/* The innermost task when it is of the stage; what lies above one of the stage, while nothing is recorded, was left
 * unseen. */
static struct prof_open_task *unrecorded(const struct callsig_stage *stage)
{
  struct prof_open_task *open = prof_open_task_innermost();
  while (open && open->stage != stage)
    open = prof_open_task_before(open);
  for (struct prof_open_task *above; open && (above = prof_open_task_innermost()) != open;) {
    mark_end(above->stage, above->item, true, false);
    prof_open_task_remove(above);
  }
  return open;
}

/* Finds the task that ends, and ends its frame. */
static PROF_COLD struct ending end_slow(const struct callsig_stage *stage, uintptr_t sp, uint64_t now)
{
  struct prof_thread *t = prof_user_frame_enter(sp, now);
  if (!t)
    return (struct ending){.open = unrecorded(stage)};
  struct prof_open_task *open = prof_open_task_innermost();
  bool has_frame = !prof_frame_is_link(t->stack, t->top) && t->top->edge && prof_frame_is_task(t->top);
  if (open && open->frame)
    open = has_frame ? prof_open_task_of_frame(t->top) : NULL;
  if (open && open->stage != stage)
    open = NULL;
  struct ending ending = {.open = open};
  if (open && open->frame) {
    struct prof_stage_use *use = prof_stage_use_known(t, stage->stage);
    ending = end_frame(t, prof_place_settled(t), open, use ? use->tasks : NULL, now ? now : prof_clock_now());
  }
  prof_user_frame_leave(t, true);
  return ending;
}

/* The same when the task's frame is the innermost and alive. */
static inline struct ending end_quick(const struct callsig_stage *stage, struct prof_thread *t, uintptr_t sp,
                                      uint64_t now)
{
  struct prof_place place;
  struct prof_open_task *open = prof_open_task_innermost();
  if (!open || open->stage != stage || !open->frame || !prof_user_frame_ends_top(t, sp, &place) ||
      open->frame != place.top)
    return (struct ending){.open = NULL};
  struct prof_stage_use *use = prof_stage_use_known(t, stage->stage);
  struct ending ending = end_frame(t, place, open, use ? use->tasks : NULL, now);
  ending.use = use;
  return ending;
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

static void count_cancelled(struct prof_stage *stage)
{
  struct prof_stage_use *use = use_of(stage);
  if (use)
    prof_add(&use->tasks->cancelled, 1);
}

static int end(struct callsig_stage *stage, bool failed, bool cancelled, uintptr_t sp)
{
  struct prof_thread *t = prof_self;
  const bool running = prof_thread_running(t);
  const uint64_t now = running ? prof_clock_now() : 0;
  struct ending ending = {.open = NULL};
  if (PROF_LIKELY(running))
    ending = end_quick(stage, t, sp, now);
  if (PROF_UNLIKELY(!ending.open))
    ending = end_slow(stage, sp, now);
  if (!ending.open)
    return -EINVAL;
  const uint64_t item = ending.open->item;
  failed = !cancelled && (failed || ending.open->failed);
  prof_open_task_remove(ending.open);
  int result = 0;
  if (stage->hook_count && prof_stage_leave_task(stage, item, failed) != 0) {
    result = -ECANCELED;
    failed = true;
    count_dropped(stage);
  }
  mark_end(stage, item, failed, cancelled);
  if (ending.edge && cancelled)
    count_cancelled(stage->stage);
  else if (ending.edge)
    count_ending(stage->hook_count || !ending.use ? use_of(stage->stage) : ending.use, &ending, item, failed);
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
  struct prof_open_task *open = prof_open_task_innermost();
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
