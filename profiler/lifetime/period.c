/*
 * Periods: the recording is made to count from zero, by the program or from outside, while all threads run on.
 *
 * Who begins a period moves the recording's start, sets to zero what is no running thread's, and makes the running
 * threads look before their next hook. Each of them then sets its own counters to zero, which nobody else may write;
 * until it has, header.period tells readers that they are of the period before. So a thread's period begins with a hook
 * of its own: no call is counted in two periods, or in a part of one.
 *
 * Calls that are open then are of the period before. Their frames go on from the beginning of the period, as those of a
 * parent process do in a forked child: they are time and no calls (FMT_EDGE_INHERITED).
 */
#include "profiler/lifetime/period.h"

#include "format/recording.h"
#include "profiler/base/clock.h"
#include "profiler/base/lock.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/process.h"
#include "profiler/frame/frame.h"
#include "profiler/frame/suspend.h"
#include "profiler/frame/unwind.h"
#include "profiler/lifetime/clear_counts.h"
#include "profiler/pipeline/open_task.h"
#include "profiler/pipeline/task.h"
#include "profiler/session/pauses.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/stack/waiting.h"
#include "profiler/tree/fast_compare.h"
#include "profiler/tree/tree.h"

void prof_count_fold(void)
{
  __atomic_add_fetch(&prof_process.header->folds, 1, __ATOMIC_SEQ_CST);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The process
 * ------------------------------------------------------------------------------------------------------------------ */

/* Of threads that have ended nobody else writes. */
static void clear_ended(struct fmt_rec_header *header)
{
  for (uint64_t at = header->first_thread; at; at = ((const struct fmt_rec_thread *)at)->next) {
    struct fmt_rec_thread *record = (struct fmt_rec_thread *)at;
    if (__atomic_load_n(&record->state, __ATOMIC_ACQUIRE) == FMT_THREAD_LIVE)
      continue;
    prof_counts_clear(record, false);
    record->period = header->period;
  }
}

static void begin_period(void)
{
  struct fmt_rec_header *header = prof_process.header;
  uint64_t mask = prof_block_signals();
  /* What this thread waited so far is surely of the period that ends. */
  if (prof_thread_running(prof_self))
    prof_waiting_settle(prof_self, prof_clock_now(), true);
  prof_lock(&prof_process.threads_lock);
  prof_count_fold();
  /* First of all: who finds the moment below finds that it is a period's. */
  __atomic_add_fetch(&header->period, 1, __ATOMIC_SEQ_CST);
  if (header->begun.monotonic_ns == 0)
    header->begun = header->start;
  header->period_realtime_ns = prof_realtime_ns();
  prof_stamp_start();
  for (const struct prof_thread *t = prof_thread_first(); t; t = prof_thread_after(t))
    __atomic_store_n(&t->tree.record->end_ticks, prof_thread_clock(t, header->start.ticks), __ATOMIC_SEQ_CST);
  clear_ended(header);
  prof_process_counts_clear();
  prof_pauses_clear(header->start.ticks);
  prof_count_fold();
  prof_unlock(&prof_process.threads_lock);
  prof_threads_interrupt();
  prof_restore_signals(mask);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A thread
 * ------------------------------------------------------------------------------------------------------------------ */

/* A frame that is open when the thread enters the period. */
struct kept_frame {
  struct prof_machine *machine;    /* the machine stack that it lies on */
  const struct fmt_rec_edge *edge; /* NULL: of a call that could not be recorded */
  struct prof_open_task *task;     /* whose it is, NULL: no task's */
  uintptr_t cfa;
  uint64_t start;
};

/* Those of a machine stack, with what runs in signal handlers above it. Innermost first. */
struct kept_stack {
  struct prof_machine *base; /* the one that no other continues */
  size_t first, count;       /* in kept.frames */
};

struct kept {
  size_t size; /* bytes of all of it */
  size_t stack_count, frame_count;
  struct kept_frame *frames;
  struct kept_stack stacks[];
};

/* Which machine stack a segment is of; `base`, where none has it. */
static struct prof_machine *machine_of(const struct prof_thread *t, const struct fmt_rec_stack *segment,
                                       struct prof_machine *base)
{
  while (!segment->high && segment->outer)
    segment = (const struct fmt_rec_stack *)segment->outer;
  struct prof_machine *machine = prof_machine_with_range(t, segment->low, segment->high);
  return machine ? machine : base;
}

/* The outermost of the machine stacks that run. */
static struct prof_machine *running_base(const struct prof_thread *t)
{
  struct prof_machine *machine = t->machine;
  while (machine->outer)
    machine = machine->outer;
  return machine;
}

/* Is it one that runs, or was interrupted by what does? */
static bool is_running(const struct prof_thread *t, const struct prof_machine *machine)
{
  const struct prof_machine *at = t->machine;
  while (at && at != machine)
    at = at->outer;
  return at != NULL;
}

static bool has_frames(const struct prof_machine *machine)
{
  return machine->top && machine->top != machine->outermost->frames;
}

/* How many frames there are from `place` outwards. They are kept too, where `kept` is not NULL. */
static size_t keep_stack(const struct prof_thread *t, struct prof_place place, struct prof_machine *base,
                         struct kept *kept)
{
  size_t count = 0;
  const size_t first = kept ? kept->frame_count : 0;
  do {
    struct prof_machine *machine = kept ? machine_of(t, place.stack, base) : NULL;
    for (const struct fmt_rec_frame *frame = place.top; !prof_frame_is_link(place.stack, frame); frame--) {
      if (!frame->edge && !prof_frame_is_lost(frame))
        continue;
      if (kept)
        kept->frames[first + count] = (struct kept_frame){
            .machine = machine,
            .edge = prof_frame_edge(frame),
            .task = frame->edge && prof_frame_is_task(frame) ? prof_open_task_of_frame(frame) : NULL,
            .cfa = frame->cfa,
            .start = prof_frame_is_timed(frame) ? frame->start_ticks : 0};
      count++;
    }
  } while (prof_place_outwards(&place));
  if (kept) {
    kept->frame_count += count;
    kept->stacks[kept->stack_count++] = (struct kept_stack){base, first, count};
  }
  return count;
}

/* Counts all frames, and keeps them where `kept` is not NULL; those of what runs are the last. */
static size_t keep_stacks(const struct prof_thread *t, struct kept *kept, size_t *stacks)
{
  size_t count = 0;
  *stacks = 1;
  for (struct prof_machine *machine = t->machines; machine; machine = machine->next) {
    if (is_running(t, machine) || !has_frames(machine))
      continue;
    count += keep_stack(t, (struct prof_place){machine->stack, machine->top}, machine, kept);
    ++*stacks;
  }
  return count + keep_stack(t, prof_place_settled(t), running_base(t), kept);
}

/* NULL: no memory, so that the calls that are open end. */
static struct kept *keep_frames(const struct prof_thread *t)
{
  size_t stacks;
  const size_t frames = keep_stacks(t, NULL, &stacks);
  const size_t head = sizeof(struct kept) + stacks * sizeof(struct kept_stack);
  const size_t size = head + frames * sizeof(struct kept_frame);
  struct kept *kept = prof_scratch_take(size);
  if (!kept)
    return NULL;
  *kept = (struct kept){.size = size, .frames = (struct kept_frame *)((char *)kept + head)};
  (void)keep_stacks(t, kept, &stacks);
  return kept;
}

/* Keeps the place of a call that could not be recorded. */
static void reopen_lost(struct prof_thread *t, uintptr_t cfa)
{
  if (t->top >= t->limit && !prof_stack_grow(t))
    return;
  t->top++;
  t->top->cfa = cfa;
  t->top->flags = PROF_FRAME_LOST;
}

static struct fmt_rec_edge *inherited_edge(struct prof_thread *t, const struct fmt_rec_edge *edge)
{
  if (edge->flags & FMT_EDGE_INHERITED)
    return (struct fmt_rec_edge *)(uintptr_t)edge;
  const struct fmt_rec_variant *to = (const struct fmt_rec_variant *)edge->to;
  while (((const struct fmt_rec_signature *)to->signature)->word_count >= t->word_room)
    if (!prof_thread_more_words(t))
      return NULL;
  return prof_edge_inherited(&t->tree, edge, t->words);
}

static void reopen(struct prof_thread *t, const struct kept_frame *frame, uint64_t at)
{
  if (frame->machine != t->machine &&
      !prof_stack_enter_signal(t, frame->machine->range.low, frame->machine->range.high))
    return;
  struct fmt_rec_edge *inherited = frame->edge ? inherited_edge(t, frame->edge) : NULL;
  if (!inherited || !prof_frame_open(t, inherited, frame->cfa, frame->start > at ? frame->start : at))
    reopen_lost(t, frame->cfa);
  else if (frame->task)
    prof_task_inherit(t, frame->task);
}

static void make_run(struct prof_thread *t, struct prof_machine *machine, uint64_t at)
{
  if (t->machine == machine)
    return;
  prof_stack_suspend(t, at);
  prof_stack_resume(t, machine, at);
}

/* Opens them all again, and has run what ran. */
static void reopen_all(struct prof_thread *t, const struct kept *kept, uint64_t at)
{
  for (size_t i = 0; i < kept->stack_count; i++) {
    const struct kept_stack *stack = &kept->stacks[i];
    make_run(t, stack->base, at);
    for (size_t left = stack->count; left > 0; left--)
      reopen(t, &kept->frames[stack->first + left - 1], at);
  }
}

/* The edges know nothing yet of how long their calls take. */
static void set_modes(const struct fmt_rec_thread *record)
{
  for (uint64_t at = record->first_edge; at; at = ((const struct fmt_rec_edge *)at)->next)
    prof_edge_set_mode((struct fmt_rec_edge *)at, false);
}

/* May a call of the allocator be under way that counts in a record of the period that ends? A frame that was open when
 * that began too has left its record then. */
static bool is_asking(const struct kept *kept)
{
  bool asks = kept == NULL;
  for (size_t i = 0; !asks && i < kept->frame_count; i++) {
    const struct fmt_rec_edge *edge = kept->frames[i].edge;
    if (!edge || edge->flags & FMT_EDGE_INHERITED)
      continue;
    const struct prof_fast_compare *compare = prof_edge_fast_compare(edge);
    const struct fmt_index_site *site = compare ? compare->site->index_site : NULL;
    asks = site && site->flags & FMT_SITE_LIBRARY;
  }
  return asks;
}

static void enter_period(struct prof_thread *t)
{
  struct fmt_rec_thread *record = t->tree.record;
  const bool goes_on = t->switches == __atomic_load_n(&prof_process.switches, __ATOMIC_SEQ_CST) &&
                       !__atomic_load_n(&prof_process.disabled, __ATOMIC_SEQ_CST);
  struct prof_machine *base = running_base(t);
  struct kept *kept = goes_on ? keep_frames(t) : NULL;
  prof_lock(&prof_process.threads_lock);
  prof_count_fold();
  const uint64_t ended = record->end_ticks, at = ended ? ended : prof_clock_now();
  struct prof_look look;
  prof_waiting_cut(t, at, &look);
  prof_frames_close_all(t, at, false);
  prof_counts_clear(record, is_asking(kept));
  set_modes(record);
  t->ring_next = 0;
  record->start_ticks = at;
  __atomic_store_n(&record->end_ticks, 0, __ATOMIC_SEQ_CST);
  record->period = prof_process.header->period;
  if (kept) {
    reopen_all(t, kept, at);
    prof_waiting_place(t, &look);
  } else {
    make_run(t, base, at);
  }
  prof_count_fold();
  prof_unlock(&prof_process.threads_lock);
  if (kept)
    prof_scratch_give(kept, kept->size);
}

__attribute__((constructor)) static void offer(void)
{
  prof_process.upcalls.begin_period = begin_period;
  prof_process.upcalls.enter_period = enter_period;
}
