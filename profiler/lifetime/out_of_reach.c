/*
 * A program that becomes another user, or has another root folder, may not open its recording any more, which keeps no
 * descriptor open: as servers do when they have started. What does that in the C library is stood in for, so that the
 * file has room before. A statically linked program has no other of these functions to call, and none stands in there.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/compiler.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/syscall.h"

/* In a child that has no recording of its own yet, the one that is known is its parent's. */
static void keep_room(void)
{
  const uint64_t mask = prof_block_signals();
  if (__atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) == PROF_PROCESS_RECORDING &&
      prof_process.pid == prof_sys_getpid())
    prof_recording_keep_room();
  prof_restore_signals(mask);
}

/* The function of this name that the program would have called. */
#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

PROF_STANDS_IN int chroot(const char *path)
{
  keep_room();
  return NEXT(chroot)(path);
}

PROF_STANDS_IN int setuid(uid_t user)
{
  keep_room();
  return NEXT(setuid)(user);
}

PROF_STANDS_IN int seteuid(uid_t user)
{
  keep_room();
  return NEXT(seteuid)(user);
}

PROF_STANDS_IN int setreuid(uid_t real, uid_t effective)
{
  keep_room();
  return NEXT(setreuid)(real, effective);
}

PROF_STANDS_IN int setresuid(uid_t real, uid_t effective, uid_t saved)
{
  keep_room();
  return NEXT(setresuid)(real, effective, saved);
}
