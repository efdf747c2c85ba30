/*
 * Control blocks of threads, and slow sections: the one way in which anything but the fast path touches them.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "profiler/base/internal.h"
#include "profiler/base/ring.h"
#include "profiler/stack/frames.h"

#define CONTROL_SIZE 4096u
#define ALL_SIGNALS  UINT64_MAX
#define SIGNAL_BYTES 8u
#define SHORT_PAUSE  65536u /* ticks, some tens of microseconds: less than moving many frames may take */
#define FIRST_FRAMES 1023u  /* of a thread's first segment: with its header it fills half a block */

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

struct prof_process prof_process;
__thread struct prof_thread *prof_self;
struct prof_thread prof_idle = {.state = PROF_HOOKS_SLOW};
struct prof_thread prof_starting = {.state = PROF_HOOKS_BUSY};
struct prof_thread prof_gone = {.state = PROF_HOOKS_GONE};

uint64_t prof_block_signals(void)
{
  uint64_t all = ALL_SIGNALS, before = 0;
  PROF_SYSCALL4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &before, SIGNAL_BYTES);
  return before;
}

void prof_restore_signals(uint64_t mask)
{
  PROF_SYSCALL4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, 0, SIGNAL_BYTES);
}

void prof_lock(struct prof_lock *lock)
{
  uint32_t expected = 0;
  if (__atomic_compare_exchange_n(&lock->word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE) != 0)
    PROF_SYSCALL4(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, 2, 0);
}

void prof_unlock(struct prof_lock *lock)
{
  if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2)
    PROF_SYSCALL3(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1);
}

void prof_count_loss(enum fmt_rec_loss which, uint64_t calls)
{
  if (prof_process.header)
    __atomic_fetch_add(&prof_process.header->loss[which], calls, __ATOMIC_RELAXED);
}

void prof_stamp_last(void)
{
  struct fmt_rec_header *header = prof_process.header;
  if (!header || prof_process.settings.clock == FMT_CLOCK_INJECTED)
    return;
  uint32_t sequence = __atomic_load_n(&header->last_sequence, __ATOMIC_RELAXED);
  if (sequence & 1 || !__atomic_compare_exchange_n(&header->last_sequence, &sequence, sequence + 1, false,
                                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  header->last.ticks = prof_clock_now();
  header->last.monotonic_ns = prof_monotonic_ns();
  __atomic_store_n(&header->last_sequence, sequence + 2, __ATOMIC_RELEASE);
}

bool prof_slow_enter(struct prof_thread *t)
{
  if (__atomic_load_n(&t->state, __ATOMIC_RELAXED) == PROF_HOOKS_BUSY)
    return false;
  /* Signals first: a handler that runs before this finds the thread as it was. */
  uint64_t mask = prof_block_signals();
  __atomic_store_n(&t->state, PROF_HOOKS_BUSY, __ATOMIC_RELAXED);
  t->sigmask = mask;
  return true;
}

static uint32_t state_of_process(void)
{
  if (__atomic_load_n(&prof_process.disabled, __ATOMIC_SEQ_CST))
    return PROF_HOOKS_OFF;
  bool fast = prof_process.settings.clock == FMT_CLOCK_TSC && !__atomic_load_n(&prof_process.warming, __ATOMIC_SEQ_CST);
  return fast ? PROF_HOOKS_ON : PROF_HOOKS_CLOCK;
}

static void set_thresholds(struct prof_thread *t)
{
  t->timeline_min = prof_process.header->timeline_min;
  t->exit_least = prof_process.settings.percentiles ? 0 : t->timeline_min;
}

/* Applies what changed in the process since this thread last looked: a disabled thread's open frames end. */
static void catch_up(struct prof_thread *t)
{
  uint32_t generation = __atomic_load_n(&prof_process.generation, __ATOMIC_SEQ_CST);
  if (t->generation == generation)
    return;
  t->generation = generation;
  set_thresholds(t);
  uint64_t ended = __atomic_exchange_n(&t->tree.record->end_ticks, 0, __ATOMIC_SEQ_CST);
  if (ended)
    prof_frames_close_all(t, ended, false);
  t->warming = __atomic_load_n(&prof_process.warming, __ATOMIC_SEQ_CST);
  prof_stack_publish(t);
}

void prof_slow_leave(struct prof_thread *t)
{
  uint64_t mask = t->sigmask;
  do {
    catch_up(t);
    __atomic_store_n(&t->state, state_of_process(), __ATOMIC_SEQ_CST);
    /* Another thread that changes the process now either finds this state and makes it SLOW, or is seen here. */
  } while (t->generation != __atomic_load_n(&prof_process.generation, __ATOMIC_SEQ_CST));
  prof_restore_signals(mask);
}

/* The time of an injected clock is the program's alone. */
static bool can_pause(const struct prof_thread *t)
{
  return t && prof_process.settings.clock != FMT_CLOCK_INJECTED;
}

void prof_pause(struct prof_thread *t)
{
  if (can_pause(t) && t->pauses++ == 0)
    t->paused_at = prof_clock_now();
}

void prof_resume(struct prof_thread *t)
{
  if (!can_pause(t) || --t->pauses != 0)
    return;
  uint64_t ticks = prof_clock_now() - t->paused_at;
  if (ticks > SHORT_PAUSE)
    prof_frames_shift(t, ticks);
}

void prof_threads_interrupt(void)
{
  __atomic_fetch_add(&prof_process.generation, 1, __ATOMIC_SEQ_CST);
  uint64_t mask = prof_block_signals();
  prof_lock(&prof_process.threads_lock);
  for (struct prof_thread *t = prof_process.threads; t; t = t->next) {
    uint32_t state = __atomic_load_n(&t->state, __ATOMIC_SEQ_CST);
    /* A BUSY thread looks at the generation when it leaves its slow section. */
    while (state != PROF_HOOKS_BUSY && state != PROF_HOOKS_SLOW &&
           !__atomic_compare_exchange_n(&t->state, &state, PROF_HOOKS_SLOW, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      ;
  }
  uint32_t idle = __atomic_load_n(&prof_process.disabled, __ATOMIC_SEQ_CST) ? PROF_HOOKS_OFF : PROF_HOOKS_SLOW;
  __atomic_store_n(&prof_idle.state, idle, __ATOMIC_SEQ_CST);
  prof_unlock(&prof_process.threads_lock);
  prof_restore_signals(mask);
}

/* Makes the process's recording: once, by the first thread that gets here. True when there is one. */
static bool start_process(void)
{
  struct prof_process *process = &prof_process;
  uint32_t state = PROF_PROCESS_NEW;
  if (!__atomic_compare_exchange_n(&process->state, &state, PROF_PROCESS_STARTING, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    while (state == PROF_PROCESS_STARTING) {
      PROF_SYSCALL0(SYS_sched_yield);
      state = __atomic_load_n(&process->state, __ATOMIC_ACQUIRE);
    }
    return state == PROF_PROCESS_RECORDING;
  }
  bool child = process->pid != 0; /* the settings are the parent's */
  process->pid = prof_sys_getpid();
  if (!child) {
    prof_settings_load(process);
    process->disabled = process->settings.start_disabled;
    prof_fork_prepare();
  }
  int error = prof_recording_open(process, child);
  if (error == 0)
    prof_calibrate(process);
  __atomic_store_n(&prof_idle.state, error == 0 && !process->disabled ? PROF_HOOKS_SLOW : PROF_HOOKS_OFF,
                   __ATOMIC_SEQ_CST);
  __atomic_store_n(&process->state, error == 0 ? PROF_PROCESS_RECORDING : PROF_PROCESS_FAILED, __ATOMIC_RELEASE);
  return error == 0;
}

void prof_thread_name(struct fmt_rec_thread *record)
{
  PROF_SYSCALL2(SYS_prctl, PR_GET_NAME, record->name);
}

static bool set_up(struct prof_thread *t)
{
  t->tid = prof_sys_gettid();
  t->generation = __atomic_load_n(&prof_process.generation, __ATOMIC_SEQ_CST);
  t->warming = __atomic_load_n(&prof_process.warming, __ATOMIC_SEQ_CST);
  if (prof_tree_init(&t->tree, t->tid) < 0)
    return false;
  t->cache = prof_arena_alloc(&t->tree.arena, sizeof *t->cache << PROF_CACHE_BITS);
  if (!t->cache)
    return false;
  prof_thread_name(t->tree.record);
  /* An injected clock is read for calls alone. */
  if (prof_process.settings.clock != FMT_CLOCK_INJECTED)
    t->tree.record->start_ticks = prof_clock_now();
  uintptr_t here = (uintptr_t)__builtin_frame_address(0), low = 0, high = UINTPTR_MAX;
  if (!prof_stack_range(here, &low, &high)) {
    low = 0;
    high = UINTPTR_MAX;
  }
  if (!prof_stack_open(t, low, high, FIRST_FRAMES))
    return false;
  set_thresholds(t);
  prof_ring_open(t);
  prof_tree_publish(&t->tree);
  return true;
}

/* Makes the calling thread's control block. NULL: there is no space. */
static struct prof_thread *create(void)
{
  long address = prof_sys_mmap(0, CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (prof_sys_failed(address))
    return NULL;
  PROF_SYSCALL3(SYS_madvise, address, CONTROL_SIZE, MADV_WIPEONFORK);
  struct prof_thread *t = (struct prof_thread *)address;
  t->state = PROF_HOOKS_BUSY;
  t->self = t;
  if (!set_up(t)) {
    prof_tree_release(&t->tree);
    prof_sys_munmap(t, CONTROL_SIZE);
    return NULL;
  }
  prof_lock(&prof_process.threads_lock);
  t->next = prof_process.threads;
  prof_process.threads = t;
  prof_unlock(&prof_process.threads_lock);
  return t;
}

struct prof_thread *prof_thread_enter(void)
{
  struct prof_thread *t = prof_self;
  if (t && t->self == t)
    return prof_slow_enter(t) ? t : NULL;
  if (t && t->state == PROF_HOOKS_BUSY)
    return NULL;
  if (t == &prof_gone)
    return NULL;
  uint64_t mask = prof_block_signals();
  bool wiped = t && t != &prof_idle && t != &prof_starting;
  prof_self = &prof_starting;
  struct prof_thread *made = NULL;
  if (wiped || prof_fork_happened())
    prof_fork_child(&prof_process);
  if (start_process() && __atomic_load_n(&prof_idle.state, __ATOMIC_RELAXED) != PROF_HOOKS_OFF)
    made = create();
  if (made) {
    made->sigmask = mask;
    prof_self = made;
    prof_thread_watch();
    prof_fork_inherit(made);
    return made;
  }
  prof_self = &prof_idle;
  prof_restore_signals(mask);
  return NULL;
}

struct prof_thread *prof_thread_wake(void)
{
  if (prof_thread_running(prof_self))
    return prof_self;
  struct prof_thread *t = prof_thread_enter();
  if (!t)
    return NULL;
  prof_slow_leave(t);
  return prof_thread_running(t) ? t : NULL;
}

void prof_thread_discard(struct prof_thread *t)
{
  prof_lock(&prof_process.threads_lock);
  for (struct prof_thread **link = &prof_process.threads; *link; link = &(*link)->next) {
    if (*link == t) {
      *link = t->next;
      break;
    }
  }
  prof_unlock(&prof_process.threads_lock);
  prof_sys_munmap(t, CONTROL_SIZE);
}
