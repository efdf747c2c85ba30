/*
 * Locks on futex words, and the signal mask, by raw system calls.
 *
 * The kernel knows who holds a lock and lends that thread the priority of the one that waits. A thread of a real-time
 * class could wait for ever otherwise: for one of a lower priority that it keeps from running.
 */
#include "profiler/base/lock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>

#include "profiler/base/fault_net.h"
#include "profiler/base/syscall.h"

/* But SIGTRAP: the kernel kills a program that steps through itself where that is blocked, and no debugger's trap
 * waits. Its handler may run in the middle of a slow path, where the hooks that it runs are counted as nested. */
#define ALL_SIGNALS  (UINT64_MAX & ~(UINT64_C(1) << (SIGTRAP - 1)))
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

/* The count goes down first, while no handler can run: those of signals that waited are to find the net as it is. */
static inline __attribute__((always_inline)) void restore(uint64_t mask)
{
  prof_signals_blocked--;
  PROF_SYSCALL4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, 0, SIGNAL_BYTES);
}

void prof_restore_signals(uint64_t mask)
{
  restore(mask);
}

void prof_restore_signals_last(uint64_t mask)
{
  restore(mask);
}

/* Waits for the lock without the kernel's knowing its holder: where it has no locks that inherit priority. */
static void wait_plainly(uint32_t *word, uint32_t own)
{
  uint32_t found = 0;
  while (!__atomic_compare_exchange_n(word, &found, own | FUTEX_WAITERS, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    uint32_t waited = found | FUTEX_WAITERS;
    if (found == waited || __atomic_compare_exchange_n(word, &found, waited, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      PROF_SYSCALL4(SYS_futex, word, FUTEX_WAIT_PRIVATE, waited, 0);
    found = 0;
  }
}

static bool take_free(struct prof_lock *lock, uint32_t own)
{
  uint32_t expected = 0;
  return __atomic_compare_exchange_n(&lock->word, &expected, own, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool prof_lock_try(struct prof_lock *lock)
{
  return take_free(lock, prof_sys_gettid());
}

void prof_lock(struct prof_lock *lock)
{
  const uint32_t own = prof_sys_gettid();
  if (take_free(lock, own))
    return;
  long error;
  do {
    error = PROF_SYSCALL4(SYS_futex, &lock->word, FUTEX_LOCK_PI_PRIVATE, 0, 0);
    /* Whoever waited plainly beside threads that the kernel knows to wait would not be woken, nor would they. */
  } while (error == -EINTR || error == -EAGAIN || error == -ENOMEM);
  if (error)
    wait_plainly(&lock->word, own);
}

void prof_unlock(struct prof_lock *lock)
{
  uint32_t own = __atomic_load_n(&lock->word, __ATOMIC_RELAXED) & FUTEX_TID_MASK;
  if (__atomic_compare_exchange_n(&lock->word, &own, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    return;
  if (PROF_SYSCALL2(SYS_futex, &lock->word, FUTEX_UNLOCK_PI_PRIVATE) == 0)
    return;
  __atomic_store_n(&lock->word, 0, __ATOMIC_RELEASE);
  PROF_SYSCALL3(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, INT_MAX);
}
