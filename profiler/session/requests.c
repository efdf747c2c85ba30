/*
 * Requests from outside: a word in the recording's header, which another process writes. Who asks wakes nobody: the
 * word is looked at by whoever comes by, and what it asks is done by that thread, at the beginning of a hook.
 */
#include "profiler/session/requests.h"

#include <errno.h>

#include "format/recording.h"
#include "format/request.h"
#include "profiler/base/compiler.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/request.h"
#include "profiler/session/control.h"
#include "profiler/session/pauses.h"
#include "profiler/session/startup.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/thread.h"

/* Where recording off is the first thing that the process is asked, nothing was recorded since it began: also what it
 * did before its first hook, which takes the request. */
static void note_off_since_start(void)
{
  const uint64_t mask = prof_block_signals();
  prof_pauses_begin(prof_process.header->start.ticks);
  prof_restore_signals(mask);
}

/* 0, or the negative errno of a request that is refused. */
static int carry_out(uint64_t request)
{
  const uint64_t kind = request & FMT_REQUEST_KIND;
  if (kind == FMT_REQUEST_NONE)
    return 0;
  if (kind != FMT_REQUEST_ON && kind != FMT_REQUEST_OFF && kind != FMT_REQUEST_RESET)
    return -ENOSYS;
  if (prof_process.scheduled)
    return -EBUSY;
  if (kind == FMT_REQUEST_RESET) {
    prof_process.upcalls.begin_period();
    return 0;
  }
  if (prof_process.settings.start_off && kind == FMT_REQUEST_OFF)
    note_off_since_start();
  prof_process.settings.start_off = false; /* forked children begin as their parent is from here on */
  __atomic_store_n(&prof_process.requested, 1, __ATOMIC_RELAXED);
  prof_switch_recording(kind == FMT_REQUEST_ON);
  return 0;
}

/* In a forked child that has no recording yet: what is asked of its parent is asked of it as well. */
static void follow_parent(uint64_t request)
{
  if (prof_start_now() == 0)
    carry_out(request);
}

bool prof_requests_take(void)
{
  if (PROF_LIKELY(!prof_request_waits()))
    return false;
  uint64_t mask = prof_block_signals();
  uint64_t request = __atomic_load_n(__atomic_load_n(&prof_request.asked, __ATOMIC_ACQUIRE), __ATOMIC_ACQUIRE);
  if (prof_fork_happened()) {
    prof_restore_signals(mask);
    follow_parent(request);
    return true;
  }
  prof_lock(&prof_process.requests_lock);
  struct fmt_rec_header *header = prof_process.header;
  /* Another thread may have taken it meanwhile; and a child that leaves its parent's recording has none for a moment.
   */
  if (header && prof_request_waits()) {
    request = __atomic_load_n(&header->request, __ATOMIC_ACQUIRE);
    header->refusal = carry_out(request);
    __atomic_store_n(&prof_request.taken, request, __ATOMIC_SEQ_CST);
    __atomic_store_n(&header->taken, request, __ATOMIC_RELEASE);
  }
  prof_unlock(&prof_process.requests_lock);
  prof_restore_signals(mask);
  return true;
}

/* Has the process changed since the thread looked, so that it has to look again? Once more too where a handler was to
 * wait: it may have been one that is done. */
static bool has_changed(const struct prof_thread *t, unsigned looks)
{
  return __atomic_load_n(&t->state, __ATOMIC_RELAXED) == PROF_HOOKS_SLOW && (!t->interrupted || looks == 1);
}

struct prof_thread *prof_thread_wake(void)
{
  if (prof_thread_running(prof_self))
    return prof_self;
  struct prof_thread *t;
  unsigned looks = 0;
  do {
    t = prof_thread_enter();
    if (!t)
      return NULL;
    prof_slow_leave(t);
    looks++;
  } while (prof_requests_take() || has_changed(t, looks));
  return prof_thread_running(t) ? t : NULL;
}
