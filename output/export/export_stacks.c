/* Makes the tree of stacks from the recording's tree of calling contexts. */
#include "output/export/export_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where the calls of a variant or context came from, beside the number of a variant. */
#define FROM_NOWHERE FMT_NONE        /* nothing leads here by a path */
#define FROM_SEVERAL (FMT_NONE - 1u) /* it is not known which */
#define FROM_ROOT    (FMT_NONE - 2u) /* it is outermost */

/*
 * The frame of a path: of a variant, where the signature is known, or of a context. The frames above follow from the
 * state alone, so every state has one node.
 */
struct state {
  uint32_t variant; /* FMT_NONE: any of the context */
  uint32_t context;
};

struct builder {
  struct callsig_stats *stats;
  const struct out_profile *profile;
  const struct out_stack_shape *shape;
  struct out_stacks *stacks;
  bool with_signatures;    /* frames have them */
  uint32_t *from_variant;  /* by variant: whose calls made it */
  bool *called_back;       /* by variant: calls of it came from below its own context */
  uint32_t *from_context;  /* by context */
  bool *reached;           /* by context: it has a path to a root */
  uint32_t *variant_nodes; /* by variant, FMT_NONE until needed */
  uint32_t *context_nodes; /* by context */
  struct out_idset node_set, stack_set;
  struct base_vector pending; /* struct state */
};

static bool equal_node(const void *owner, uint32_t number, const void *key)
{
  const struct out_stack_node *node = out_stacks_node(owner, number), *wanted = key;
  return node->parent == wanted->parent && node->frame == wanted->frame;
}

static int child_of(struct builder *builder, uint32_t parent, const struct out_frame *frame, uint32_t *number)
{
  struct out_stacks *stacks = builder->stacks;
  struct out_stack_node key = {.parent = parent, .depth = out_stacks_node(stacks, parent)->depth + 1};
  int result = out_frames_add(&stacks->frames, frame, &key.frame);
  if (result < 0)
    return result;
  uint64_t hash = out_hash_mix(key.parent, key.frame);
  *number = out_idset_find(&builder->node_set, hash, stacks, &key, equal_node);
  if (*number != FMT_NONE)
    return 0;
  struct out_stack_node *added = base_vector_add(&stacks->nodes, 1);
  if (!added)
    return -ENOMEM;
  *added = key;
  *number = stacks->nodes.count - 1;
  return out_idset_add(&builder->node_set, hash, *number);
}

static int label_below(struct builder *builder, uint32_t parent, const char *label, uint32_t *number)
{
  struct out_frame frame = {.key = out_row_key_of(FMT_NONE), .kind = OUT_FRAME_LABEL};
  int result = base_strings_add(builder->stats->profile.strings, label, &frame.key.what);
  return result < 0 ? result : child_of(builder, parent, &frame, number);
}

/* What calls of a thread are told apart by beside their functions: the thread, the process, the rank, as was asked for.
 */
static struct out_row_key groups_of(const struct builder *builder, uint32_t variant, uint32_t thread)
{
  const struct out_variant *known = out_profile_variant(builder->profile, variant);
  struct out_row_key key = out_rows_key(builder->profile, &builder->stats->grouping, known, thread);
  key.what = key.stage = key.module = key.callstack = FMT_NONE;
  return key;
}

/* What outermost calls of a thread hang below: the root, or a frame that names the thread and what else it is of. */
static int top_of(struct builder *builder, uint32_t variant, uint32_t thread, bool merged, uint32_t *node)
{
  int result = 0;
  *node = 0;
  if (!builder->shape->apart) {
    struct out_names names = out_stats_names(builder->stats);
    struct out_row_key key = groups_of(builder, variant, thread);
    struct out_text text = {0};
    out_row_groups(&names, &key, "", &text);
    if (text.failed)
      result = -ENOMEM;
    else if (text.length > 0)
      result = label_below(builder, 0, out_text_string(&text), node);
    out_text_free(&text);
  }
  return result == 0 && merged ? label_below(builder, *node, "[merged paths]", node) : result;
}

static bool is_code(const struct out_profile *profile, uint32_t context)
{
  return context != FMT_NONE && out_profile_context(profile, context)->callable != FMT_NONE;
}

/* Whose calls an edge counts: FROM_SEVERAL where the caller is not the parent on the path. */
static uint32_t source_of(const struct out_profile *profile, const struct out_edge *edge, bool *back)
{
  uint32_t parent = out_profile_context(profile, out_profile_variant(profile, edge->to)->context)->parent;
  *back = false;
  if (edge->from == FMT_NONE)
    return is_code(profile, parent) ? FROM_SEVERAL : FROM_ROOT;
  if (parent != FMT_NONE && out_profile_variant(profile, edge->from)->context == parent)
    return edge->from;
  *back = true;
  return FROM_SEVERAL;
}

static void join(uint32_t *known, uint32_t source)
{
  *known = *known == FROM_NOWHERE || *known == source ? source : FROM_SEVERAL;
}

static void find_sources(struct builder *builder)
{
  const struct out_profile *profile = builder->profile;
  memset(builder->from_variant, 0xFF, profile->variants.count * sizeof *builder->from_variant);
  memset(builder->from_context, 0xFF, profile->contexts.count * sizeof *builder->from_context);
  for (uint32_t i = 0; i < profile->preorder.count; i++)
    builder->reached[*(const uint32_t *)base_vector_at(&profile->preorder, i)] = true;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->to == FMT_NONE)
      continue;
    bool back;
    uint32_t source = source_of(profile, edge, &back);
    builder->called_back[edge->to] |= back;
    /* A call back happens below another call of the same context, which a caller of the path made. */
    if (back)
      continue;
    join(&builder->from_variant[edge->to], source);
    join(&builder->from_context[out_profile_variant(profile, edge->to)->context], source);
  }
}

static struct state state_of(const struct builder *builder, uint32_t variant)
{
  uint32_t context = out_profile_variant(builder->profile, variant)->context;
  return (struct state){.variant = builder->with_signatures ? variant : FMT_NONE, .context = context};
}

/* The state above `state`; false when there is none, and then whether it hangs below what stands for merged paths. */
static bool above(const struct builder *builder, const struct state *state, struct state *parent, bool *merged)
{
  const struct out_profile *profile = builder->profile;
  uint32_t up = out_profile_context(profile, state->context)->parent;
  *merged = up == FMT_NONE;
  if (!builder->reached[state->context] || !is_code(profile, up))
    return false;
  uint32_t source = FROM_NOWHERE;
  if (state->variant != FMT_NONE && !builder->called_back[state->variant])
    source = builder->from_variant[state->variant];
  if (source == FROM_NOWHERE)
    source = builder->from_context[state->context];
  if (source < FROM_ROOT)
    *parent = state_of(builder, source);
  else
    *parent = (struct state){.variant = FMT_NONE, .context = up};
  return true;
}

static struct out_frame frame_of(const struct builder *builder, const struct state *state)
{
  const struct out_profile *profile = builder->profile;
  const struct out_callable *callable =
      out_profile_callable(profile, out_profile_context(profile, state->context)->callable);
  struct out_frame frame = {.key = out_row_key_of(builder->stats->shown_function[callable->function]),
                            .kind = OUT_FRAME_FUNCTION};
  if (builder->shape->modules || builder->stats->by & CALLSIG_BY_MODULE)
    frame.key.module = out_profile_label(profile, callable->module);
  if (!builder->with_signatures)
    return frame;
  uint32_t signature = state->variant == FMT_NONE ? FMT_NONE : out_profile_variant(profile, state->variant)->signature;
  if (signature != FMT_NONE)
    signature = builder->stats->signature_merge.row_of[signature];
  frame.kind = OUT_FRAME_ANY;
  if (signature != FMT_NONE && !out_profile_signature(profile, signature)->any) {
    frame.kind = OUT_FRAME_SIGNATURE;
    frame.key.what = signature;
  }
  return frame;
}

static uint32_t *node_slot(struct builder *builder, const struct state *state)
{
  return state->variant == FMT_NONE ? &builder->context_nodes[state->context] : &builder->variant_nodes[state->variant];
}

/* The node of a state, made with all above it. Upwards until a node is known, then down again. */
static int node_of(struct builder *builder, const struct out_edge *edge, struct state state, uint32_t *node)
{
  int result = 0;
  builder->pending.count = 0;
  for (;;) {
    *node = *node_slot(builder, &state);
    if (*node != FMT_NONE)
      break;
    struct state *pending = base_vector_add(&builder->pending, 1);
    if (!pending)
      return -ENOMEM;
    *pending = state;
    bool merged;
    if (!above(builder, &state, &state, &merged)) {
      result = top_of(builder, edge->to, edge->thread, merged, node);
      break;
    }
  }
  while (builder->pending.count > 0 && result == 0) {
    const struct state *pending = base_vector_at(&builder->pending, --builder->pending.count);
    struct out_frame frame = frame_of(builder, pending);
    result = child_of(builder, *node, &frame, node);
    if (result == 0)
      *node_slot(builder, pending) = *node;
  }
  return result;
}

/* A stack that is looked for. */
struct wanted_stack {
  uint32_t node;
  struct out_row_key key;
  bool apart; /* the key counts */
};

static bool equal_stack(const void *owner, uint32_t number, const void *key)
{
  const struct wanted_stack *wanted = key;
  const struct out_stack *stack = out_stacks_at(owner, number);
  return stack->node == wanted->node &&
         (!wanted->apart || memcmp(out_stacks_key(owner, stack), &wanted->key, sizeof wanted->key) == 0);
}

static int add_stack(struct builder *builder, const struct out_stack *stack, const struct out_row_key *key)
{
  struct out_stacks *stacks = builder->stacks;
  struct wanted_stack wanted = {.node = stack->node, .key = *key, .apart = builder->shape->apart};
  uint64_t hash = out_hash_mix(out_hash_mix(stack->node, key->what), key->thread);
  hash = out_hash_mix(out_hash_mix(hash, key->stage), (uint64_t)key->place << 32 | key->process);
  uint32_t number = out_idset_find(&builder->stack_set, hash, stacks, &wanted, equal_stack);
  if (number != FMT_NONE) {
    struct out_stack *known = base_vector_at(&stacks->list, number);
    known->calls += stack->calls;
    known->own += stack->own;
    return 0;
  }
  struct out_stack *added = base_vector_add(&stacks->list, 1);
  if (!added)
    return -ENOMEM;
  *added = *stack;
  added->key = FMT_NONE;
  if (wanted.apart) {
    struct out_row_key *kept = base_vector_add(&stacks->keys, 1);
    if (!kept)
      return -ENOMEM;
    *kept = *key;
    added->key = stacks->keys.count - 1;
  }
  return out_idset_add(&builder->stack_set, hash, stacks->list.count - 1);
}

/* The node that an edge's calls ended in: below their caller, or below what is known of it. */
static int leaf_of(struct builder *builder, const struct out_edge *edge, uint32_t *node)
{
  struct state leaf = state_of(builder, edge->to), parent;
  bool back, merged;
  uint32_t source = source_of(builder->profile, edge, &back);
  int result;
  if (!above(builder, &leaf, &parent, &merged))
    result = top_of(builder, edge->to, edge->thread, merged, node);
  else
    result = node_of(builder, edge, source < FROM_ROOT ? state_of(builder, source) : parent, node);
  struct out_frame frame = frame_of(builder, &leaf);
  return result < 0 ? result : child_of(builder, *node, &frame, node);
}

static struct out_row_key key_apart(const struct builder *builder, const struct out_edge *edge)
{
  const struct out_profile *profile = builder->profile;
  const struct out_variant *to = out_profile_variant(profile, edge->to);
  struct out_row_key key = groups_of(builder, edge->to, edge->thread);
  key.stage = out_profile_context(profile, to->context)->stage;
  key.place = out_rows_key_of_edge(profile, &builder->stats->grouping, edge).place;
  if (builder->stats->by & CALLSIG_BY_SIGNATURE)
    key.what = builder->stats->signature_merge.row_of[to->signature];
  return key;
}

/* By how many frames the edge's stack is deeper than asked for. Where stacks are apart by what their innermost calls
 * are, those are left out that are too deep, and have not come here. */
static uint32_t levels_too_deep(const struct builder *builder, const struct out_edge *edge)
{
  const struct out_grouping *grouping = &builder->stats->grouping;
  if (builder->shape->apart || grouping->deepest == 0)
    return 0;
  const uint32_t depth = grouping->depths[out_profile_variant(builder->profile, edge->to)->context];
  return depth > grouping->deepest ? depth - grouping->deepest : 0;
}

/* The node around the one that is too deep: what it took counts as that one's own, its calls do not. */
static void lift(const struct out_stacks *stacks, uint32_t levels, struct out_stack *stack)
{
  if (levels > 0)
    stack->calls = 0;
  for (; levels > 0 && stack->node != 0; levels--)
    stack->node = out_stacks_node(stacks, stack->node)->parent;
}

static int add_edges(struct builder *builder)
{
  const struct out_profile *profile = builder->profile;
  struct out_grouping any_depth = builder->stats->grouping;
  int result = 0;
  if (!builder->shape->apart)
    any_depth.deepest = 0;
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    struct out_row counts;
    if (!out_rows_edge(profile, &any_depth, edge, &counts))
      continue;
    struct out_stack stack = {.calls = counts.calls, .own = counts.own};
    if (out_profile_thread(profile, edge->thread)->recording < builder->shape->before)
      stack = (struct out_stack){.calls = 0 - counts.calls, .own = 0 - counts.own};
    struct out_row_key key = builder->shape->apart ? key_apart(builder, edge) : out_row_key_of(FMT_NONE);
    result = leaf_of(builder, edge, &stack.node);
    if (result == 0) {
      lift(builder->stacks, levels_too_deep(builder, edge), &stack);
      result = add_stack(builder, &stack, &key);
    }
  }
  return result;
}

/* What was counted less than before, where recordings were subtracted: by an estimate that has become smaller, or as
 * calls were found elsewhere. Such counters are 0. */
static uint64_t settled(uint64_t counter, uint64_t *less)
{
  if (counter <= INT64_MAX)
    return counter;
  *less += 0 - counter;
  return 0;
}

/* Sums the stacks up; where recordings were subtracted, those in which nothing is left are none. */
static void sum_up(const struct builder *builder)
{
  struct out_stacks *stacks = builder->stacks;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < stacks->list.count; i++) {
    struct out_stack *stack = base_vector_at(&stacks->list, i);
    if (builder->shape->before > 0) {
      stack->calls = settled(stack->calls, &stacks->less_calls);
      stack->own = settled(stack->own, &stacks->less_own);
    }
    stacks->calls += stack->calls;
    stacks->own += stack->own;
    if (builder->shape->before == 0 || stack->calls > 0 || stack->own > 0)
      *(struct out_stack *)base_vector_at(&stacks->list, kept++) = *stack;
  }
  stacks->list.count = kept;
}

static bool has_signatures(const struct out_profile *profile)
{
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    if (out_profile_recording(profile, i)->flags & FMT_REC_SIGNATURES)
      return true;
  }
  return false;
}

static int build(struct builder *builder)
{
  size_t variants = builder->profile->variants.count + 1u, contexts = builder->profile->contexts.count + 1u;
  builder->from_variant = malloc(variants * sizeof *builder->from_variant);
  builder->called_back = calloc(variants, sizeof *builder->called_back);
  builder->from_context = malloc(contexts * sizeof *builder->from_context);
  builder->reached = calloc(contexts, sizeof *builder->reached);
  builder->variant_nodes = malloc(variants * sizeof *builder->variant_nodes);
  builder->context_nodes = malloc(contexts * sizeof *builder->context_nodes);
  struct out_stack_node *root = base_vector_add(&builder->stacks->nodes, 1);
  if (!builder->from_variant || !builder->called_back || !builder->from_context || !builder->reached ||
      !builder->variant_nodes || !builder->context_nodes || !root)
    return -ENOMEM;
  *root = (struct out_stack_node){.parent = FMT_NONE, .frame = FMT_NONE};
  memset(builder->variant_nodes, 0xFF, variants * sizeof *builder->variant_nodes);
  memset(builder->context_nodes, 0xFF, contexts * sizeof *builder->context_nodes);
  find_sources(builder);
  int result = add_edges(builder);
  sum_up(builder);
  return result;
}

/* What only building needs. */
static void release(struct builder *builder)
{
  free(builder->from_variant);
  free(builder->called_back);
  free(builder->from_context);
  free(builder->reached);
  free(builder->variant_nodes);
  free(builder->context_nodes);
  out_idset_free(&builder->node_set);
  out_idset_free(&builder->stack_set);
  base_vector_free(&builder->pending);
  out_frames_close(&builder->stacks->frames);
}

int out_stacks_make(struct callsig_stats *stats, const struct out_stack_shape *shape, struct out_stacks *stacks)
{
  *stacks = (struct out_stacks){.nodes = BASE_VECTOR_OF(struct out_stack_node),
                                .list = BASE_VECTOR_OF(struct out_stack),
                                .keys = BASE_VECTOR_OF(struct out_row_key)};
  out_frames_init(&stacks->frames, stats);
  struct builder builder = {.stats = stats,
                            .profile = &stats->profile,
                            .shape = shape,
                            .stacks = stacks,
                            .with_signatures =
                                stats->by & CALLSIG_BY_SIGNATURE && !shape->apart && has_signatures(&stats->profile),
                            .pending = BASE_VECTOR_OF(struct state)};
  int result = build(&builder);
  release(&builder);
  if (result == 0)
    result = out_stacks_arrange(stacks);
  if (result < 0)
    out_stacks_free(stacks);
  return result;
}

void out_stacks_free(struct out_stacks *stacks)
{
  out_frames_free(&stacks->frames);
  out_frame_texts_free(&stacks->texts);
  base_vector_free(&stacks->nodes);
  base_vector_free(&stacks->list);
  base_vector_free(&stacks->keys);
  *stacks = (struct out_stacks){0};
}
