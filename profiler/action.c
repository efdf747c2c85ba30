/*
 * Named actions: frames that the program opens and closes by name.
 */
#include "action.h"

#include <errno.h>

#include "callsig/format/hash.h"
#include "named.h"
#include "text.h"
#include "tree.h"

#define ATTEMPTS 8u /* until an action is given up: something undoes the preparation each time */
#define BUCKETS  256u

/* An action's name in the recording. In the process's arena; never taken out. */
struct known {
  struct known *next;
  const struct cs_rec_name *name;
};

/* Of the recording number `epoch`. Read without a lock by what belongs to that recording; changed under stages_lock. */
static struct {
  uint32_t epoch;
  struct known *buckets[BUCKETS];
} names;

static const struct cs_rec_name *find_name(const char *name)
{
  if (names.epoch != cs_process.epoch)
    return NULL;
  const struct known *at = __atomic_load_n(&names.buckets[cs_hash(name, cs_length(name)) % BUCKETS], __ATOMIC_ACQUIRE);
  while (at && !cs_equal(at->name->text, name))
    at = at->next;
  return at ? at->name : NULL;
}

/* Under stages_lock. */
static const struct cs_rec_name *make_name(const char *name)
{
  if (names.epoch != cs_process.epoch) {
    for (unsigned i = 0; i < BUCKETS; i++)
      names.buckets[i] = NULL;
    names.epoch = cs_process.epoch;
  }
  size_t length = cs_length(name);
  struct known *made = cs_process_alloc(sizeof *made);
  if (made)
    made->name = cs_record_name(name, length);
  if (!made || !made->name)
    return NULL;
  struct known **bucket = &names.buckets[cs_hash(name, length) % BUCKETS];
  made->next = *bucket;
  __atomic_store_n(bucket, made, __ATOMIC_RELEASE);
  return made->name;
}

const struct cs_rec_name *cs_action_name(const char *name)
{
  const struct cs_rec_name *known = find_name(name);
  if (known)
    return known;
  cs_lock(&cs_process.stages_lock);
  known = find_name(name);
  if (!known)
    known = make_name(name);
  cs_unlock(&cs_process.stages_lock);
  return known;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool open_quick(struct cs_thread *t, const char *name, uintptr_t sp)
{
  const struct cs_rec_name *known = find_name(name);
  struct cs_named named = {
      .function =
          known ? cs_tree_function_find(&t->tree, 0, CS_FUNCTION_KIND_ACTION, CS_NONE, (uintptr_t)known) : NULL};
  return named.function && cs_named_open(t, &named, sp);
}

/* 0, or what there was no space for. */
static CS_COLD int open_slow(const char *name, uintptr_t sp)
{
  for (unsigned attempt = 1; attempt <= ATTEMPTS; attempt++) {
    struct cs_thread *t = cs_named_enter(sp, 0);
    if (!t)
      return 0; /* nothing is recorded now */
    const struct cs_rec_name *known = cs_action_name(name);
    struct cs_named named = {
        .function = known ? cs_tree_function(&t->tree, 0, CS_FUNCTION_KIND_ACTION, CS_NONE, (uintptr_t)known) : NULL};
    bool prepared = cs_named_prepare(t, &named), ready = prepared && attempt < ATTEMPTS;
    cs_named_leave(t, !ready);
    if (!prepared)
      return -ENOSPC;
    if (cs_thread_running(cs_self) && open_quick(cs_self, name, sp))
      return 0;
  }
  cs_count_loss(CS_LOSS_NESTED, 1);
  return 0;
}

/* The name of the action that a frame is of; NULL for another frame. */
static const char *name_of(const struct cs_rec_edge *edge)
{
  const struct cs_rec_context *context = (const struct cs_rec_context *)cs_edge_to(edge)->context;
  const struct cs_rec_function *function = (const struct cs_rec_function *)context->function;
  if (!function || function->kind != CS_FUNCTION_KIND_ACTION)
    return NULL;
  return ((const struct cs_rec_name *)function->address)->text;
}

static CS_COLD int end_slow(const char *name, uintptr_t sp, uint64_t now)
{
  struct cs_thread *t = cs_named_enter(sp, now);
  if (!t)
    return 0;
  const char *open = t->top->edge && !cs_frame_is_link(t->stack, t->top) ? name_of(cs_frame_edge(t->top)) : NULL;
  int error = open && cs_equal(open, name) ? 0 : -EINVAL;
  if (error == 0)
    cs_frame_end(t, now);
  cs_named_leave(t, true);
  return error;
}

static int begin(const char *name, uintptr_t sp)
{
  if (!name)
    return -EINVAL;
  struct cs_thread *t = cs_self;
  return cs_thread_running(t) && open_quick(t, name, sp) ? 0 : open_slow(name, sp);
}

static int end(const char *name, uintptr_t sp)
{
  if (!name)
    return -EINVAL;
  struct cs_thread *t = cs_self;
  if (!t || t->self != t)
    return 0; /* nothing was recorded in this thread */
  uint64_t now = cs_clock_now();
  if (!cs_thread_running(t) || !cs_named_ends_top(t, sp))
    return end_slow(name, sp, now);
  const char *open = name_of(cs_frame_edge(t->top));
  if (!open || !cs_equal(open, name))
    return end_slow(name, sp, now);
  cs_frame_end(t, now);
  return 0;
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
