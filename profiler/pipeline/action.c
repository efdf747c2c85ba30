/*
 * Named actions: frames that the program opens and closes by name.
 */
#include "profiler/pipeline/action.h"

#include <errno.h>

#include "callsig/callsig.h"
#include "format/hash.h"
#include "format/index.h"
#include "profiler/base/arena.h"
#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/lock.h"
#include "profiler/base/marker.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/text.h"
#include "profiler/frame/frame.h"
#include "profiler/pipeline/user_frame.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/tree.h"

#define ATTEMPTS 8u /* until an action is given up: something undoes the preparation each time */
#define BUCKETS  256u

/* An action's name in the recording. In the process's arena; never taken out. */
struct known {
  struct known *next;
  const struct fmt_rec_name *name;
};

/* Of the recording number `epoch`. Read without a lock by what belongs to that recording; changed under stages_lock. */
static struct {
  uint32_t epoch;
  struct known *buckets[BUCKETS];
} names;

static const struct fmt_rec_name *find_name(const char *name)
{
  if (names.epoch != prof_process.epoch)
    return NULL;
  const struct known *at =
      __atomic_load_n(&names.buckets[fmt_hash(name, prof_length(name)) % BUCKETS], __ATOMIC_ACQUIRE);
  while (at && !prof_equal(at->name->text, name))
    at = at->next;
  return at ? at->name : NULL;
}

/* Under stages_lock. */
static const struct fmt_rec_name *make_name(const char *name)
{
  if (names.epoch != prof_process.epoch) {
    for (unsigned i = 0; i < BUCKETS; i++)
      names.buckets[i] = NULL;
    names.epoch = prof_process.epoch;
  }
  size_t length = prof_length(name);
  struct known *made = prof_process_alloc(sizeof *made);
  if (made)
    made->name = prof_record_name(name, length);
  if (!made || !made->name)
    return NULL;
  struct known **bucket = &names.buckets[fmt_hash(name, length) % BUCKETS];
  made->next = *bucket;
  __atomic_store_n(bucket, made, __ATOMIC_RELEASE);
  return made->name;
}

const struct fmt_rec_name *prof_action_name(const char *name)
{
  const struct fmt_rec_name *known = find_name(name);
  if (known)
    return known;
  prof_lock(&prof_process.stages_lock);
  known = find_name(name);
  if (!known)
    known = make_name(name);
  prof_unlock(&prof_process.stages_lock);
  return known;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool open_quick(struct prof_thread *t, const char *name, uintptr_t sp)
{
  const struct fmt_rec_name *known = find_name(name);
  struct prof_user_frame user_frame = {
      .function =
          known ? prof_tree_function_find(&t->tree, 0, FMT_FUNCTION_KIND_ACTION, FMT_NONE, (uintptr_t)known) : NULL};
  return user_frame.function && prof_user_frame_open(t, &user_frame, sp);
}

/* 0, or what there was no space for. */
static PROF_COLD int open_slow(const char *name, uintptr_t sp)
{
  for (unsigned attempt = 1; attempt <= ATTEMPTS; attempt++) {
    struct prof_thread *t = prof_user_frame_enter(sp, 0);
    if (!t)
      return 0; /* nothing is recorded now */
    const struct fmt_rec_name *known = prof_action_name(name);
    struct prof_user_frame user_frame = {
        .function =
            known ? prof_tree_function(&t->tree, 0, FMT_FUNCTION_KIND_ACTION, FMT_NONE, (uintptr_t)known) : NULL};
    bool prepared = prof_user_frame_prepare(t, &user_frame), ready = prepared && attempt < ATTEMPTS;
    prof_user_frame_leave(t, !ready);
    if (!prepared)
      return -ENOSPC;
    if (prof_thread_running(prof_self) && open_quick(prof_self, name, sp))
      return 0;
  }
  prof_count_loss(FMT_LOSS_NESTED, 1);
  return 0;
}

/* The name of the action that a frame is of; NULL for another frame. */
static const char *name_of(const struct fmt_rec_edge *edge)
{
  const struct fmt_rec_function *function = prof_edge_function(edge);
  if (!function || function->kind != FMT_FUNCTION_KIND_ACTION)
    return NULL;
  return ((const struct fmt_rec_name *)function->address)->text;
}

static PROF_COLD int end_slow(const char *name, uintptr_t sp, uint64_t now)
{
  struct prof_thread *t = prof_user_frame_enter(sp, now);
  if (!t)
    return 0;
  const char *open = t->top->edge && !prof_frame_is_link(t->stack, t->top) ? name_of(prof_frame_edge(t->top)) : NULL;
  int error = open && prof_equal(open, name) ? 0 : -EINVAL;
  if (error == 0)
    prof_frame_end(t, prof_place_settled(t), now);
  prof_user_frame_leave(t, true);
  return error;
}

static int begin(const char *name, uintptr_t sp)
{
  if (!name)
    return -EINVAL;
  struct prof_thread *t = prof_self;
  int error = prof_thread_running(t) && open_quick(t, name, sp) ? 0 : open_slow(name, sp);
  PROF_MARKER_1("action__begin", name);
  return error;
}

static int end_frame(const char *name, uintptr_t sp)
{
  struct prof_thread *t = prof_self;
  if (!t || t->self != t)
    return 0; /* nothing was recorded in this thread */
  uint64_t now = prof_clock_now();
  struct prof_place place;
  if (!prof_thread_running(t) || !prof_user_frame_ends_top(t, sp, &place))
    return end_slow(name, sp, now);
  const char *open = name_of(prof_frame_edge(place.top));
  if (!open || !prof_equal(open, name))
    return end_slow(name, sp, now);
  prof_frame_end(t, place, now);
  return 0;
}

static int end(const char *name, uintptr_t sp)
{
  int error = name ? end_frame(name, sp) : -EINVAL;
  if (error == 0)
    PROF_MARKER_1("action__end", name);
  return error;
}

int callsig_action_begin(const char *name)
{
  return begin(name, (uintptr_t)__builtin_frame_address(0));
}

int callsig_action_end(const char *name)
{
  return end(name, (uintptr_t)__builtin_frame_address(0));
}

void callsig_action_cleanup(const char **name)
{
  (void)end(*name, (uintptr_t)__builtin_frame_address(0));
}
