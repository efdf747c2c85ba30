/*
 * What the files of the runtime share. It runs inside somebody else's program, so it holds to these rules:
 *
 *  - No call that the program could have replaced: memory comes from arena.c, files from the raw system calls of
 * syscall.h. errno is never touched. All of it is compiled for general registers alone, so xmm keeps what the program
 * put there.
 *  - A hook may run inside malloc, in a signal handler, before main or after exit. The fast path (hooks_x86_64.S) takes
 * no lock. Everything slower runs between prof_slow_enter() and prof_slow_leave(): all signals are blocked and the
 * thread's state is BUSY, so that a hook that is entered meanwhile returns at once and is counted.
 *  - A function named here is called inside such a slow section unless it says otherwise.
 */
#ifndef CALLSIG_PROFILER_BASE_INTERNAL_H
#define CALLSIG_PROFILER_BASE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "callsig/callsig.h"
#include "format/open.h"
#include "format/rank.h"
#include "format/recording.h"

#include "profiler/base/syscall.h"
#include "profiler/hook/asm_offsets.h"

#define PROF_COLD        __attribute__((noinline, cold))
#define PROF_LIKELY(x)   __builtin_expect(!!(x), 1)
#define PROF_UNLIKELY(x) __builtin_expect(!!(x), 0)

#define PROF_MAX_PATH 4096u

/* Adds to a counter that only this thread writes, in one instruction: a handler that interrupts between two of them
 * loses nothing. */
static inline void prof_add(uint64_t *counter, uint64_t value)
{
  __asm__("addq %1, %0" : "+m"(*counter) : "er"(value) : "cc");
}

/* Counters move from an ended thread's tree: when the process is killed in the middle, each is in one tree or the
 * other.
 */
static inline void prof_move(uint64_t *target, uint64_t *source)
{
  __atomic_store_n(target, *target + *source, __ATOMIC_RELAXED);
  __atomic_store_n(source, 0, __ATOMIC_RELAXED);
}

/* Lowers a minimum and raises a maximum that only this thread writes, and its signal handlers. */
static inline void prof_note_extremes(uint64_t *least, uint64_t *most, uint64_t value)
{
  uint64_t min = *least, max = *most;
  while (value < min && !__atomic_compare_exchange_n(least, &min, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  while (value > max && !__atomic_compare_exchange_n(most, &max, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Process-wide state
 * ------------------------------------------------------------------------------------------------------------------ */

/* What was asked for: options.c fills it from the environment and callsig_start(), before the recording is made. */
struct prof_settings {
  char output[PROF_MAX_PATH]; /* absolute, so that a chdir() of the program does not move it */
  char rules[PROF_MAX_PATH];  /* absolute, "" for none */
  uint64_t rules_hash;        /* XXH64 of the rules' text, for the index's name; 0 without rules */
  bool signatures;
  bool start_disabled;
  uint32_t clock;        /* enum fmt_clock_kind: TSC (or MONOTONIC where the TSC will not do), CPU or INJECTED */
  uint64_t memory_limit; /* bytes */
  struct fmt_rank rank;
  bool percentiles; /* every edge has a histogram of its calls' times */
  bool timeline;
  uint64_t timeline_min_ns; /* calls at least this long are in the timeline */
  uint64_t timeline_spans;  /* of a thread's ring; a power of two */
  const char
      *include; /* globs, separated by newlines; NULL for all. From the arena: they live as long as the process */
  const char *exclude;         /* NULL for none */
  char cache[PROF_MAX_PATH];   /* absolute folder of the indexes, "" when the environment names none */
  char command[PROF_MAX_PATH]; /* what makes a missing index: a path, or a name to be found in PATH */
};

enum prof_process_state {
  PROF_PROCESS_NEW,      /* nothing was recorded yet */
  PROF_PROCESS_STARTING, /* one thread is making the recording */
  PROF_PROCESS_RECORDING,
  PROF_PROCESS_FAILED, /* there is no recording (message given); the program runs on */
};

/* A lock for slow sections: a futex word. It is held with all signals blocked and never across a call of the program.
 */
struct prof_lock {
  uint32_t word; /* 0 free, 1 held, 2 held and waited for */
};

/* A module of this process. module.c makes it, in arena memory, and it stays for the process's life. */
struct prof_module {
  struct prof_module *next; /* older */
  struct fmt_rec_module *record;
  struct fmt_index index; /* its arrays in the copy inside the recording; all zero: none */
  uint64_t bias;
  uint64_t start, end;
  uint32_t id;       /* record->id */
  bool unloaded;     /* its addresses may belong to another module by now */
  bool main_program; /* the executable itself, which is never unloaded */
  bool tls_known;
  bool excluded;      /* by a module filter: none of its functions is recorded */
  int64_t tls_offset; /* its thread-local block minus the thread pointer, when tls_known */
};

/* A probe site as the process knows it. Immutable once published in the site table; arena memory. */
struct prof_site {
  uintptr_t pc;                            /* return address of the enter hook's call */
  uintptr_t function_address;              /* this_fn that the site's hooks pass */
  struct prof_module *module;              /* NULL when the address belongs to none */
  const struct fmt_index_site *index_site; /* NULL without an index or when it does not know the site */
  const struct fmt_index_function *index_function;
  uint32_t function; /* index in FMT_SECTION_FUNCTIONS, or FMT_NONE: known by its address only */
  bool excluded;     /* by a filter: no frame is made */
  bool inlined;
  bool uses_xmm;                  /* some op reads xmm */
  bool uses_entry;                /* some op reads what the caller passed: plans are made for each return address */
  uint8_t cfa_kind, cfa_register; /* FMT_CFA_UNKNOWN: register 7 and an offset that was found on the stack */
  int32_t cfa_offset;
  uint16_t op_count, state_words;
  uint32_t max_words; /* of a signature captured here */
  const struct fmt_op *ops;
  const uint64_t *states;
};

/* Private memory for hash tables and the like: chunks of anonymous memory, given back all at once. Zeroed. */
struct prof_arena {
  struct prof_arena_chunk *chunks;
  uint8_t *next, *end;
};

struct prof_thread;

struct prof_process {
  uint32_t state;      /* enum prof_process_state, atomic */
  uint32_t pid;        /* of the process that `header` belongs to */
  uint32_t disabled;   /* atomic: 1 while hooks are to count nothing */
  uint32_t warming;    /* atomic: 1 while calls are to be made out but not counted; see schedule.c */
  uint32_t scheduled;  /* there is a schedule */
  uint32_t generation; /* atomic: changes with these; threads compare it in their slow path */
  uint32_t finished;   /* the process is past its exit handlers */
  uint32_t recorded;   /* a call was recorded: the clock can no longer be replaced */
  struct prof_settings settings;
  char path[PROF_MAX_PATH]; /* the recording's path, "" while there is none */

  struct fmt_rec_header *header; /* the recording, NULL while there is none */
  uint64_t reserved;             /* bytes of address range behind `header` */
  uint64_t allocated;            /* bytes of the file that have space; read atomically, grown under `growth` */
  uint64_t inode, device;        /* of the recording's file, checked whenever it is opened to grow */
  bool full;                     /* growth failed: message given */

  struct prof_lock growth;       /* the file's size, free blocks */
  struct prof_lock modules_lock; /* modules, sites */
  struct prof_lock threads_lock; /* the list of threads; folding */
  struct prof_lock arena_lock;   /* the process's own arena */
  struct prof_lock names_lock;   /* the page that small names share */
  struct prof_lock rings_lock;   /* rings that are free, and their bytes */
  struct prof_lock stages_lock;  /* what has a name: stages, queues, events, actions */
  struct prof_arena arena;
  struct prof_arena_chunk *spare_chunks; /* of arenas that were freed, zeroed; under arena_lock */
  uint32_t spare_count;
  uint8_t *names_next, *names_end; /* what is left of that page */
  void *free_blocks;               /* blocks of folded threads, first word links; under `growth` */
  struct fmt_rec_ring *free_rings; /* of folded threads, `reserved` links */
  uint64_t ring_bytes;             /* of all rings */
  struct prof_module *modules;     /* newest first; atomic reads */
  struct prof_site_table *sites;
  struct prof_thread *threads; /* every live thread that has a control block; under threads_lock */
  struct prof_tree *folded;    /* the tree that ended threads are folded into, NULL until then; under threads_lock */
  uint32_t ended_threads;
  uint32_t epoch;                      /* how many forks lie between this recording and the first */
  struct prof_stage *stages;           /* newest first; they and the next ones outlast a fork */
  struct callsig_stage *closed_stages; /* handles to be used again */
  struct callsig_queue *queues;        /* newest first */

  callsig_clock_fn clock; /* FMT_CLOCK_INJECTED */
  void *clock_data;
  uint64_t clock_hz;
  callsig_message_fn message;
  void *message_data;
};

extern struct prof_process prof_process;

/* ---------------------------------------------------------------------------------------------------------------------
 * A thread's tree, and the thread
 * ------------------------------------------------------------------------------------------------------------------ */

/* An open-addressing table of items, keyed by a hash that the caller makes; see table.h. */
struct prof_table_slot {
  uint64_t hash;
  void *item; /* NULL: free */
};

struct prof_table {
  struct prof_table_slot *slots;
  uint64_t mask; /* slots - 1, the number of slots is a power of two; 0 while there are none */
  uint64_t used;
};

/* One argument of a plan: the fast path compares what the call passes with the edge's word. */
struct prof_plan_op {
  uint8_t kind;  /* PROF_PLAN_* of layout.h */
  uint8_t reg;   /* DWARF number */
  uint8_t shift; /* 64 - 8 * size */
  uint8_t flags;
  int32_t offset;
};

/* What a tree knows of a site, at one level of widening of its function. An edge's site_info is the plan it was made
 * with. The first four fields have offsets in layout.h. */
struct prof_plan {
  uint64_t *active; /* &function->active */
  uint32_t count;   /* ops; 0 when the site has no arguments, or is not `fast` */
  uint32_t words;   /* bytes from an edge to the word of the first op */
  const struct prof_site *site;
  struct fmt_rec_function *function;
  uint32_t widened;   /* function->widenings when the plan was made: another by now means it is outdated */
  bool arguments;     /* signatures are recorded */
  bool fast;          /* ops[] says all there is to compare */
  uint16_t compared;  /* words of an edge that ops[] compares: a signature whose args are read has no more */
  uint64_t return_pc; /* for calls that return there alone, 0 for all: see prof_site.uses_entry */
  struct prof_plan_op ops[];
};

/* How near the recording is to its limit; each level merges more. */
enum prof_pressure {
  PROF_PRESSURE_NONE,
  PROF_PRESSURE_CONTEXTS,   /* new contexts merge into one for each function */
  PROF_PRESSURE_SIGNATURES, /* new signatures merge into one for each function */
};

/* The calling-context tree of one thread, or of the folded ones. One writer. */
struct prof_tree {
  struct fmt_rec_thread *record;
  struct fmt_rec_variant *root;
  struct fmt_rec_edge *root_edge;
  struct prof_arena arena;
  struct prof_table edges;      /* by caller variant, site and words */
  struct prof_table contexts;   /* by parent context and function */
  struct prof_table variants;   /* by context and signature */
  struct prof_table signatures; /* by function and words */
  struct prof_table functions;  /* by module and index, or address */
  struct prof_table pairs;      /* activation words of caller-callee pairs and of modules */
  struct prof_table plans;      /* struct prof_plan by probe site: the newest of each */
  uint32_t pressure;            /* enum prof_pressure */
  uint8_t *block, *block_end;   /* what is left of the newest block of the recording */
  void *blocks; /* every block of this tree, for prof_tree_release(): struct prof_block_list in the arena */
};

/* What a thread knows of stages, or of queues, by their number. In the tree's arena. */
struct prof_uses {
  void **items;
  uint32_t count;
};

/* A thread's control block: "T". The first line is what hot code reads; layout.h has the offsets for assembly. It lies
 * on a page of its own with MADV_WIPEONFORK: in a forked child it reads all zero, which is state SLOW. */
struct prof_thread {
  uint32_t state;              /* enum prof_hooks_state; other threads may set it to SLOW */
  uint32_t mode;               /* PROF_MODE_PLAIN, or PROF_MODE_RECURSION while `recursion` is not 0 */
  struct fmt_rec_frame *top;   /* innermost frame: open, in progress, or a segment's link */
  struct fmt_rec_frame *limit; /* the last frame of the current segment */
  uintptr_t stack_low;         /* low end of the current machine stack */
  struct fmt_rec_edge *
      *cache; /* 2^PROF_CACHE_BITS edges by caller and site: see prof_cache_place(). In the tree's arena */
  struct fmt_rec_frame *marked; /* this frame and all below are settled: see recursion.c */
  uint64_t recursion;           /* open frames of back edges that were not active */
  uint64_t exit_least;          /* ticks: the exit of a longer call goes on to the histogram and the ring */
  uint64_t timeline_min;        /* ticks: the exit of a longer call adds it to the ring; UINT64_MAX: none does */
  uintptr_t stack_high;
  struct fmt_rec_stack *stack;   /* the segment that `top` lies in */
  struct prof_machine *machine;  /* the machine stack that runs: see stack.c */
  struct prof_machine *machines; /* all of them, newest first */

  struct fmt_rec_ring *ring;         /* NULL: no timeline, or no space for it */
  uint64_t ring_next;                /* the number of the span that is reserved next */
  uintptr_t octave_next, octave_end; /* the stock of histogram.c */

  struct prof_thread *self; /* this address; 0 shows a page that was wiped by fork */
  struct prof_thread *next; /* process.threads */
  struct prof_tree tree;
  uint32_t tid;
  uint32_t generation;                     /* of process, when this thread last looked */
  uint64_t sigmask;                        /* saved by prof_slow_enter() */
  uint64_t paused_at;                      /* ticks at which prof_pause() stopped the clock */
  uint32_t pauses;                         /* depth of prof_pause() */
  uint32_t warming;                        /* process.warming, when this thread last looked */
  uint64_t discard[2];                     /* where calls count meanwhile */
  struct prof_uses stage_uses;             /* struct prof_stage_use */
  struct prof_uses queue_uses;             /* struct fmt_rec_queue_use */
  uint64_t words[FMT_SIGNATURE_MAX_WORDS]; /* the signature being captured in a slow section */
};

/* Registers as they were at the call of the enter hook, by DWARF number; 7 is rsp before the call. */
struct prof_registers {
  uint64_t general[16];
  uint64_t pc; /* the probe site: where the hook returns to */
};

/* The calling thread's control block: NULL at first (also before the library is relocated), then one of the static ones
 * below or its own. */
extern __thread struct prof_thread *prof_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* Threads without a control block point to one of these; only the state is ever read. prof_idle: not set up (SLOW, or
 * OFF while disabled). prof_starting: being set up (BUSY). prof_gone: its data was folded (GONE). */
extern struct prof_thread prof_idle, prof_starting, prof_gone;

/* ---------------------------------------------------------------------------------------------------------------------
 * thread.c: control blocks, slow sections
 * ------------------------------------------------------------------------------------------------------------------ */

/* The calling thread's control block, made when there is none yet (and the recording with the process's first; a forked
 * child starts a recording of its own here). NULL when there can be none: the process failed, is starting, or the
 * thread ended. Outside or inside of a slow section. On success the caller is *inside* a slow section. */
struct prof_thread *prof_thread_enter(void);

/* Does the thread (or NULL) record now? Anywhere. */
static inline bool prof_thread_running(const struct prof_thread *t)
{
  uint32_t state = t ? __atomic_load_n(&t->state, __ATOMIC_RELAXED) : PROF_HOOKS_SLOW;
  return state == PROF_HOOKS_ON || state == PROF_HOOKS_CLOCK;
}

/* Are the thread's calls counted now? Anywhere. */
static inline bool prof_thread_counting(const struct prof_thread *t)
{
  return prof_thread_running(t) && !t->warming;
}

/* Enters a slow section: signals blocked, state BUSY. False, and nothing is entered, when the thread is BUSY already.
 */
bool prof_slow_enter(struct prof_thread *t);
/* Leaves it: the state follows from the process's (disabled, clock), signals as before. */
void prof_slow_leave(struct prof_thread *t);

/* The calling thread, its control block made if need be, once it has caught up with what changed in the process; NULL
 * when it does not record now. Outside of slow sections. */
struct prof_thread *prof_thread_wake(void);

/* Stops the thread's clock around something long (a helper command, a large copy): prof_resume() moves the start of
 * every open frame of the thread forward by the time that passed. */
void prof_pause(struct prof_thread *t);
void prof_resume(struct prof_thread *t);

/* Blocks all signals of the calling thread with the raw system call and returns the mask as it was; restores it. */
uint64_t prof_block_signals(void);
void prof_restore_signals(uint64_t mask);

void prof_lock(struct prof_lock *lock);
void prof_unlock(struct prof_lock *lock);

/* Adds to header.loss[which]; relaxed. Anywhere, any thread; without a recording it does nothing. */
void prof_count_loss(enum fmt_rec_loss which, uint64_t calls);

/* Writes header.last: the clock and CLOCK_MONOTONIC, now. Any thread. */
void prof_stamp_last(void);

/* Makes every thread take its slow path at its next hook, where it compares its generation with the process's; used
 * after process.disabled or the like changed. Takes threads_lock. Outside of slow sections. */
void prof_threads_interrupt(void);

/* Takes the control block off process.threads and unmaps it; its tree was released or handed on. The caller has set
 * prof_self to another before. */
void prof_thread_discard(struct prof_thread *t);

/* Writes the calling thread's name, as it is now, into its record. Anywhere. */
void prof_thread_name(struct fmt_rec_thread *record);

/* ---------------------------------------------------------------------------------------------------------------------
 * clock.c
 * ------------------------------------------------------------------------------------------------------------------ */

/* The recording's clock for the calling thread. Anywhere. */
uint64_t prof_clock_now(void);
/* A clock that all threads share, in the unit of the recording's: where that is each thread's CPU time,
 * CLOCK_MONOTONIC. Anywhere. */
uint64_t prof_clock_shared(void);
uint64_t prof_monotonic_ns(void);
/* So many nanoseconds in ticks of the recording's clock, at most UINT64_MAX - 1. For the time stamp counter that takes
 * a tenth of a millisecond, of waiting. Any thread. */
uint64_t prof_clock_ticks(uint64_t ns);
/* The clock that "wall" means on this machine: FMT_CLOCK_TSC when the TSC is invariant, else FMT_CLOCK_MONOTONIC. */
uint32_t prof_clock_wall(void);

/* ---------------------------------------------------------------------------------------------------------------------
 * arena.c, recording.c: memory
 * ------------------------------------------------------------------------------------------------------------------ */

/* `size` zeroed bytes, 16-byte aligned (64 for 64 and more), that stay until prof_arena_free(); NULL when there is no
 * memory. */
void *prof_arena_alloc(struct prof_arena *arena, size_t size);
void prof_arena_free(struct prof_arena *arena);
/* The process's own arena, for what lives as long as the process: takes a lock. */
void *prof_process_alloc(size_t size);

/* Makes the recording of this process by process.settings: 0 or a negative errno after a message. */
int prof_recording_open(struct prof_process *process, bool child);
/* `size` zeroed bytes of the recording for this tree, 64-byte aligned when size >= 64, else 8; NULL when there is no
 * space. */
void *prof_record_alloc(struct prof_tree *tree, size_t size);
/* A contiguous run of the recording that belongs to no tree (a module's index): zeroed; NULL when there is no space. */
void *prof_record_alloc_run(size_t size);
/* `size` zeroed bytes of the recording that belong to no tree, 16-byte aligned, up to a page; NULL when there is no
 * space.
 */
void *prof_record_small(size_t size);
/* A fmt_rec_name with this text, of no tree. NULL when there is no space. */
struct fmt_rec_name *prof_record_name(const char *text, size_t length);
/* Gives the blocks of an ended tree back for later threads, and frees its arena. Nothing may refer to its records. */
void prof_tree_release(struct prof_tree *tree);

/* ---------------------------------------------------------------------------------------------------------------------
 * tree.c, guard.c
 * ------------------------------------------------------------------------------------------------------------------ */

/* Makes an empty tree with its thread record, which is not linked into header.first_thread yet. 0 or -ENOSPC/-ENOMEM.
 */
int prof_tree_init(struct prof_tree *tree, uint32_t tid);
/* Links tree->record into header.first_thread. */
void prof_tree_publish(struct prof_tree *tree);

/* The plan of a site in this tree, made when new; for a site that uses_entry, of its calls that return to `return_pc`
 * (else and where that is unknown 0). NULL when there is no space. */
struct prof_plan *prof_tree_plan(struct prof_tree *tree, const struct prof_site *site, uintptr_t return_pc);
/* The edge from `from` for a call with this plan and signature, made when new with context, variant and signature. The
 * cardinality guard may widen `words` in place first, and the bounds may merge. NULL when there is no space. */
struct fmt_rec_edge *prof_tree_edge(struct prof_tree *tree, struct fmt_rec_variant *from, struct prof_plan *plan,
                                    uint64_t *words, uint32_t word_count);
/* Moves every counter of `source` to `target`, making what is missing there. fold.c calls it under threads_lock. 0 or
 * -ENOSPC: calls that found no place were counted in FMT_LOSS_NO_SPACE. */
int prof_tree_merge(struct prof_tree *target, const struct prof_tree *source);
/* Makes every edge of every thread whose site lies in [low, high) unreachable, and forgets those sites: the module that
 * held them is gone. Takes threads_lock and modules_lock. */
void prof_sites_retire(uintptr_t low, uintptr_t high);

/* ---------------------------------------------------------------------------------------------------------------------
 * site.c: what a probe site is
 * ------------------------------------------------------------------------------------------------------------------ */

/* The site with this return address, resolved through module.c and filter.c when it is new. `stack` is rsp before the
 * hook's call and `call_site` what the hook was given. NULL when there is no memory. May pause the clock and block for
 * long. */
const struct prof_site *prof_site_resolve(struct prof_thread *t, uintptr_t pc, uintptr_t function_address,
                                          uintptr_t stack, uintptr_t call_site);
/* The same outside of its hook, when `cfa_offset` is known to be that of a site without call frame information. */
const struct prof_site *prof_site_at(struct prof_thread *t, uintptr_t pc, uintptr_t function_address,
                                     int32_t cfa_offset);

/* ---------------------------------------------------------------------------------------------------------------------
 * hooks.c, recursion.c, unwind.c: frames
 * ------------------------------------------------------------------------------------------------------------------ */

/* Ends every open frame of the thread, on all of its machine stacks, at `now`, as finished calls. `left`: the thread
 * does not come back to its tasks, which have failed. */
void prof_frames_close_all(struct prof_thread *t, uint64_t now, bool left);
/* Opens a frame of `edge` above `top`, with these ticks as its start, in a slow section. False: no space. */
bool prof_frame_open(struct prof_thread *t, struct fmt_rec_edge *edge, uintptr_t cfa, uint64_t ticks);

/* ---------------------------------------------------------------------------------------------------------------------
 * capture.c
 * ------------------------------------------------------------------------------------------------------------------ */

/* Reads `size` bytes at `address`, which need not be mapped: 0 or -EFAULT. Never faults, never blocks. Anywhere. */
int prof_read_memory(void *target, uintptr_t address, size_t size);

/* ---------------------------------------------------------------------------------------------------------------------
 * Implemented beside: module.c, filter.c, options.c, control.c, message.c, fold.c, fork.c, dl.c, coroutine.c,
 * calibrate.c
 * ------------------------------------------------------------------------------------------------------------------ */

/* control.c: changes process.disabled and process.warming. What is open in any thread ends; a thread notices at its
 * next hook. Outside of slow sections. */
void prof_set_recording(bool disabled, bool warming);

/* control.c: starts recording if it has not started. 0, or -EIO when there can be no recording. Outside of slow
 * sections.
 */
int prof_start_now(void);

/* options.c: fills process->settings from the environment and what callsig_start() left. Called once, with signals
 * blocked, before the recording is made. */
void prof_settings_load(struct prof_process *process);

/* module.c: the module that `address` lies in, registered (with its index, made by the helper command when missing)
 * when it is new; NULL when no module holds it. Takes modules_lock itself only inside prof_site_resolve(), which holds
 * it. May run a command: it calls prof_pause(t) and prof_resume(t) around what is long. */
struct prof_module *prof_module_for_address(struct prof_thread *t, uintptr_t address);
/* The site of `module` with run-time return address `pc`, or NULL. Anywhere. */
const struct fmt_index_site *prof_module_site(const struct prof_module *module, uintptr_t pc);
/* What the caller that returns to run-time `pc` passed, or NULL. Anywhere. */
const struct fmt_index_call_site *prof_module_call_site(const struct prof_module *module, uintptr_t pc);

/* filter.c: is this function recorded? `function` is NULL when it has no name. */
bool prof_filter_allows(const struct prof_process *process, const struct prof_module *module,
                        const struct fmt_index_function *function);

/* message.c: notes what stderr is, so that nothing is ever written to a file of the program's that took its number.
 * Once, before the first message. */
void prof_message_prepare(void);
/* message.c: one line to the program's callback or stderr: %s, %d, %u, %lx, %lu. Anywhere. */
void prof_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* fold.c: arranges that what the calling thread has is given up when it ends. Anywhere, also again. */
void prof_thread_watch(void);

/* fork.c: at the process's start, once: what is needed to notice forks besides the wiped page (may do nothing). And in
 * a forked child, when a thread's page was found wiped or the pid changed: gives up the parent's recording without
 * touching it and sets process->state back to NEW, so that a recording of its own follows. */
void prof_fork_prepare(void);
/* Is this a forked child that prof_fork_child() was not called in yet? False in a vfork() child, which shares
 * everything. Any time. */
bool prof_fork_happened(void);
/* Opens the frames that the forking thread had open in its parent, as of the moment of the fork, in the control block
 * of the child's first thread. Once, in its slow section. */
void prof_fork_inherit(struct prof_thread *t);
void prof_fork_child(struct prof_process *process);

/* coroutine.c: the machine stack that `sp` lies on: a range that makecontext() or sigaltstack() named, else the mapping
 * of /proc/self/maps. False when it cannot be told. */
bool prof_stack_range(uintptr_t sp, uintptr_t *low, uintptr_t *high);
/* The stack that this thread gave makecontext() and that `sp` lies on, if any. Anywhere. */
bool prof_stack_named(uintptr_t sp, uintptr_t *low, uintptr_t *high);

/* calibrate.c: measures the hooks' own cost and writes header.hook_inner and hook_outer: the mean of what was measured
 * before and now. At the process's start and at its end, with signals blocked. */
void prof_calibrate(struct prof_process *process);

#endif
