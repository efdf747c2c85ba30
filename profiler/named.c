/*
 * Opening frames by name, in the order of the hooks: quickly with signals open, and what is missing is prepared in a
 * slow section that does not open the frame itself.
 */
#include "named.h"

#include "tree.h"

static bool is_edge_of(const struct cs_rec_edge *edge, const struct cs_rec_variant *from, const struct cs_named *named)
{
  return edge && edge->from == (uintptr_t)from && edge->word_count == (named->text != NULL) &&
         (!named->text || edge->words[0] == (uintptr_t)named->text);
}

/* The edge from the caller, or from any signature of it when its own were merged; NULL: not made yet. */
static struct cs_rec_edge *find_edge(const struct cs_tree *tree, const struct cs_rec_variant *from,
                                     const struct cs_named *named)
{
  if (named->last && is_edge_of(*named->last, from, named))
    return *named->last;
  const uint64_t site = named->function->address, word = (uintptr_t)named->text;
  struct cs_rec_edge *edge = cs_edge_find(tree, from, site, site, &word, named->text != NULL);
  const struct cs_rec_context *context = (const struct cs_rec_context *)from->context;
  if (!edge && context->merged_variant)
    edge = cs_edge_find(tree, (const struct cs_rec_variant *)context->merged_variant, site, site, &word,
                        named->text != NULL);
  return edge;
}

bool cs_named_open(struct cs_thread *t, const struct cs_named *named, uintptr_t sp)
{
  if (t->top >= t->limit || !cs_frame_live(t, sp))
    return false;
  struct cs_rec_edge *edge = find_edge(&t->tree, cs_edge_to(cs_frame_caller(t->top)), named);
  uint64_t counters = edge ? cs_frame_counters(t, edge) : 0;
  if (!counters)
    return false;
  if (named->last)
    *named->last = edge;
  if (CS_UNLIKELY(edge->flags & (CS_EDGE_ANY | CS_EDGE_MERGED)) && !t->warming)
    cs_frame_count_merged(edge);
  cs_frame_push(t, edge, cs_frame_cfa(t), counters, 0);
  return true;
}

struct cs_thread *cs_named_enter(uintptr_t sp, uint64_t now)
{
  /* What recording that was switched off meanwhile has ended must not be found open. */
  struct cs_thread *t = cs_thread_wake() ? cs_thread_enter() : NULL;
  if (!t)
    return NULL;
  bool recording = !__atomic_load_n(&cs_process.disabled, __ATOMIC_SEQ_CST);
  if (recording && !cs_frame_live(t, sp)) {
    now = now ? now : cs_clock_now();
    recording = cs_stack_follow(t, sp, now);
    if (recording)
      cs_unwind_for_call(t, sp, now);
  }
  if (recording)
    return t;
  cs_named_leave(t, true);
  return NULL;
}

bool cs_named_prepare(struct cs_thread *t, const struct cs_named *named)
{
  cs_tree_check_pressure(&t->tree);
  struct cs_rec_edge *edge =
      named->function ? cs_tree_named(&t->tree, cs_edge_to(cs_frame_caller(t->top)), named->function, named->text)
                      : NULL;
  bool ready =
      edge && (t->top < t->limit || cs_stack_grow(t)) && (cs_frame_counters(t, edge) || cs_recursion_prepare(t, edge));
  if (ready)
    __atomic_store_n(&cs_process.recorded, 1, __ATOMIC_RELAXED);
  else
    cs_count_loss(CS_LOSS_NO_SPACE, 1);
  return ready;
}

void cs_named_leave(struct cs_thread *t, bool done)
{
  if (done)
    cs_stack_rest(t);
  cs_slow_leave(t);
}

bool cs_named_ends_top(const struct cs_thread *t, uintptr_t sp)
{
  return t->top->edge && !cs_frame_is_link(t->stack, t->top) && !cs_frame_is_first(t->stack, t->top) &&
         cs_frame_live(t, sp);
}
