/*
 * The end of a thread, and of the process.
 *
 * An ended thread's tree stays, or is folded into the one of ended threads, so that a hundred thousand short threads
 * take no more room than a few.
 */
#include "format/recording.h"
#include "profiler/base/arena.h"
#include "profiler/base/clock.h"
#include "profiler/base/lock.h"
#include "profiler/base/proc_files.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/thread_end.h"
#include "profiler/frame/unwind.h"
#include "profiler/lifetime/clear_counts.h"
#include "profiler/lifetime/period.h"
#include "profiler/lifetime/thread_usage.h"
#include "profiler/lifetime/title.h"
#include "profiler/lifetime/tree_merge.h"
#include "profiler/pipeline/open_task.h"
#include "profiler/stack/sleeping.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/stack/waiting.h"
#include "profiler/tree/tree.h"

#define SHORT_NS      100000000u
#define KEPT_THREADS  64u
#define MOST_UNFOLDED 16u /* trees, each of some tens of kilobytes of the recording, that wait for who folds */

/* Takes the record out of the header's list: a reader sees it, or does not. Threads that begin put theirs before the
 * first one meanwhile, and then note that in the one behind. False: the one before this record has not noted it yet,
 * and will write there. */
static bool unlink_record(const struct fmt_rec_thread *record)
{
  uint64_t *first = &prof_process.header->first_thread, newest = (uintptr_t)record;
  struct fmt_rec_thread *older = (struct fmt_rec_thread *)record->next;
  struct fmt_rec_thread *newer = (struct fmt_rec_thread *)__atomic_load_n(&record->newer, __ATOMIC_ACQUIRE);
  const bool noted = newer != NULL;
  if (!newer) {
    if (older)
      __atomic_store_n(&older->newer, 0, __ATOMIC_RELAXED);
    if (__atomic_compare_exchange_n(first, &newest, record->next, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
      return true;
    newer = (struct fmt_rec_thread *)newest;
    while (newer->next != (uintptr_t)record)
      newer = (struct fmt_rec_thread *)newer->next;
  }
  __atomic_store_n(&newer->next, record->next, __ATOMIC_RELEASE);
  if (older)
    __atomic_store_n(&older->newer, (uintptr_t)newer, __ATOMIC_RELEASE);
  return noted;
}

/* The tree of the folded threads, made with the first of them; NULL when there is no space. */
static struct prof_tree *folded_tree(uint64_t start_ticks)
{
  if (prof_process.folded)
    return prof_process.folded;
  struct prof_tree *tree = prof_process_alloc(sizeof *tree);
  if (!tree || prof_tree_init(tree, 0) != 0)
    return NULL;
  tree->record->state = FMT_THREAD_FOLDED;
  tree->record->threads = 0;
  tree->record->start_ticks = start_ticks;
  prof_tree_publish(tree);
  prof_process.folded = tree;
  return tree;
}

/* A tree of an ended thread that is to be folded, in its own arena. */
struct ended {
  struct ended *next;
  struct prof_tree tree;
};

/* The thread behind may have noted itself in this record by now, so that nobody writes there any more. */
static void release_noted(void)
{
  struct ended **link = (struct ended **)&prof_process.unnoted;
  for (struct ended *ended = *link; ended; ended = *link) {
    if (!__atomic_load_n(&ended->tree.record->newer, __ATOMIC_ACQUIRE)) {
      link = &ended->next;
      continue;
    }
    *link = ended->next;
    struct prof_tree tree = ended->tree; /* it goes with its arena */
    prof_tree_release(&tree);
  }
}

/* Moves the tree of an ended thread into the folded one and gives its memory back, or has it wait for that. Without
 * space for the folded tree the thread keeps its own. */
static void fold_tree(struct ended *ended)
{
  struct prof_tree tree = ended->tree;
  struct fmt_rec_thread *record = tree.record;
  struct prof_tree *folded = folded_tree(record->start_ticks);
  if (!folded)
    return;
  prof_count_fold();
  if (prof_thread_is_late(record))
    prof_counts_clear(record, false);
  if (prof_process.upcalls.forget_calls)
    prof_process.upcalls.forget_calls(record);
  (void)prof_tree_merge(folded, &tree);
  folded->record->threads++;
  const bool unused = unlink_record(record);
  if (record->start_ticks < folded->record->start_ticks)
    folded->record->start_ticks = record->start_ticks;
  if (record->end_ticks > folded->record->end_ticks)
    folded->record->end_ticks = record->end_ticks;
  prof_count_fold();
  if (unused) {
    prof_tree_release(&tree);
    return;
  }
  ended->tree = tree;
  ended->next = prof_process.unnoted;
  prof_process.unnoted = ended;
}

/* Gives the tree to whoever folds next. Returns how many such there are; 0: no memory, so that the thread keeps its
 * own.
 */
static uint32_t put_ended(const struct prof_tree *tree)
{
  struct prof_tree own = *tree;
  struct ended *ended = prof_arena_alloc(&own.arena, sizeof *ended);
  if (!ended)
    return 0;
  ended->tree = own;
  const uint32_t count = __atomic_add_fetch(&prof_process.unfolded, 1, __ATOMIC_RELAXED);
  void *newest = __atomic_load_n(&prof_process.ended, __ATOMIC_RELAXED);
  do {
    ended->next = newest;
  } while (!__atomic_compare_exchange_n(&prof_process.ended, &newest, ended, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return count;
}

/* Whether it is this thread that folds: then it has the lock. */
static bool may_fold(uint32_t count)
{
  if (!__atomic_load_n(&prof_process.ended, __ATOMIC_SEQ_CST))
    return false;
  if (count <= MOST_UNFOLDED)
    return prof_lock_try(&prof_process.threads_lock);
  prof_lock(&prof_process.threads_lock);
  return true;
}

/* Folds what there is, `count` trees, unless another thread does: that one looks again when it is done. So threads that
 * end at once do not wait for one another, but where that one has lost its processor and the trees that it left become
 * many. Who holds the lock for something else leaves the trees to the next thread that ends; they are whole where they
 * are. */
static void fold_ended(uint32_t count)
{
  for (; may_fold(count); count = 0) {
    struct ended *ended = __atomic_exchange_n(&prof_process.ended, NULL, __ATOMIC_SEQ_CST);
    release_noted();
    while (ended) {
      struct ended *next = ended->next;
      fold_tree(ended);
      ended = next;
      __atomic_fetch_sub(&prof_process.unfolded, 1, __ATOMIC_RELAXED);
    }
    prof_unlock(&prof_process.threads_lock);
  }
}

/* When the frames that are still open end. A thread that was disabled has its end already, and an injected clock is
 * read for calls alone. */
static uint64_t end_of_thread(const struct prof_thread *t)
{
  if (t->tree.record->end_ticks)
    return t->tree.record->end_ticks;
  bool counts_readings = prof_process.settings.clock == FMT_CLOCK_INJECTED;
  return counts_readings && prof_stack_at_bottom(t) ? 0 : prof_clock_now();
}

/* Ends the calling thread's recording: open frames are closed, its tree is kept or folded, its control block freed.
 * Later calls of the thread count as FMT_LOSS_LATE. Outside of a slow section. */
static void end_recording(struct prof_thread *t)
{
  if (!prof_slow_enter(t))
    return;
  if (prof_thread_is_late(t->tree.record))
    prof_process.upcalls.enter_period(t);
  uint64_t now = end_of_thread(t);
  prof_frames_close_all(t, now, true);
  t->tree.record->end_ticks = now;
  prof_thread_name(t->tree.record);
  if (t->tree.record->first_tasks)
    prof_note_thread_usage(t);
  t->tree.record->state = FMT_THREAD_ENDED;
  uint64_t mask = t->sigmask;
  prof_self = &prof_gone;
  struct prof_tree tree = t->tree;
  prof_thread_discard(t);
  const bool is_kept = __atomic_add_fetch(&prof_process.ended_threads, 1, __ATOMIC_RELAXED) <= KEPT_THREADS;
  const uint32_t unfolded = is_kept ? 0 : put_ended(&tree);
  if (unfolded > 0)
    fold_ended(unfolded);
  prof_restore_signals(mask);
}

static void at_thread_end(void)
{
  struct prof_thread *t = prof_self;
  if (t && t->self == t) /* else: nothing was recorded, or this is a forked child, whose control blocks were wiped */
    end_recording(t);
  prof_open_tasks_release();
}

__attribute__((constructor)) static void watch_threads(void)
{
  prof_thread_end_prepare(at_thread_end);
}

/* Threads get their names when they run already: what they are called at last counts. What the others sleep in now is
 * in calls that nobody sees the end of. */
static void note_live_threads(void)
{
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.threads_lock);
  for (const struct prof_thread *t = prof_thread_first(); t; t = prof_thread_after(t)) {
    char name[sizeof t->tree.record->name];
    long length = prof_task_file_read(t->tid, "comm", name, sizeof name);
    for (long i = 0; i < length; i++)
      t->tree.record->name[i] = name[i] == '\n' ? '\0' : name[i];
    if (t->tree.record->first_tasks)
      prof_note_thread_usage(t);
    if (t != prof_self)
      prof_sleeping_note_live(t);
  }
  prof_unlock(&prof_process.threads_lock);
  prof_restore_signals(mask);
}

/* A forked child that has the price of hooks from its parent, and ended before that can have changed. */
static bool is_short_child(void)
{
  return prof_process.price.inner && prof_monotonic_ns() - prof_process.header->start.monotonic_ns < SHORT_NS;
}

/* The end of the process through exit(), after the program's own destructors: frames that are open now were open then.
 * Calls that are made still later are recorded all the same. */
__attribute__((destructor)) static void at_process_end(void)
{
  if (__atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) != PROF_PROCESS_RECORDING || prof_fork_happened())
    return;
  prof_process.finished = 1;
  uint64_t mask = prof_block_signals();
  if (prof_process.upcalls.calibrate && !is_short_child())
    prof_process.upcalls.calibrate(&prof_process);
  prof_title_note(prof_process.header);
  prof_restore_signals(mask);
  if (prof_thread_running(prof_self))
    prof_waiting_settle(prof_self, prof_clock_now(), true);
  note_live_threads();
  __atomic_or_fetch(&prof_process.header->flags, FMT_REC_FINISHED, __ATOMIC_RELAXED);
  prof_stamp_last();
}
