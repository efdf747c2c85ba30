/*
 * Locks for slow sections, and the signal mask that they are held under.
 */
#ifndef CALLSIG_PROFILER_BASE_LOCK_H
#define CALLSIG_PROFILER_BASE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/compiler.h"

/* A futex word; all zero is free. It is held with all signals blocked and never across a call of the program. Who waits
 * for it lends its holder its priority. */
struct prof_lock {
  uint32_t word; /* 0 free, else the holder's thread id, with FUTEX_WAITERS when it is waited for */
};

/* Takes the lock, waiting for it if need be. It is not recursive. With signals blocked. */
void prof_lock(struct prof_lock *lock);
/* Takes the lock if it is free. With signals blocked. */
bool prof_lock_try(struct prof_lock *lock);
void prof_unlock(struct prof_lock *lock);

/* Blocks all signals of the calling thread but SIGTRAP with the raw system call and returns the mask as it was.
 * Anywhere. */
uint64_t prof_block_signals(void);
/* Makes the mask what prof_block_signals() returned. Anywhere. */
void prof_restore_signals(uint64_t mask);
/* The same, where a function of the program's own interface ends: handlers of signals that waited interrupt no hook.
 * Anywhere. */
PROF_HOLDS_NO_FRAME void prof_restore_signals_last(uint64_t mask);

#endif
