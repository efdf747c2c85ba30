/*
 * What a call waited, told when it has ended, as a library that learns it from another process does: an edge below the
 * call's own takes that part of its time.
 *
 * The edges are made by the thread that makes the calls, at the first of them; what is told later comes from any thread
 * and only adds to counters, which nobody else changes then.
 */
#include <errno.h>

#include "callsig/callsig.h"
#include "format/index.h"
#include "profiler/base/arena.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/counter.h"
#include "profiler/base/histogram_record.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/pipeline/action.h"
#include "profiler/pipeline/user_frame.h"
#include "profiler/stack/sleeping.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/stack/waiting.h"
#include "profiler/tree/sampling.h"
#include "profiler/tree/tree.h"
#include "profiler/tree/user_edges.h"

#define BUCKETS    1024u
#define CALLS_MOST 65536u /* that are known in a process: each takes 80 bytes */

/* In the process's arena; never taken out. */
struct callsig_call {
  struct callsig_call *next;
  struct fmt_rec_edge *edge;
  struct fmt_rec_edge *waits[CALLSIG_CALL_WAITS_MOST];
  const struct fmt_rec_thread *thread; /* whose tree they are in; NULL: it was folded into another */
  uint32_t epoch;
};

/* Of the recording number `epoch`. Read without a lock by what belongs to that recording; changed under stages_lock. */
static struct {
  uint32_t epoch;
  uint32_t count;
  struct callsig_call *buckets[BUCKETS];
} calls;

static struct callsig_call *find(const struct fmt_rec_edge *edge)
{
  const uintptr_t address = (uintptr_t)edge;
  if (calls.epoch != prof_process.epoch)
    return NULL;
  struct callsig_call *at = __atomic_load_n(&calls.buckets[address / 64 % BUCKETS], __ATOMIC_ACQUIRE);
  while (at && (at->edge != edge || !__atomic_load_n(&at->thread, __ATOMIC_RELAXED)))
    at = at->next;
  return at;
}

/* Before a tree is folded into another, whose edges they then are: from then on nothing is added. */
static void forget(const struct fmt_rec_thread *thread)
{
  prof_lock(&prof_process.stages_lock);
  for (unsigned i = 0; calls.epoch == prof_process.epoch && i < BUCKETS; i++)
    for (struct callsig_call *at = calls.buckets[i]; at; at = at->next)
      if (at->thread == thread)
        __atomic_store_n(&at->thread, NULL, __ATOMIC_RELAXED);
  prof_unlock(&prof_process.stages_lock);
}

/* Puts what is complete where it is found. False: there are too many. */
static bool publish(struct callsig_call *made)
{
  prof_lock(&prof_process.stages_lock);
  if (calls.epoch != prof_process.epoch) {
    for (unsigned i = 0; i < BUCKETS; i++)
      calls.buckets[i] = NULL;
    calls.count = 0;
    calls.epoch = prof_process.epoch;
  }
  const bool has_room = calls.count < CALLS_MOST;
  if (has_room) {
    struct callsig_call **bucket = &calls.buckets[(uintptr_t)made->edge / 64 % BUCKETS];
    calls.count++;
    made->epoch = calls.epoch;
    made->next = *bucket;
    __atomic_store_n(bucket, made, __ATOMIC_RELEASE);
  }
  prof_unlock(&prof_process.stages_lock);
  return has_room;
}

/* The edge of what is waited for in calls of `edge`. NULL: no space. */
static struct fmt_rec_edge *wait_edge(struct prof_thread *t, const struct fmt_rec_edge *edge, const char *name)
{
  const struct fmt_rec_name *known = prof_action_name(name);
  struct fmt_rec_function *function =
      known ? prof_tree_function(&t->tree, 0, FMT_FUNCTION_KIND_ACTION, FMT_NONE, (uintptr_t)known) : NULL;
  struct fmt_rec_edge *made = function ? prof_tree_wait_edge(&t->tree, prof_edge_to(edge), function) : NULL;
  if (made)
    prof_sleeping_prepare(&t->tree, made);
  return made;
}

static struct callsig_call *make(struct prof_thread *t, const char *const *waits, size_t count)
{
  struct fmt_rec_edge *edge = prof_frame_edge(t->top);
  if (!edge || prof_frame_is_link(t->stack, t->top))
    return NULL;
  prof_tree_check_pressure(&t->tree);
  struct callsig_call *made = prof_process_alloc(sizeof *made);
  if (!made)
    return NULL;
  *made = (struct callsig_call){.edge = edge, .thread = t->tree.record};
  for (size_t i = 0; i < count; i++)
    if (!(made->waits[i] = wait_edge(t, edge, waits[i])))
      return NULL;
  /* A sample of its calls would miss the few that wait for long. */
  __atomic_fetch_or(&edge->flags, FMT_EDGE_TIMED, __ATOMIC_RELAXED);
  prof_process.upcalls.forget_calls = forget;
  return publish(made) ? made : NULL;
}

static PROF_COLD struct callsig_call *innermost_slow(const char *const *waits, size_t count, uintptr_t sp)
{
  struct prof_thread *t = prof_user_frame_enter(sp, 0);
  struct callsig_call *made = t ? make(t, waits, count) : NULL;
  if (t)
    prof_user_frame_leave(t, true);
  return made;
}

struct callsig_call *callsig_call_innermost(const char *const *waits, size_t count)
{
  struct prof_thread *t = prof_self;
  struct prof_place place;
  if (!prof_thread_running(t) || t->warming || count > CALLSIG_CALL_WAITS_MOST || !prof_place_now(t, &place))
    return NULL;
  /* What the thread waited for a processor before is no part of the call. */
  prof_waiting_settle(t, prof_clock_now(), true);
  const struct fmt_rec_edge *edge = prof_frame_edge(place.top);
  struct callsig_call *known = edge && !prof_frame_is_link(place.stack, place.top) ? find(edge) : NULL;
  return known ? known : innermost_slow(waits, count, (uintptr_t)__builtin_frame_address(0));
}

/* What calls of the edge took themselves so far. */
static uint64_t own_ticks(const struct fmt_rec_edge *edge)
{
  const struct fmt_rec_recursion *recursion = (const struct fmt_rec_recursion *)edge->recursion;
  const uint64_t total = edge->total + (recursion ? recursion->total : 0);
  return total > edge->children ? total - edge->children : 0;
}

int callsig_call_waited(struct callsig_call *call, unsigned wait, uint64_t begin_ns, uint64_t ns)
{
  const struct fmt_rec_header *header = prof_process.header;
  if (!header || prof_fork_happened() || call->epoch != prof_process.epoch ||
      !__atomic_load_n(&call->thread, __ATOMIC_RELAXED))
    return -ESTALE;
  if (header->clock != FMT_CLOCK_TSC && header->clock != FMT_CLOCK_MONOTONIC)
    return -ENOTSUP;
  if (wait >= CALLSIG_CALL_WAITS_MOST || !call->waits[wait])
    return -EINVAL;
  if (begin_ns < header->start.monotonic_ns || prof_thread_is_late(call->thread))
    return -ESTALE;
  uint64_t ticks = prof_clock_ticks_passed(ns);
  const uint64_t own = own_ticks(call->edge);
  if (ticks > own)
    ticks = own;
  struct fmt_rec_edge *edge = call->waits[wait];
  prof_sleeping_part(edge, call->edge, ticks, own);
  __atomic_fetch_add(&edge->calls, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&edge->total, ticks, __ATOMIC_RELAXED);
  prof_sampling_tell(edge, ticks);
  prof_note_extremes(&edge->min, &edge->max, ticks);
  if (edge->histogram && !prof_histogram_count((struct fmt_rec_histogram *)edge->histogram, ticks))
    prof_count_loss(FMT_LOSS_HISTOGRAM, 1);
  __atomic_fetch_add(&call->edge->children, ticks, __ATOMIC_RELAXED);
  return 0;
}
