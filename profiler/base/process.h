/*
 * The state of the process that is profiled, and the rules for everything that runs inside of it.
 *
 * The profiler runs inside somebody else's program, so all of it holds to these rules:
 *
 *  - No call that the program could have replaced: memory comes from arena.c, files from the raw system calls of
 *    syscall.h. errno is never touched. All of it is compiled for general registers alone, so xmm keeps what the
 *    program put there.
 *  - A hook may run inside malloc, in a signal handler, before main or after exit. The fast path is assembly and takes
 *    no lock. Everything slower runs between prof_slow_enter() and prof_slow_leave(): all signals are blocked and the
 *    thread's state is BUSY, so that a hook that is entered meanwhile returns at once and is counted.
 *  - A function in a header is called inside such a slow section unless its comment says otherwise. "Anywhere" is also
 *    outside of one, in a signal handler, and in a hook that interrupted another.
 *  - A room calls lower ones alone, in the order of profiler/CMakeLists.txt. What a lower one has to have done by a
 *    higher one goes through prof_upcalls.
 */
#ifndef CALLSIG_PROFILER_BASE_PROCESS_H
#define CALLSIG_PROFILER_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "callsig/callsig.h"
#include "format/recording.h"
#include "profiler/arch/common/word_pair.h"
#include "profiler/base/arena.h"
#include "profiler/base/arena_slab.h"
#include "profiler/base/lock.h"
#include "profiler/base/proc_files.h"
#include "profiler/base/settings.h"

struct prof_module;
struct prof_process;
struct prof_thread;
struct prof_fast_compare;

/* Functions of higher rooms that lower ones call, never on the fast path. Each is NULL until the room that has it sets
 * it, which is before the first thing that could need it, and stays what it is from then on, also in forked children.
 */
/* A part of the parent's recording that a forked child keeps. */
struct prof_kept {
  uintptr_t low, high;
};

struct prof_upcalls {
  /* prof_frames_close_all(); session/startup.c sets it before the first thread has a control block. */
  void (*close_frames)(struct prof_thread *t, uint64_t now, bool left);
  /* prof_frames_mend(); set with it. */
  void (*mend_frames)(struct prof_thread *t);
  /* Ends `top`, the open frame of a task, at `now`, other than by callsig_task_end(); `left`: control will not come
   * back to the task. pipeline/task.c sets it, and the next, before the first task has a frame. */
  void (*cut_task)(struct prof_thread *t, uint64_t now, bool left);
  /* The calling thread's tree is new: the tasks that it has open have no frames there. */
  void (*forget_task_frames)(void);
  /* In a forked child, while the parent's recording is still there: notes what each queue holds. pipeline/queue.c sets
   * it with the first queue. */
  void (*keep_queue_levels)(void);
  /* In a forked child, while the parent's recording is still there: notes the indexes in it, which stay mapped.
   * module/parents_index.c sets it, and the next, with the first. */
  void (*note_indexes)(void);
  /* The first of those that begin at `from` or behind it; at UINTPTR_MAX where there is none. */
  struct prof_kept (*next_index)(uintptr_t from);
  /* Has the recording count from zero, from now on. Outside of slow sections; lifetime/period.c sets it, and the next,
   * when the library is initialised. */
  void (*begin_period)(void);
  /* Brings the calling thread into the period that was begun since it came by last. Takes threads_lock. */
  void (*enter_period)(struct prof_thread *t);
  /* Opens the frames that the thread had open in its parent process; it came by at `begun`, 0: not known.
   * lifetime/fork.c sets it before it copies any. */
  void (*inherit_frames)(struct prof_thread *t, uint64_t begun);
  /* Recording was enabled (true), so that sleds are to call the hooks, or disabled, so that they need not.
   * sled/sleds.c sets it when the library is initialised. */
  void (*switch_sleds)(bool on);
  /* Makes machine code for the calls of a sled that `compare` says all of, unless there is some, and gives its number
   * (struct prof_fast_compare); 0 for none. A sled that was led to none calls what there is again. sled/site_codes.c
   * sets it when the first sled is switched on. */
  uint16_t (*make_code)(const struct prof_fast_compare *compare);
  /* The function is the outermost one, while recursion is open, for the first time in any thread; the code of its sites
   * opens no frame of it unasked from then on. Sets process.ever_active. Anywhere. sled/site_codes.c sets it likewise.
   */
  void (*function_activated)(const struct fmt_rec_function *function);
  /* Has the calls of the imports of a module counted whose first site is met, if the settings ask for that. Under
   * modules_lock. library/library.c sets it when the library is initialised. */
  void (*count_imports)(struct prof_module *module);
  /* Before the tree of an ended thread is folded into another: what is known of its edges from outside is so no more.
   * pipeline/call_wait.c sets it with the first that is. */
  void (*forget_calls)(const struct fmt_rec_thread *thread);
  /* Measures the hooks' own cost. calibration/calibrate.c sets it when the library is initialised; a recording that was
   * begun before is calibrated then. */
  void (*calibrate)(struct prof_process *process);
};

/* What hooks cost, as the header of a recording tells it. */
struct prof_hook_price {
  uint64_t inner, outer, sample;
  uint32_t hidden, floor;
};

#define PROF_BLOCK_SIZES   6 /* powers of two: base/recording.h */
#define PROF_ACTIVE_PLACES 1024u
#define PROF_ACTIVE_TOLD   2u

enum prof_process_state {
  PROF_PROCESS_NEW, /* nothing was recorded yet, though a thread may be making the recording */
  PROF_PROCESS_RECORDING,
  PROF_PROCESS_FAILED, /* there is no recording (message given); the program runs on */
};

struct prof_process {
  uint32_t state;           /* enum prof_process_state, atomic */
  uint32_t pid;             /* of the process that `header` belongs to */
  uint32_t disabled;        /* atomic: 1 while hooks are to count nothing */
  uint32_t warming;         /* atomic: 1 while calls are to be made out but not counted; see schedule.c */
  uint32_t scheduled;       /* there is a schedule */
  uint32_t generation;      /* atomic: changes with these; threads compare it in their slow path */
  uint32_t finished;        /* the process is past its exit handlers */
  uint32_t sleds_waiting;   /* atomic: sleds were left as they are, since a module was being unloaded */
  uint32_t sleds_unread;    /* atomic: it was told that what has sleds cannot be found out */
  uint32_t has_sleds;       /* some module has sleds that are or were switched on */
  uint32_t sleds_out;       /* sleds call no hook, since the program disabled recording; under switch_lock */
  uint32_t loader_watched;  /* the loader tells when it changes the list of modules */
  uint32_t modules_changed; /* how often the loader has changed the list of modules; atomic */
  uint32_t sleds_searched;  /* 1 + modules_changed when all sleds there were had been found, 0: never; atomic */
  uint32_t requested;       /* recording was switched by a request from outside; atomic */
  uint32_t switches;        /* how often recording was switched on or off; atomic */
  uint32_t recorded;        /* a call was recorded: the clock can no longer be replaced */
  uint64_t resumed_ticks;   /* when recording went on last, 0: it has not stopped yet; atomic */
  struct prof_settings settings;
  char path[PROF_MAX_PATH]; /* the recording's path, "" while there is none */

  struct prof_argument_area arguments; /* as the process was started with them */
  struct fmt_rec_name *title_before;   /* of a forked child, the one before header->command; under title_lock */

  struct fmt_rec_header *header; /* the recording, NULL while there is none */
  uint64_t reserved;             /* bytes that the recording may have; changed under `growth` */
  uint64_t allocated;     /* bytes of the file that have space and are mapped; read atomically, grown under `growth` */
  uint64_t grow_at;       /* CLOCK_MONOTONIC, ns: when growing is tried again, 0: always; under `growth` */
  uint64_t room;          /* how long the file was made for when it may not be opened any more; under `growth` */
  uint64_t inode, device; /* of the recording's file, checked whenever it is opened to grow */
  bool full;              /* growth failed: message given */
  uint32_t sleds;         /* of a forked child: its parent's header.sleds when it began its own recording */
  uint32_t counter_khz;   /* as in the header; 0: it was not measured yet, in this process or its parent */
  struct prof_hook_price price; /* of a forked child: as measured in its parent; zeroes: it was not */
  /* The header of the recording once more, mapped for forked children, too; NULL: there was none, or no memory. */
  struct fmt_rec_header *counted_in;

  struct prof_lock start_lock;    /* the step from PROF_PROCESS_NEW */
  struct prof_lock growth;        /* the file's size, free blocks */
  struct prof_lock modules_lock;  /* modules, sites */
  struct prof_lock threads_lock;  /* threads that end; folding */
  struct prof_lock arena_lock;    /* the process's own arena */
  struct prof_lock names_lock;    /* the page that small names share */
  struct prof_lock rings_lock;    /* rings that are free, and their bytes */
  struct prof_lock codes_lock;    /* the machine code of sites */
  struct prof_lock stages_lock;   /* what has a name: stages, queues, events, actions */
  struct prof_lock title_lock;    /* header->command of a forked child */
  struct prof_lock requests_lock; /* requests from outside that are being taken */
  struct prof_lock switch_lock;   /* recording is being switched on or off; before threads_lock and pauses_lock */
  struct prof_lock pauses_lock;   /* the times in which nothing is recorded */
  struct prof_lock named_lock;    /* machine stacks that the program named */
  struct prof_lock schedule_lock; /* which of the program's steps runs */
  struct prof_arena arena;
  struct prof_arena_slabs slabs;           /* arenas' first chunks; under arena_lock */
  struct prof_arena_spare spare_chunks;    /* others; under arena_lock */
  uint8_t *names_next, *names_end;         /* what is left of that page */
  void *free_blocks[PROF_BLOCK_SIZES];     /* blocks of folded threads by size, first word links; under `growth` */
  struct fmt_rec_ring *free_rings;         /* of folded threads, `reserved` links */
  uint64_t ring_bytes;                     /* of all rings */
  struct prof_word_pair free_asked;        /* records that nothing counts in: see tree/asked.c; atomic */
  struct fmt_rec_asked_list retired_asked; /* those that no edge has, but blocks; under threads_lock */
  struct prof_module *modules;             /* newest first; atomic reads */
  const uintptr_t *staying; /* where the modules begin that are never unloaded, 0 at the end; NULL: not known */
  struct prof_site_table *sites;
  struct prof_thread *threads; /* every control block there is: stack/thread.h has the live threads'. Newest first */
  uint32_t live_threads;       /* how many threads have one; atomic */
  struct prof_thread *free_threads;     /* control blocks that ended threads had, zeroed; under threads_lock */
  struct prof_thread_pool *thread_pool; /* where new ones come from; atomic */
  uint32_t unloading;        /* dlclose() calls under way; atomic, changed under threads_lock: see module/site.h */
  struct prof_tree *folded;  /* the tree that ended threads are folded into, NULL until then; under threads_lock */
  uint32_t ended_threads;    /* atomic */
  void *ended;               /* trees of ended threads that nobody has folded yet; atomic */
  uint32_t unfolded;         /* how many they are, with those that are being folded; atomic */
  void *unnoted;             /* folded ones that a beginning thread will still write to; under threads_lock */
  uint64_t thread_serial;    /* of the newest thread; atomic */
  uint64_t next_look;        /* CLOCK_MONOTONIC, ns: when task_waits.c looks next; atomic */
  uint32_t epoch;            /* how many forks lie between this recording and the first */
  struct prof_stage *stages; /* newest first; they and the next ones outlast a fork */
  struct callsig_stage *closed_stages; /* handles to be used again */
  struct callsig_queue *queues;        /* newest first */

  callsig_clock_fn clock; /* FMT_CLOCK_INJECTED */
  void *clock_data;
  uint64_t clock_hz;
  callsig_message_fn message;
  void *message_data;

  struct prof_upcalls upcalls;
  /* By prof_function_place(): not 0 where a function was ever the outermost one while recursion was open;
   * PROF_ACTIVE_TOLD once the code of its sites says so. */
  uint8_t ever_active[PROF_ACTIVE_PLACES];
};

extern struct prof_process prof_process;

/* Adds to header.loss[which]; relaxed. Anywhere, any thread; without a recording it does nothing. */
void prof_count_loss(enum fmt_rec_loss which, uint64_t calls);
/* Counts the calling process, of which no recording could be made, in that of the process that forked it. */
void prof_count_unrecorded(void);

/* Once, at the process's start: has a page that a fork wipes, besides those of control blocks (may do nothing). With
 * signals blocked, or while the library is initialised. */
void prof_fork_prepare(void);
/* Notes a fork where the kernel wipes no pages. In the child, before anything else is asked. */
void prof_fork_note(void);
/* Is this a forked child whose state is still the parent's? False in a vfork() child, which shares everything.
 * Anywhere. */
bool prof_fork_happened(void);
/* In a forked child whose state is still the parent's: gives up the parent's recording without touching it and sets
 * process->state back to NEW, so that a recording of its own follows. Of several threads that come at once one does it,
 * and the others return when it is done. `wiped`: the thread found its page wiped, which is the only sign of a fork
 * where there is no page for the process. With signals blocked. */
void prof_fork_child(struct prof_process *process, bool wiped);
/* In such a child, before something that belongs to no recording is kept in the arena: has an arena of its own. The
 * rest of the state stays the parent's: what is asked of the parent is asked of the child, too, until its own recording
 * begins. With signals blocked. */
void prof_fork_arena(struct prof_process *process);

#endif
