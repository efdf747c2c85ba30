/*
 * The tasks of a stage in one thread: records of format/recording.h.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_TASKS_H
#define CALLSIG_FORMAT_TASKS_H

#include <stdint.h>

#include "format/record_tag.h"

/* The tasks of one stage as one thread ran them. One writer. The times are those of successful tasks. */
struct fmt_rec_tasks {
  struct fmt_rec_tag tag;
  uint64_t next;  /* next older of the thread */
  uint64_t stage; /* address of a fmt_rec_stage */
  uint64_t tasks; /* ended, failures included */
  uint64_t failures;
  uint64_t total; /* ticks of successes */
  uint64_t failed_total;
  uint64_t min, max;                /* ticks of successes; UINT64_MAX and 0 before the first */
  uint64_t histogram;               /* address of a fmt_rec_histogram, of successes */
  uint64_t first_ticks, last_ticks; /* when the first task began and the last one ended */
  uint64_t open;                    /* tasks that this thread has open */
  uint64_t cancelled;               /* tasks that ended as none: in the tree only */
  uint64_t work;                    /* address of a fmt_rec_task_work, 0 for none */
  uint64_t waits;                   /* address of a fmt_rec_task_waits, 0 for none */
  uint64_t gaps;                    /* address of a fmt_rec_histogram, 0 for none: of tasks that were looked at, the
                                       ticks between their end and that of the one before in the stage */
};

/* What those tasks did with their time. How much of it was on a processor is asked for of random tasks. */
#define FMT_TASK_SLOTS 64
struct fmt_rec_task_slot {
  uint64_t own;   /* ticks of tasks in it, without tasks and waits for queues inside */
  uint64_t tasks; /* that ended in it */
};

/* Makes slots twice as long: two become one. */
static inline void fmt_task_slots_widen(struct fmt_rec_task_slot slots[FMT_TASK_SLOTS])
{
  for (unsigned i = 0; i < FMT_TASK_SLOTS; i++) {
    const struct fmt_rec_task_slot slot = slots[i];
    slots[i] = (struct fmt_rec_task_slot){0};
    slots[i / 2].own += slot.own;
    slots[i / 2].tasks += slot.tasks;
  }
}

struct fmt_rec_task_work {
  struct fmt_rec_tag tag;
  uint64_t own;           /* ticks of all tasks, failures included, without tasks and waits for queues inside */
  uint64_t sampled;       /* tasks that were looked at */
  uint64_t sampled_ticks; /* of these, all of it */
  uint64_t cpu_ns;        /* of these, on a processor */
  uint64_t waits;         /* of these: how often they went to wait (voluntary switches) */
  uint64_t preempted;     /* of these: how often a processor was taken from them (involuntary switches) */
  uint64_t ready_ticks;   /* of those among them that never went to wait: all that is not on a processor was for one */
  uint64_t ready_cpu_ns;
  uint32_t shift; /* a slot is 2^shift ticks; the first begins with the recording */
  uint32_t reserved32;
  /* Of the thread when it, or the process, ended; of one that had tasks of several stages, this stage's part by `own`.
   */
  uint64_t thread_cpu_ns; /* on a processor */
  uint64_t queued_ns;     /* ready to run, and waiting for a processor */
  struct fmt_rec_task_slot slots[FMT_TASK_SLOTS];
};

/* What a thread was found doing inside of a task. */
enum fmt_wait_kind {
  FMT_WAIT_NONE,      /* it ran, or was about to */
  FMT_WAIT_LOCK,      /* for a lock: FUTEX_WAIT for 2, or for a thread with others behind it; FUTEX_LOCK_PI */
  FMT_WAIT_CONDITION, /* at another futex: a condition, a semaphore, a lock of readers and writers, a thread's end */
  FMT_WAIT_SLEEP,
  FMT_WAIT_FILE,   /* reading, writing, syncing */
  FMT_WAIT_EVENT,  /* sockets, and several files at once: poll() and its like */
  FMT_WAIT_MEMORY, /* outside of system calls: a page that was not there */
  FMT_WAIT_OTHER,  /* in another system call */
  FMT_WAIT_KINDS
};

struct fmt_rec_task_wait {
  uint64_t edge;    /* address of the fmt_rec_edge of its innermost call, 0: a free slot. Stored last */
  uint64_t address; /* of the futex; 0 for others, and for further ones of an edge that has many */
  uint64_t looks;
  uint32_t kind; /* enum fmt_wait_kind */
  uint32_t reserved;
};

/* What other threads saw when they looked at this one while a task of the stage was its innermost, and it waited for no
 * queue. Written under a lock of the process. */
#define FMT_WAIT_SLOTS 24
struct fmt_rec_task_waits {
  struct fmt_rec_tag tag;
  uint64_t others; /* looks that found no free slot */
  struct fmt_rec_task_wait slots[FMT_WAIT_SLOTS];
};

#endif
