/*
 * Control blocks of threads, and slow sections, in which everything but the hooks' fast path works on them.
 */
#ifndef CALLSIG_PROFILER_STACK_THREAD_H
#define CALLSIG_PROFILER_STACK_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "format/index.h"
#include "format/recording.h"
#include "profiler/base/compiler.h"
#include "profiler/base/preemption.h"
#include "profiler/base/process.h"
#include "profiler/base/ranges.h"
#include "profiler/base/request.h"
#include "profiler/base/tree_store.h"
#include "profiler/stack/modes.h"

/* Of these a thread knows when they were, and as one what was before: see ring.h. */
#define PROF_STANDSTILLS 8u

/* Words of a signature that every thread has room for. */
#define PROF_FEW_WORDS 24u

/* What a thread knows of stages, or of queues, by their number. In the tree's arena. */
struct prof_uses {
  void **items;
  uint32_t count;
};

/* A thread's control block: "T". The first line is what hot code reads; asm_offsets.h has the offsets for assembly. It
 * lies, among others, on pages with MADV_WIPEONFORK: in a forked child it reads all zero, which is state SLOW. */
#define PROF_OPEN_WAITS 4u

/* The waits for queues that a thread has begun last, so that what tasks and other waits take inside of one is counted
 * once: pipeline/queue.c. */
struct prof_open_waits {
  uint64_t nested;    /* ticks of tasks and waits so far that were inside of no task */
  uint64_t last_task; /* ticks at which the last one of these tasks ended */
  uint32_t begun;
  struct prof_open_wait {
    uint64_t token;
    uint64_t nested;  /* of the task around it, or `nested` above, when it began */
    const void *task; /* that it began in, NULL for none */
  } list[PROF_OPEN_WAITS];
};

struct prof_thread {
  uint32_t state; /* PROF_HOOKS_*; other threads may set it to SLOW */
  uint32_t mode;  /* PROF_MODE_RECURSION while `recursion` is not 0, and for a while after (frame/recursion.c) */
  struct fmt_rec_frame *top;     /* innermost frame: open, in progress, or a segment's link */
  struct fmt_rec_frame *limit;   /* the last frame of the current segment */
  uintptr_t stack_low;           /* low end of the current machine stack */
  struct fmt_rec_edge **cache;   /* edges by caller and site, in the tree's arena: see tree/edge_places.h */
  struct fmt_rec_frame *marked;  /* this frame and all below are settled: see recursion.c */
  uint64_t recursion;            /* open frames of back edges that were not active */
  uint64_t exit_least;           /* ticks: the exit of a longer call goes on to the histogram and the ring */
  uint64_t timeline_min;         /* ticks: the exit of a longer call goes on to prof_frame_long() */
  int32_t sample_next;           /* of calls that are timed at random: how many from here on is the next that is */
  uint32_t sample_mask;          /* a power of two - 1: what it is drawn from, less 1; 0: all are timed */
  uint64_t random;               /* state of the generator that it is drawn by; not 0 */
  struct fmt_rec_edge **codes;   /* edges, where the code of sites looks, or prof_no_edge: in the tree's arena */
  struct fmt_rec_edge **pending; /* of these, where it looked last; never NULL */
  uint32_t cache_mask;           /* the distance in bytes of `cache`'s last place; a power of two - 8 */
  uint32_t codes_mask;           /* the same of `codes` */
  uint32_t is_bounded;           /* 1: some calls are left out, whose exits end nothing: see tree/bounds.h */
  uintptr_t stack_high;
  struct fmt_rec_stack *stack;   /* the segment that `top` lies in */
  struct prof_machine *machine;  /* the machine stack that runs: see stack.c */
  struct prof_machine *machines; /* all of them, newest first */
  struct prof_ranges ranges;     /* the same by their addresses; in the tree's arena */

  struct fmt_rec_ring *ring; /* NULL: no timeline, or no space for it */
  uint64_t ring_next;        /* the number of the span that is reserved next */
  uint64_t octaves;          /* the stock of histogram.c */

  struct fmt_rec_edge **probes; /* edges: see tree/edge_probe.c; in the tree's arena */
  uint32_t probes_mask;
  uint32_t places; /* that the largest of these tables is meant to have */
  uint32_t probed; /* calls that a probe found, for the one of them that is measured */

  struct prof_budget { /* since `at`, in ticks, when what is timed was last held against --overhead, or without one
                          since what is drawn from last changed: see sampling.c */
    uint64_t at;
    uint32_t timed, drawn; /* calls that were timed, and of them those that stand for others */
    int32_t longer;        /* calls count as worth timing from 2^longer times as long on as they would at first */
  } budget;

  struct prof_preemption preemption; /* without a word while nobody looks: see waiting.c */
  uint64_t looked_at;                /* ticks: until then what the thread has waited for a processor is taken out */
  uint64_t waited_ns;                /* what it has waited so far, as far as that is known; see waiting.c */
  uint64_t untold_ns;                /* what it did not run since then while nobody was told of it */
  uint64_t look_least[2]; /* ticks that asking the kernel takes at least; [1] for its account of waiting, too */
  struct prof_traced {
    uint32_t looks;   /* one after the other that were disturbed each time, up to as many as it takes */
    bool passed_over; /* the kernel was not asked since, though there was something to ask for */
    uint64_t until;   /* it is not asked again before; 0: it is */
  } traced;
  uint64_t shifted_at;     /* when a wait was taken out of the open frames last */
  uint64_t shifted_frames; /* of which there were so many */
  uint64_t waited_at;      /* when a wait was last found, and taken out of the frames that were open */
  struct prof_interrupted {
    const struct fmt_rec_frame *frame; /* its hook was interrupted by a handler, in which there was a look at `at` */
    uint64_t at, waited;               /* that took so much out of the frames that were open */
  } stale_look;
  struct prof_turns turns; /* when the kernel was asked last, else when the thread began */

  struct prof_thread *self; /* this address while a thread has it; 0 also shows a page that was wiped by fork */
  struct prof_thread *next; /* process.threads */
  struct prof_thread *free; /* process.free_threads */
  struct prof_tree tree;
  uint32_t tid;
  uint64_t born_ns;          /* by the monotonic clock, when it began to be recorded */
  uint64_t waited_unborn_ns; /* what it had surely waited for a processor before, once it has tasks */
  uint32_t generation;       /* of process, when this thread last looked */
  uint32_t switches;         /* of process, likewise: where it is another, what was open then has ended */
  uint64_t sigmask;          /* saved by prof_slow_enter() */
  uint64_t paused_at;        /* ticks at which prof_pause() stopped the clock */
  uint32_t pauses;           /* depth of prof_pause() */
  /* When prof_resume() moved the frames that were open, and by how much, oldest first: what the timeline has to know to
   * tell when they began. */
  struct prof_standstill {
    uint64_t until, ticks;
  } standstills[PROF_STANDSTILLS];
  uint32_t standstill_count;
  uint32_t warming;  /* process.warming, when this thread last looked */
  uint32_t in_queue; /* 1: it puts into a queue, or gets from one */
  struct prof_open_waits waits;
  uint32_t interrupted; /* 1: SLOW for as long as a handler runs that interrupted a hook */
  uint32_t refused;     /* process.generation when that was found last */
  struct prof_handler { /* that handler's calls: their frames' addresses are above `low` and not above `high` */
    uintptr_t low, high;
  } handler;
  uint32_t has_marks;           /* 1: frames were marked since prof_recursion_reset() */
  bool full;                    /* the recording is, and the thread makes no new edges */
  bool is_told;                 /* waited_ns goes by the kernel's account; else it is since the thread is looked at */
  struct fmt_rec_stack *shield; /* the segment that its calls lie in; see stack.c */
  uint64_t discard[2];          /* where calls count meanwhile */
  struct prof_uses stage_uses;  /* struct prof_stage_use */
  struct prof_uses queue_uses;  /* struct fmt_rec_queue_use */
  /* Where it counts what, in the tree's arena; NULL before the first. */
  struct prof_counter_places *counter_places;
  struct prof_returning *returning; /* open calls whose return value is told at their end: see frame/returning.c */
  uint64_t returning_count, returning_room;
  uint64_t *words;                    /* the signature being captured in a slow section: */
  uint32_t word_room;                 /* how many of them there may be */
  uint64_t few_words[PROF_FEW_WORDS]; /* where `words` points at first */
};

/* The calling thread's control block: its own, or one of the static ones below, `prof_idle` at first. NULL before the
 * library is relocated, which only hooks that a compiler wrote can see. */
extern __thread struct prof_thread *prof_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* Threads without a control block point to one of these; only the state is ever read. prof_idle: not set up (SLOW, or
 * OFF while disabled). prof_starting: being set up (BUSY). prof_gone: its data was folded (GONE). prof_unrecorded: it
 * began when the recording was full (GONE). */
extern struct prof_thread prof_idle, prof_starting, prof_gone, prof_unrecorded;

/* Was the calling thread, which is one that is GONE, only left out by the process that it was forked from? Anywhere. */
static inline bool prof_thread_begins_anew(void)
{
  return prof_self == &prof_unrecorded && prof_fork_happened();
}

/* Where process.ever_active tells of the function: in forked children, too, whose recordings are others. Anywhere. */
static inline uint32_t prof_function_place(const struct fmt_rec_function *function)
{
  return function->function % PROF_ACTIVE_PLACES;
}

/* Has the code of the function's sites know, from here on, that it is or was active. Anywhere. */
static inline void prof_function_activated(const struct fmt_rec_function *function)
{
  const uint8_t *told = &prof_process.ever_active[prof_function_place(function)];
  if (PROF_UNLIKELY(__atomic_load_n(told, __ATOMIC_ACQUIRE) != PROF_ACTIVE_TOLD) &&
      prof_process.upcalls.function_activated)
    prof_process.upcalls.function_activated(function);
}

/* Does the thread (or NULL) record now? Anywhere. */
static inline bool prof_thread_running(const struct prof_thread *t)
{
  uint32_t state = t ? __atomic_load_n(&t->state, __ATOMIC_RELAXED) : PROF_HOOKS_SLOW;
  return state == PROF_HOOKS_ON || state == PROF_HOOKS_CLOCK;
}

/* Has the thread, the calling one, look with its next hook at what is asked of the process, if anything is. Not the one
 * that hooks are calibrated with, which has no tree. Anywhere. */
static inline void prof_thread_look(struct prof_thread *t)
{
  if (PROF_LIKELY(!prof_request_waits()) || !t->tree.record)
    return;
  uint32_t state = __atomic_load_n(&t->state, __ATOMIC_RELAXED);
  if (state == PROF_HOOKS_ON || state == PROF_HOOKS_CLOCK)
    __atomic_compare_exchange_n(&t->state, &state, PROF_HOOKS_SLOW, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* The same, for the hooks' assembly. */
void prof_thread_heed(struct prof_thread *t);

/* Enters a slow section: signals blocked, state BUSY. False, and nothing is entered, when the thread is BUSY already.
 */
bool prof_slow_enter(struct prof_thread *t);
/* Leaves it: the state follows from the process's (disabled, clock), and is SLOW while something is asked of that;
 * signals as before. Where the process has changed and a signal handler runs that interrupted a hook, the thread stays
 * SLOW until that hook is done, with `interrupted` set: the frames that are open are not to be touched. */
void prof_slow_leave(struct prof_thread *t);

/* Stops the thread's clock around something long (a helper command, a large copy): prof_resume() moves the start of
 * every open frame of the thread forward by the time that passed. */
void prof_pause(struct prof_thread *t);
void prof_resume(struct prof_thread *t);

/* Makes every thread take its slow path at its next hook, where it compares its generation with the process's; used
 * after process.disabled or the like changed. Takes threads_lock. Outside of slow sections. */
void prof_threads_interrupt(void);

/* The control blocks of live threads, one after the other, NULL at the end: they stay what they are under threads_lock,
 * but for those of threads that begin. */
static inline struct prof_thread *prof_thread_from(struct prof_thread *t)
{
  while (t && __atomic_load_n(&t->self, __ATOMIC_SEQ_CST) != t)
    t = t->next;
  return t;
}

static inline struct prof_thread *prof_thread_first(void)
{
  return prof_thread_from(__atomic_load_n(&prof_process.threads, __ATOMIC_SEQ_CST));
}

static inline struct prof_thread *prof_thread_after(const struct prof_thread *t)
{
  return prof_thread_from(t->next);
}

/* A control block for the calling thread, BUSY and otherwise zero, where a fork wipes it. Nobody finds it yet. May take
 * threads_lock. With signals blocked. NULL: no memory. */
struct prof_thread *prof_thread_map(void);
/* Gives up a control block that is in no list. Takes threads_lock. */
void prof_thread_unmap(struct prof_thread *t);
/* The same of a live thread's, whose tree was released or handed on. The caller has set prof_self to another before. */
void prof_thread_discard(struct prof_thread *t);
/* From here on the control block is a live thread's. Anywhere. */
void prof_thread_link(struct prof_thread *t);
/* Sets from when on the exits of calls go on to the histogram and the ring, by the settings and the recording. */
void prof_thread_set_thresholds(struct prof_thread *t);
/* Makes room in t->words for the longest signature, whose words that are there are lost. In a slow section. False:
 * there is already, or no memory. */
bool prof_thread_more_words(struct prof_thread *t);

/* Did a period begin since the thread came by last, or ended? Anywhere. */
static inline bool prof_thread_is_late(const struct fmt_rec_thread *record)
{
  return record->period != __atomic_load_n(&prof_process.header->period, __ATOMIC_SEQ_CST);
}

/* What the recording's clock shows for a thread when it shows `now` for the calling one. Under threads_lock. */
uint64_t prof_thread_clock(const struct prof_thread *t, uint64_t now);

/* Writes the calling thread's name, as it is now, into its record. Anywhere. */
void prof_thread_name(struct fmt_rec_thread *record);

#endif
