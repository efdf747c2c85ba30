/*
 * Opening frames by name, in the order of the hooks: quickly with signals open, and what is missing is prepared in a
 * slow section that does not open the frame itself.
 */
#include "profiler/pipeline/user_frame.h"

#include "profiler/base/clock.h"
#include "profiler/base/compiler.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/frame/follow.h"
#include "profiler/frame/frame.h"
#include "profiler/frame/recursion.h"
#include "profiler/frame/unwind.h"
#include "profiler/session/requests.h"
#include "profiler/session/startup.h"
#include "profiler/stack/stack.h"
#include "profiler/tree/tree.h"
#include "profiler/tree/user_edges.h"

static bool is_edge_of(const struct fmt_rec_edge *edge, const struct fmt_rec_variant *from,
                       const struct prof_user_frame *user_frame)
{
  return edge && edge->from == (uintptr_t)from && edge->word_count == (user_frame->text != NULL) &&
         (!user_frame->text || edge->words[0] == (uintptr_t)user_frame->text);
}

/* The edge from the caller, or from any signature of it when its own were merged; NULL: not made yet. */
static struct fmt_rec_edge *find_edge(const struct prof_tree *tree, const struct fmt_rec_variant *from,
                                      const struct prof_user_frame *user_frame)
{
  if (user_frame->last && is_edge_of(*user_frame->last, from, user_frame))
    return *user_frame->last;
  const uint64_t site = user_frame->function->address, word = (uintptr_t)user_frame->text;
  struct fmt_rec_edge *edge = prof_edge_find(tree, from, site, site, &word, user_frame->text != NULL);
  const struct fmt_rec_context *context = (const struct fmt_rec_context *)from->context;
  if (!edge && context->merged_variant)
    edge = prof_edge_find(tree, (const struct fmt_rec_variant *)context->merged_variant, site, site, &word,
                          user_frame->text != NULL);
  return edge;
}

bool prof_user_frame_open(struct prof_thread *t, const struct prof_user_frame *user_frame, uintptr_t sp)
{
  struct prof_place place;
  if (!prof_place_now(t, &place) || place.top >= t->limit || !prof_frame_live(t, place, sp))
    return false;
  const struct fmt_rec_edge *caller = prof_place_caller(place);
  struct fmt_rec_edge *edge = caller ? find_edge(&t->tree, prof_edge_to(caller), user_frame) : NULL;
  uint64_t counters = edge ? prof_frame_counters(t, place, edge) : 0;
  if (!counters)
    return false;
  if (user_frame->last)
    *user_frame->last = edge;
  if (PROF_UNLIKELY(edge->flags & (FMT_EDGE_ANY | FMT_EDGE_MERGED)) && !t->warming)
    prof_frame_count_merged(edge);
  prof_frame_push(t, place, edge, prof_frame_cfa(place), counters, 0);
  return true;
}

struct prof_thread *prof_user_frame_enter(uintptr_t sp, uint64_t now)
{
  /* What recording that was switched off meanwhile has ended must not be found open. */
  struct prof_thread *t = prof_thread_wake() ? prof_thread_enter() : NULL;
  if (!t)
    return NULL;
  bool recording = !__atomic_load_n(&prof_process.disabled, __ATOMIC_SEQ_CST);
  if (recording && prof_unwind_for_call(t, sp, now))
    return t;
  prof_user_frame_leave(t, true);
  return NULL;
}

bool prof_user_frame_prepare(struct prof_thread *t, const struct prof_user_frame *user_frame)
{
  prof_tree_check_pressure(&t->tree);
  struct fmt_rec_edge *edge =
      user_frame->function ? prof_tree_user_edge(&t->tree, prof_edge_to(prof_place_caller(prof_place_settled(t))),
                                                 user_frame->function, user_frame->text, false)
                           : NULL;
  bool ready = edge && (t->top < t->limit || prof_stack_grow(t)) &&
               (prof_frame_counters(t, prof_place_settled(t), edge) || prof_recursion_prepare(t, edge));
  if (ready)
    __atomic_store_n(&prof_process.recorded, 1, __ATOMIC_RELAXED);
  else
    prof_count_loss(FMT_LOSS_NO_SPACE, 1);
  return ready;
}

void prof_user_frame_leave(struct prof_thread *t, bool done)
{
  if (done)
    prof_stack_rest(t);
  prof_slow_leave(t);
}

bool prof_user_frame_ends_top(const struct prof_thread *t, uintptr_t sp, struct prof_place *place)
{
  return prof_place_now(t, place) && place->top->edge && !prof_frame_is_link(place->stack, place->top) &&
         !prof_frame_is_first(place->stack, place->top) && prof_frame_live(t, *place, sp);
}
