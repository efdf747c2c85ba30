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

/* What the program would have called. Found when the library is initialised: these may be called by handlers of
 * signals, and dlsym() may not. A library that is initialised before comes first. */
static struct {
  __typeof__(chroot) *chroot;
  __typeof__(setuid) *setuid;
  __typeof__(seteuid) *seteuid;
  __typeof__(setreuid) *setreuid;
  __typeof__(setresuid) *setresuid;
} next;

__attribute__((constructor)) static void find_next(void)
{
  next.chroot = (__typeof__(chroot) *)dlsym(RTLD_NEXT, "chroot");
  next.setuid = (__typeof__(setuid) *)dlsym(RTLD_NEXT, "setuid");
  next.seteuid = (__typeof__(seteuid) *)dlsym(RTLD_NEXT, "seteuid");
  next.setreuid = (__typeof__(setreuid) *)dlsym(RTLD_NEXT, "setreuid");
  next.setresuid = (__typeof__(setresuid) *)dlsym(RTLD_NEXT, "setresuid");
}

/* In a child that has no recording of its own yet, the one that is known is its parent's. */
static void keep_room(void)
{
  if (!next.chroot)
    find_next();
  const uint64_t mask = prof_block_signals();
  if (__atomic_load_n(&prof_process.state, __ATOMIC_ACQUIRE) == PROF_PROCESS_RECORDING &&
      prof_process.pid == prof_sys_getpid())
    prof_recording_keep_room();
  prof_restore_signals(mask);
}

PROF_STANDS_IN int chroot(const char *path)
{
  keep_room();
  return next.chroot(path);
}

PROF_STANDS_IN int setuid(uid_t user)
{
  keep_room();
  return next.setuid(user);
}

PROF_STANDS_IN int seteuid(uid_t user)
{
  keep_room();
  return next.seteuid(user);
}

PROF_STANDS_IN int setreuid(uid_t real, uid_t effective)
{
  keep_room();
  return next.setreuid(real, effective);
}

PROF_STANDS_IN int setresuid(uid_t real, uid_t effective, uid_t saved)
{
  keep_room();
  return next.setresuid(real, effective, saved);
}
