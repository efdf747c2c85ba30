/*
 * Locks on futex words, and the signal mask, by raw system calls.
 */
#include "profiler/base/lock.h"

#include <linux/futex.h>
#include <stdbool.h>

#include "profiler/base/fault_net.h"
#include "profiler/base/syscall.h"

#define ALL_SIGNALS  UINT64_MAX
#define SIGNAL_BYTES 8u

__thread uint32_t prof_signals_blocked;

uint64_t prof_block_signals(void)
{
  /* First: a guarded load of a handler that runs before the signals are blocked is careful without need. */
  prof_signals_blocked++;
  uint64_t all = ALL_SIGNALS, before = 0;
  PROF_SYSCALL4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &before, SIGNAL_BYTES);
  return before;
}

void prof_restore_signals(uint64_t mask)
{
  PROF_SYSCALL4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, 0, SIGNAL_BYTES);
  prof_signals_blocked--;
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
