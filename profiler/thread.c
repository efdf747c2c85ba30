/*
 * Control blocks of threads, and slow sections: the one way in which anything but the fast path touches them.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "frames.h"
#include "internal.h"
#include "ring.h"

#define CONTROL_SIZE 4096u
#define ALL_SIGNALS  UINT64_MAX
#define SIGNAL_BYTES 8u
#define SHORT_PAUSE  65536u /* ticks, some tens of microseconds: less than moving many frames may take */
#define FIRST_FRAMES 1023u  /* of a thread's first segment: with its header it fills half a block */

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

struct cs_process cs_process;
__thread struct cs_thread *cs_self;
struct cs_thread cs_idle = {.state = CS_HOOKS_SLOW};
struct cs_thread cs_starting = {.state = CS_HOOKS_BUSY};
struct cs_thread cs_gone = {.state = CS_HOOKS_GONE};

uint64_t cs_block_signals(void)
{
  uint64_t all = ALL_SIGNALS, before = 0;
  CS_SYSCALL4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &before, SIGNAL_BYTES);
  return before;
}

void cs_restore_signals(uint64_t mask)
{
  CS_SYSCALL4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, 0, SIGNAL_BYTES);
}

void cs_lock(struct cs_lock *lock)
{
  uint32_t expected = 0;
  if (__atomic_compare_exchange_n(&lock->word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE) != 0)
    CS_SYSCALL4(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, 2, 0);
}

void cs_unlock(struct cs_lock *lock)
{
  if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2)
    CS_SYSCALL3(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1);
}

void cs_count_loss(enum cs_rec_loss which, uint64_t calls)
{
  if (cs_process.header)
    __atomic_fetch_add(&cs_process.header->loss[which], calls, __ATOMIC_RELAXED);
}

void cs_stamp_last(void)
{
  struct cs_rec_header *header = cs_process.header;
  if (!header || cs_process.settings.clock == CS_CLOCK_INJECTED)
    return;
  uint32_t sequence = __atomic_load_n(&header->last_sequence, __ATOMIC_RELAXED);
  if (sequence & 1 || !__atomic_compare_exchange_n(&header->last_sequence, &sequence, sequence + 1, false,
                                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  header->last.ticks = cs_clock_now();
  header->last.monotonic_ns = cs_monotonic_ns();
  __atomic_store_n(&header->last_sequence, sequence + 2, __ATOMIC_RELEASE);
}

bool cs_slow_enter(struct cs_thread *t)
{
  if (__atomic_load_n(&t->state, __ATOMIC_RELAXED) == CS_HOOKS_BUSY)
    return false;
  /* Signals first: a handler that runs before this finds the thread as it was. */
  uint64_t mask = cs_block_signals();
  __atomic_store_n(&t->state, CS_HOOKS_BUSY, __ATOMIC_RELAXED);
  t->sigmask = mask;
  return true;
}

static uint32_t state_of_process(void)
{
  if (__atomic_load_n(&cs_process.disabled, __ATOMIC_SEQ_CST))
    return CS_HOOKS_OFF;
  bool fast = cs_process.settings.clock == CS_CLOCK_TSC && !__atomic_load_n(&cs_process.warming, __ATOMIC_SEQ_CST);
  return fast ? CS_HOOKS_ON : CS_HOOKS_CLOCK;
}

static void set_thresholds(struct cs_thread *t)
{
  t->timeline_min = cs_process.header->timeline_min;
  t->exit_least = cs_process.settings.percentiles ? 0 : t->timeline_min;
}

/* Applies what changed in the process since this thread last looked: a disabled thread's open frames end. */
static void catch_up(struct cs_thread *t)
{
  uint32_t generation = __atomic_load_n(&cs_process.generation, __ATOMIC_SEQ_CST);
  if (t->generation == generation)
    return;
  t->generation = generation;
  set_thresholds(t);
  uint64_t ended = __atomic_exchange_n(&t->tree.record->end_ticks, 0, __ATOMIC_SEQ_CST);
  if (ended)
    cs_frames_close_all(t, ended, false);
  t->warming = __atomic_load_n(&cs_process.warming, __ATOMIC_SEQ_CST);
  cs_stack_publish(t);
}

void cs_slow_leave(struct cs_thread *t)
{
  uint64_t mask = t->sigmask;
  do {
    catch_up(t);
    __atomic_store_n(&t->state, state_of_process(), __ATOMIC_SEQ_CST);
    /* Another thread that changes the process now either finds this state and makes it SLOW, or is seen here. */
  } while (t->generation != __atomic_load_n(&cs_process.generation, __ATOMIC_SEQ_CST));
  cs_restore_signals(mask);
}

/* The time of an injected clock is the program's alone. */
static bool can_pause(const struct cs_thread *t)
{
  return t && cs_process.settings.clock != CS_CLOCK_INJECTED;
}

void cs_pause(struct cs_thread *t)
{
  if (can_pause(t) && t->pauses++ == 0)
    t->paused_at = cs_clock_now();
}

void cs_resume(struct cs_thread *t)
{
  if (!can_pause(t) || --t->pauses != 0)
    return;
  uint64_t ticks = cs_clock_now() - t->paused_at;
  if (ticks > SHORT_PAUSE)
    cs_frames_shift(t, ticks);
}

void cs_threads_interrupt(void)
{
  __atomic_fetch_add(&cs_process.generation, 1, __ATOMIC_SEQ_CST);
  uint64_t mask = cs_block_signals();
  cs_lock(&cs_process.threads_lock);
  for (struct cs_thread *t = cs_process.threads; t; t = t->next) {
    uint32_t state = __atomic_load_n(&t->state, __ATOMIC_SEQ_CST);
    /* A BUSY thread looks at the generation when it leaves its slow section. */
    while (state != CS_HOOKS_BUSY && state != CS_HOOKS_SLOW &&
           !__atomic_compare_exchange_n(&t->state, &state, CS_HOOKS_SLOW, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      ;
  }
  uint32_t idle = __atomic_load_n(&cs_process.disabled, __ATOMIC_SEQ_CST) ? CS_HOOKS_OFF : CS_HOOKS_SLOW;
  __atomic_store_n(&cs_idle.state, idle, __ATOMIC_SEQ_CST);
  cs_unlock(&cs_process.threads_lock);
  cs_restore_signals(mask);
}

/* Makes the process's recording: once, by the first thread that gets here. True when there is one. */
static bool start_process(void)
{
  struct cs_process *process = &cs_process;
  uint32_t state = CS_PROCESS_NEW;
  if (!__atomic_compare_exchange_n(&process->state, &state, CS_PROCESS_STARTING, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    while (state == CS_PROCESS_STARTING) {
      CS_SYSCALL0(SYS_sched_yield);
      state = __atomic_load_n(&process->state, __ATOMIC_ACQUIRE);
    }
    return state == CS_PROCESS_RECORDING;
  }
  bool child = process->pid != 0; /* the settings are the parent's */
  process->pid = cs_sys_getpid();
  if (!child) {
    cs_settings_load(process);
    process->disabled = process->settings.start_disabled;
    cs_fork_prepare();
  }
  int error = cs_recording_open(process, child);
  if (error == 0)
    cs_calibrate(process);
  __atomic_store_n(&cs_idle.state, error == 0 && !process->disabled ? CS_HOOKS_SLOW : CS_HOOKS_OFF, __ATOMIC_SEQ_CST);
  __atomic_store_n(&process->state, error == 0 ? CS_PROCESS_RECORDING : CS_PROCESS_FAILED, __ATOMIC_RELEASE);
  return error == 0;
}

void cs_thread_name(struct cs_rec_thread *record)
{
  CS_SYSCALL2(SYS_prctl, PR_GET_NAME, record->name);
}

static bool set_up(struct cs_thread *t)
{
  t->tid = cs_sys_gettid();
  t->generation = __atomic_load_n(&cs_process.generation, __ATOMIC_SEQ_CST);
  t->warming = __atomic_load_n(&cs_process.warming, __ATOMIC_SEQ_CST);
  if (cs_tree_init(&t->tree, t->tid) < 0)
    return false;
  t->cache = cs_arena_alloc(&t->tree.arena, sizeof *t->cache << CS_CACHE_BITS);
  if (!t->cache)
    return false;
  cs_thread_name(t->tree.record);
  /* An injected clock is read for calls alone. */
  if (cs_process.settings.clock != CS_CLOCK_INJECTED)
    t->tree.record->start_ticks = cs_clock_now();
  uintptr_t here = (uintptr_t)__builtin_frame_address(0), low = 0, high = UINTPTR_MAX;
  if (!cs_stack_range(here, &low, &high)) {
    low = 0;
    high = UINTPTR_MAX;
  }
  if (!cs_stack_open(t, low, high, FIRST_FRAMES))
    return false;
  set_thresholds(t);
  cs_ring_open(t);
  cs_tree_publish(&t->tree);
  return true;
}

/* Makes the calling thread's control block. NULL: there is no space. */
static struct cs_thread *create(void)
{
  long address = cs_sys_mmap(0, CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (cs_sys_failed(address))
    return NULL;
  CS_SYSCALL3(SYS_madvise, address, CONTROL_SIZE, MADV_WIPEONFORK);
  struct cs_thread *t = (struct cs_thread *)address;
  t->state = CS_HOOKS_BUSY;
  t->self = t;
  if (!set_up(t)) {
    cs_tree_release(&t->tree);
    cs_sys_munmap(t, CONTROL_SIZE);
    return NULL;
  }
  cs_lock(&cs_process.threads_lock);
  t->next = cs_process.threads;
  cs_process.threads = t;
  cs_unlock(&cs_process.threads_lock);
  return t;
}

struct cs_thread *cs_thread_enter(void)
{
  struct cs_thread *t = cs_self;
  if (t && t->self == t)
    return cs_slow_enter(t) ? t : NULL;
  if (t && t->state == CS_HOOKS_BUSY)
    return NULL;
  if (t == &cs_gone)
    return NULL;
  uint64_t mask = cs_block_signals();
  bool wiped = t && t != &cs_idle && t != &cs_starting;
  cs_self = &cs_starting;
  struct cs_thread *made = NULL;
  if (wiped || cs_fork_happened())
    cs_fork_child(&cs_process);
  if (start_process() && __atomic_load_n(&cs_idle.state, __ATOMIC_RELAXED) != CS_HOOKS_OFF)
    made = create();
  if (made) {
    made->sigmask = mask;
    cs_self = made;
    cs_thread_watch();
    cs_fork_inherit(made);
    return made;
  }
  cs_self = &cs_idle;
  cs_restore_signals(mask);
  return NULL;
}

struct cs_thread *cs_thread_wake(void)
{
  if (cs_thread_running(cs_self))
    return cs_self;
  struct cs_thread *t = cs_thread_enter();
  if (!t)
    return NULL;
  cs_slow_leave(t);
  return cs_thread_running(t) ? t : NULL;
}

void cs_thread_discard(struct cs_thread *t)
{
  cs_lock(&cs_process.threads_lock);
  for (struct cs_thread **link = &cs_process.threads; *link; link = &(*link)->next) {
    if (*link == t) {
      *link = t->next;
      break;
    }
  }
  cs_unlock(&cs_process.threads_lock);
  cs_sys_munmap(t, CONTROL_SIZE);
}
