/*
 * Recursion: which calls are the outermost activation of their group.
 *
 * The tree folds recursion: a call of a function that is on the path already goes over a back edge to that ancestor.
 * While no frame of a back edge is open, the frames of a thread are a path of the tree, on which each function occurs
 * once; so every call is outermost in its groups, and nothing needs to be marked. Once a back edge is taken, the groups
 * of all open frames are marked active: a group's activation word holds the address of the frame that activated it. A
 * call then owns the groups that it finds inactive, clears them when it ends, and is counted as primitive in those
 * alone.
 *
 * The marks stay when the last frame of a back edge ends, and the thread's mode with them: the next back edge from
 * there finds them made. A call of another edge that comes to the generic path meanwhile takes the mode back; no group
 * of it can be active.
 *
 * The work is bounded by few marks a frame:
 *  - `t->marked` is the innermost settled frame: it and all below are marked, or need no marks because their edge was
 * active already. Settling walks from there to the top, once over each frame. The innermost settled frame is always
 * marked, so that its exit comes here and the watermark moves down with it.
 *  - A call of an edge that is active is outermost in no group: it takes the fast path, counting in the recursion
 * record.
 *  - A call of a function that is not active is outermost in all of its groups: it takes the fast path too, and is
 * settled only if another back edge is taken above it.
 *  - A call of an edge whose frames are settled again and again (PROF_MODE_OWNING) is settled from its beginning, by
 * the assembly, where the frame below is.
 *
 * A signal handler may run hooks between any two steps here, and leaves the marks as it found them, but for having
 * settled more frames; settling is therefore bottom-up and may be done twice. A word is believed only while the frame
 * that it names is open, marked, and of an edge with that word: an exit that was interrupted after its last look
 * leaves words that nobody owns.
 */
#include "profiler/frame/recursion.h"

#include <stddef.h>

#include "profiler/base/arena.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/table.h"
#include "profiler/stack/modes.h"
#include "profiler/stack/stack.h"
#include "profiler/tree/fast_compare.h"

/* active[EDGE_WORD] is not an address of a word but the word of the edge itself. */
#define EDGE_WORD FMT_GROUP_EDGE
/* Of so many plain calls that were settled afterwards one decides that those of its edge are from their beginning. */
#define SETTLED_TO_OWN 8u

_Static_assert((int)PROF_OUTERMOST_RECENT < (int)EDGE_WORD, "a place for the edge's own word");

static struct fmt_rec_recursion *recursion_of(const struct fmt_rec_edge *edge)
{
  return (struct fmt_rec_recursion *)edge->recursion;
}

static uint64_t *word_of(const struct fmt_rec_recursion *recursion, unsigned group)
{
  return (uint64_t *)recursion->active[group];
}

/* The frame that a word names, if it is open and marked. */
static struct fmt_rec_edge *owner_edge(uint64_t word)
{
  const struct fmt_rec_frame *frame = (const struct fmt_rec_frame *)word;
  if (!frame || !(frame->flags & PROF_FRAME_MARKED))
    return NULL;
  return prof_frame_edge(frame);
}

static bool group_active(const struct fmt_rec_recursion *recursion, unsigned group)
{
  uint64_t *word = word_of(recursion, group);
  if (!word)
    return true; /* not kept: nobody comes to own it */
  const struct fmt_rec_edge *owner = owner_edge(*word);
  return owner && owner->recursion && word_of(recursion_of(owner), group) == word;
}

bool prof_recursion_active(struct fmt_rec_edge *edge)
{
  return edge->recursion && owner_edge(recursion_of(edge)->active[EDGE_WORD]) == edge;
}

static bool is_settled(const struct fmt_rec_frame *frame, const struct fmt_rec_edge *edge)
{
  if (prof_frame_tells_counted(frame))
    return frame->start_ticks == (uint64_t)PROF_COUNTED_INSIDE;
  return frame->flags & PROF_FRAME_MARKED || (frame->flags & ~(uint64_t)PROF_FRAME_BITS) != (uintptr_t)&edge->calls;
}

typedef bool (*unsettled_fn)(struct prof_thread *t, struct fmt_rec_frame *frame, struct fmt_rec_edge *edge);

/* Visits the frames above t->marked up to `place` that are not settled, outermost first, until one visit gives false.
 * It calls itself once a segment. */
static bool each_unsettled(struct prof_thread *t, struct prof_place place, unsettled_fn visit)
{
  struct fmt_rec_frame *frame = t->marked;
  if (!prof_stack_holds(place.stack, frame)) {
    struct prof_place outer = place;
    if (prof_place_outwards(&outer) && !each_unsettled(t, outer, visit))
      return false;
    frame = place.stack->frames;
  }
  while (++frame <= place.top) {
    struct fmt_rec_edge *edge = prof_frame_edge(frame);
    if (edge && !is_settled(frame, edge) && !visit(t, frame, edge))
      return false;
  }
  return true;
}

static bool has_record(struct prof_thread *t, struct fmt_rec_frame *frame, struct fmt_rec_edge *edge)
{
  (void)t;
  (void)frame;
  return edge->recursion != 0;
}

bool prof_recursion_ready(struct prof_thread *t, struct prof_place place, struct fmt_rec_edge *edge)
{
  return edge->recursion && each_unsettled(t, place, has_record);
}

/* The activation word of a pair of records, or of a module and 0: made when new. */
static uint64_t *pair_word(struct prof_tree *tree, uint64_t caller, uint64_t callee)
{
  struct pair {
    uint64_t caller, callee, active;
  } * pair;
  uint64_t hash = prof_hash_mix(prof_hash_mix(0, caller), callee);
  struct prof_table_slot *slot;
  for (uint64_t i = hash; (slot = prof_table_at(&tree->pairs, i))->item; i++) {
    pair = slot->item;
    if (pair->caller == caller && pair->callee == callee)
      return &pair->active;
  }
  pair = prof_arena_alloc(&tree->arena, sizeof *pair);
  if (!pair)
    return NULL;
  pair->caller = caller;
  pair->callee = callee;
  return prof_table_add(&tree->pairs, &tree->arena, hash, pair) ? &pair->active : NULL;
}

/* The function of the tasks that a context belongs to, NULL outside of all stages. */
static struct fmt_rec_function *stage_of(const struct fmt_rec_context *context)
{
  for (; context && context->function; context = (const struct fmt_rec_context *)context->parent) {
    struct fmt_rec_function *function = (struct fmt_rec_function *)context->function;
    if (function->kind == FMT_FUNCTION_KIND_TASK)
      return function;
  }
  return NULL;
}

/* Gives the record of an edge into a stage its words for the groups by stage. False: no memory. */
static bool add_stage_words(struct prof_tree *tree, struct fmt_rec_recursion *recursion,
                            const struct fmt_rec_variant *to, const struct fmt_rec_function *function)
{
  uint64_t stage = (uintptr_t)stage_of((const struct fmt_rec_context *)to->context);
  if (!stage)
    return true;
  /* Addresses of records are multiples of 8: these kinds of pairs do not meet one another nor the others. */
  uint64_t *functions = pair_word(tree, (uintptr_t)function | 2, stage);
  uint64_t *signatures = pair_word(tree, to->signature | 3, stage);
  uint64_t *module = pair_word(tree, function->module | 4, stage);
  recursion->active[FMT_GROUP_FUNCTION_STAGE] = (uintptr_t)functions;
  recursion->active[FMT_GROUP_SIGNATURE_STAGE] = (uintptr_t)signatures;
  recursion->active[FMT_GROUP_MODULE_STAGE] = (uintptr_t)module;
  return functions && signatures && module;
}

static bool make_record(struct prof_thread *t, struct fmt_rec_frame *frame, struct fmt_rec_edge *edge)
{
  (void)frame;
  if (edge->recursion)
    return true;
  struct prof_tree *tree = &t->tree;
  const struct fmt_rec_variant *from = (struct fmt_rec_variant *)edge->from, *to = prof_edge_to(edge);
  uint64_t caller = ((struct fmt_rec_context *)from->context)->function;
  struct fmt_rec_function *function = (struct fmt_rec_function *)((struct fmt_rec_context *)to->context)->function;
  struct fmt_rec_signature *signature = (struct fmt_rec_signature *)to->signature;
  /* Addresses of records are not 1 or 2: the kinds of pairs cannot meet. */
  uint64_t *functions = pair_word(tree, caller, (uintptr_t)function);
  uint64_t *signatures = pair_word(tree, from->signature | 1, (uintptr_t)signature);
  uint64_t *module = pair_word(tree, function->module, 2);
  struct fmt_rec_recursion *recursion = prof_record_alloc(tree, sizeof *recursion);
  if (!functions || !signatures || !module || !recursion || !add_stage_words(tree, recursion, to, function))
    return false;
  recursion->active[FMT_GROUP_FUNCTION] = (uintptr_t)&function->active;
  recursion->active[FMT_GROUP_SIGNATURE] = (uintptr_t)&signature->active;
  recursion->active[FMT_GROUP_FUNCTION_PAIR] = (uintptr_t)functions;
  recursion->active[FMT_GROUP_SIGNATURE_PAIR] = (uintptr_t)signatures;
  recursion->active[FMT_GROUP_MODULE] = (uintptr_t)module;
  recursion->edge = (uintptr_t)edge;
  recursion->tag = (struct fmt_rec_tag){FMT_TAG_RECURSION, sizeof *recursion};
  __atomic_store_n(&edge->recursion, (uintptr_t)recursion, __ATOMIC_RELEASE);
  prof_edge_set_mode(edge, false);
  return true;
}

bool prof_recursion_prepare(struct prof_thread *t, struct fmt_rec_edge *edge)
{
  return make_record(t, NULL, edge) && each_unsettled(t, prof_place_settled(t), make_record);
}

bool prof_recursion_outermost(struct prof_thread *t, struct fmt_rec_edge *edge)
{
  (void)t;
  if (edge->flags & (FMT_EDGE_BACK | FMT_EDGE_MODULE | FMT_EDGE_STAGE_MODULE))
    return false;
  const struct fmt_rec_context *context = (struct fmt_rec_context *)prof_edge_to(edge)->context;
  uint64_t *word = &((struct fmt_rec_function *)context->function)->active;
  if (*word == 0)
    return true;
  const struct fmt_rec_edge *owner = owner_edge(*word);
  if (owner && owner->recursion && word_of(recursion_of(owner), FMT_GROUP_FUNCTION) == word)
    return false;
  *word = 0; /* nobody owns it */
  return true;
}

/* Was the frame counted in t->recursion? */
static bool is_opened(const struct fmt_rec_frame *frame, const struct fmt_rec_edge *edge)
{
  const uint64_t bits = frame->flags & PROF_FRAME_BITS;
  return bits & PROF_FRAME_OPENED || (bits == PROF_FRAME_MARKED && edge->flags & FMT_EDGE_BACK);
}

static void set_bits(struct fmt_rec_frame *frame, const struct fmt_rec_edge *edge, uint64_t bits)
{
  frame->flags = (prof_frame_tells_counted(frame) ? (uintptr_t)&edge->calls : frame->flags) | bits;
}

/* Makes the frame the owner of every group of its edge that is inactive, and of the edge itself: one bit each. */
static uint32_t own(struct fmt_rec_frame *frame, struct fmt_rec_edge *edge)
{
  struct fmt_rec_recursion *recursion = recursion_of(edge);
  uint32_t owned = 0;
  set_bits(frame, edge, PROF_FRAME_GENERIC | PROF_FRAME_MARKED | (is_opened(frame, edge) ? PROF_FRAME_OPENED : 0u));
  for (unsigned group = 0; group < FMT_GROUP_COUNT; group++) {
    if (!group_active(recursion, group)) {
      if (group == FMT_GROUP_FUNCTION)
        prof_function_activated(prof_edge_function(edge));
      *word_of(recursion, group) = (uintptr_t)frame;
      owned |= 1u << group;
    }
  }
  if (!prof_recursion_active(edge)) {
    recursion->active[EDGE_WORD] = (uintptr_t)frame;
    edge->counters = (uintptr_t)&recursion->calls;
    prof_edge_set_mode(edge, true);
    owned |= 1u << EDGE_WORD;
  }
  return owned;
}

/* Shall later calls of the edge be settled from their beginning, now that one had to be settled afterwards? Of plain
 * ones where each is timed, beside which that is little; else by chance, and until a call is timed: so an edge whose
 * calls seldom have to be settled is seldom treated so. */
static bool shall_own(const struct prof_thread *t, const struct fmt_rec_frame *frame, const struct fmt_rec_edge *edge)
{
  if (frame->start_ticks == (uint64_t)PROF_COUNTED_UNOWNED)
    return true;
  const bool plain = frame->start_ticks == (uint64_t)PROF_COUNTED || frame->flags == (uintptr_t)&edge->calls;
  return plain && (!(edge->mode & PROF_MODE_SAMPLED) || (uint32_t)t->sample_next % SETTLED_TO_OWN == 0);
}

static bool mark(struct prof_thread *t, struct fmt_rec_frame *frame, struct fmt_rec_edge *edge)
{
  if (shall_own(t, frame, edge))
    __atomic_fetch_or(&edge->mode, PROF_MODE_OWNING, __ATOMIC_RELAXED);
  /* A handler may have lowered the watermark since the records were made. */
  if (edge->recursion)
    own(frame, edge);
  return true;
}

/* Clears what the frame owns: one bit a group. */
static uint32_t unmark(struct fmt_rec_frame *frame, struct fmt_rec_edge *edge)
{
  struct fmt_rec_recursion *recursion = recursion_of(edge);
  uint32_t owned = 0;
  for (unsigned group = 0; group < FMT_GROUP_COUNT; group++) {
    uint64_t *word = word_of(recursion, group);
    if (word && *word == (uintptr_t)frame) {
      owned |= 1u << group;
      *word = 0;
    }
  }
  /* Its hook may have died between the edge's counters and its word. */
  if (recursion->active[EDGE_WORD] == (uintptr_t)frame || !prof_recursion_active(edge)) {
    recursion->active[EDGE_WORD] = 0;
    edge->counters = (uintptr_t)&edge->calls;
    prof_edge_set_mode(edge, false);
  }
  return owned;
}

uint32_t prof_recursion_enter(struct prof_thread *t, struct prof_place place, struct fmt_rec_edge *edge)
{
  struct fmt_rec_frame *frame = place.top + 1;
  const uint32_t stage = word_of(recursion_of(edge), FMT_GROUP_SIGNATURE_STAGE) ? 1u << FMT_GROUP_SIGNATURE_STAGE : 0;
  const uint32_t of_back_edge = 1u << FMT_GROUP_SIGNATURE | 1u << FMT_GROUP_SIGNATURE_PAIR | stage | 1u << EDGE_WORD;
  t->has_marks = 1;
  each_unsettled(t, place, mark);
  uint32_t owned = own(frame, edge);
  t->marked = frame;
  if (owned == of_back_edge && edge->flags & FMT_EDGE_BACK)
    return PROF_FRAME_BACK;
  bool fast = owned >> EDGE_WORD && !(owned & ~(of_back_edge | 1u << FMT_GROUP_FUNCTION_PAIR));
  return fast ? PROF_FRAME_MARKED : PROF_FRAME_GENERIC;
}

/* Moves the watermark to the innermost frame below `place` that is open, and makes its exit come here. */
static void lower_watermark(struct prof_thread *t, struct prof_place place)
{
  for (;;) {
    place.top--;
    if (prof_frame_is_link(place.stack, place.top)) {
      if (!prof_place_outwards(&place))
        break;
      place.top++;
    } else if (place.top->edge) {
      if (!(place.top->flags & PROF_FRAME_MARKED))
        set_bits(place.top, prof_frame_edge(place.top), PROF_FRAME_GENERIC | PROF_FRAME_MARKED);
      break;
    }
  }
  t->marked = place.top;
}

void prof_recursion_set_mode(struct fmt_rec_edge *edge)
{
  const bool active = prof_recursion_active(edge);
  struct fmt_rec_frame *owner = active ? (struct fmt_rec_frame *)recursion_of(edge)->active[EDGE_WORD] : NULL;
  /* The assembly would end it without looking at anything but whether the edge is active. */
  if (owner)
    set_bits(owner, edge, PROF_FRAME_GENERIC | PROF_FRAME_MARKED | (is_opened(owner, edge) ? PROF_FRAME_OPENED : 0u));
  prof_edge_set_mode(edge, active);
}

bool prof_recursion_is_outermost(const struct fmt_rec_frame *frame, const struct fmt_rec_edge *edge)
{
  return (frame->flags & ~(uint64_t)PROF_FRAME_BITS) == (uintptr_t)&edge->calls ||
         (edge->recursion && recursion_of(edge)->active[EDGE_WORD] == (uintptr_t)frame);
}

uint32_t prof_recursion_leave(struct prof_thread *t, struct prof_place place, struct fmt_rec_edge *edge,
                              bool *owned_edge)
{
  struct fmt_rec_frame *frame = place.top;
  *owned_edge = edge->recursion && recursion_of(edge)->active[EDGE_WORD] == (uintptr_t)frame;
  /* One that was marked so that its exit comes here may be of an edge that never had a record, below a handler's. */
  uint32_t owned = edge->recursion ? unmark(frame, edge) : 0;
  if (t->marked == frame)
    lower_watermark(t, place);
  t->recursion -= is_opened(frame, edge);
  return owned;
}

/* The edge whose counters a frame's flags point to; NULL when they never did, or to those of nobody. */
static struct fmt_rec_edge *edge_of_flags(uint64_t flags)
{
  uint64_t counters = flags & ~(uint64_t)PROF_FRAME_BITS;
  const struct fmt_rec_header *header = prof_process.header;
  if (counters - (uintptr_t)header >= header->reserved_size)
    return NULL;
  const struct fmt_rec_recursion *recursion =
      (const struct fmt_rec_recursion *)(counters - offsetof(struct fmt_rec_recursion, calls));
  if (recursion->tag.tag == FMT_TAG_RECURSION && recursion->tag.size == sizeof *recursion)
    return (struct fmt_rec_edge *)recursion->edge;
  return (struct fmt_rec_edge *)(counters - offsetof(struct fmt_rec_edge, calls));
}

/* Counts the open frames of back edges anew. */
static void count_opened(struct prof_thread *t)
{
  struct prof_place place = prof_place_settled(t);
  t->recursion = 0;
  do
    for (const struct fmt_rec_frame *frame = place.top; !prof_frame_is_link(place.stack, frame); frame--)
      t->recursion += frame->edge && is_opened(frame, prof_frame_edge(frame));
  while (prof_place_outwards(&place));
  t->mode = t->recursion ? PROF_MODE_RECURSION : PROF_MODE_PLAIN;
}

void prof_recursion_repair(struct prof_thread *t)
{
  const struct prof_place place = prof_place_settled(t);
  struct fmt_rec_frame *frame = place.top;
  struct fmt_rec_edge *edge = edge_of_flags(frame->flags);
  if (edge && edge->recursion)
    unmark(frame, edge);
  /* The hook may have been between clearing the edge's word and the rest. */
  if (edge && !prof_recursion_active(edge)) {
    edge->counters = (uintptr_t)&edge->calls;
    prof_edge_set_mode(edge, false);
  }
  if (t->marked == frame)
    lower_watermark(t, place);
  count_opened(t);
}

void prof_recursion_restart(struct prof_thread *t)
{
  struct prof_place place = prof_place_settled(t);
  while (prof_place_outwards(&place))
    ;
  t->marked = place.stack->frames;
  count_opened(t);
}

/* Takes off all marks of an edge. */
static void clear(struct fmt_rec_edge *edge)
{
  struct fmt_rec_recursion *recursion = recursion_of(edge);
  for (unsigned group = 0; group < FMT_GROUP_COUNT; group++)
    if (word_of(recursion, group))
      *word_of(recursion, group) = 0;
  recursion->active[EDGE_WORD] = 0;
  edge->counters = (uintptr_t)&edge->calls;
  prof_edge_set_mode(edge, false);
}

void prof_recursion_reset(struct prof_thread *t)
{
  for (struct prof_machine *machine = t->machines; machine; machine = machine->next) {
    machine->marked = machine->outermost->frames;
    machine->recursion = 0;
  }
  t->marked = t->machine->outermost->frames;
  t->recursion = 0;
  t->mode = PROF_MODE_PLAIN;
  if (!t->has_marks)
    return;
  t->has_marks = 0;
  for (struct fmt_rec_edge *edge = (struct fmt_rec_edge *)t->tree.record->first_edge; edge;
       edge = (struct fmt_rec_edge *)edge->next)
    if (edge->recursion)
      clear(edge);
}

typedef void (*visit_fn)(struct prof_thread *t, struct fmt_rec_frame *frame, struct fmt_rec_edge *edge);

/* Calls `visit` for the marked frames of the running machine stack, outermost first. */
static void each_marked(struct prof_thread *t, struct prof_place place, visit_fn visit)
{
  struct prof_place outer = place;
  if (prof_place_outwards(&outer))
    each_marked(t, outer, visit);
  for (struct fmt_rec_frame *frame = place.stack->frames + 1; frame <= place.top; frame++) {
    struct fmt_rec_edge *edge = prof_frame_edge(frame);
    if (edge && edge->recursion && frame->flags & PROF_FRAME_MARKED)
      visit(t, frame, edge);
  }
}

static void visit_unmark(struct prof_thread *t, struct fmt_rec_frame *frame, struct fmt_rec_edge *edge)
{
  (void)t;
  unmark(frame, edge);
}

static void visit_mark(struct prof_thread *t, struct fmt_rec_frame *frame, struct fmt_rec_edge *edge)
{
  (void)t;
  own(frame, edge);
}

void prof_recursion_suspend(struct prof_thread *t)
{
  each_marked(t, prof_place_settled(t), visit_unmark);
}

void prof_recursion_resume(struct prof_thread *t)
{
  each_marked(t, prof_place_settled(t), visit_mark);
}
