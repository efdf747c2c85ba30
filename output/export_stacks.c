#include "export_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where the calls of a variant or context came from, beside the number of a variant. */
#define FROM_NOWHERE CS_NONE        /* nothing leads here by a path */
#define FROM_SEVERAL (CS_NONE - 1u) /* it is not known which */
#define FROM_ROOT    (CS_NONE - 2u) /* it is outermost */

/*
 * The frame of a path: of a variant, where the signature is known, or of a context. The frames above follow from the
 * state alone, so every state has one node.
 */
struct state {
  uint32_t variant; /* CS_NONE: any of the context */
  uint32_t context;
};

struct builder {
  struct callsig_stats *stats;
  const struct cs_profile *profile;
  const struct cs_stack_shape *shape;
  struct cs_stacks *stacks;
  bool with_signatures;    /* frames have them */
  uint32_t *from_variant;  /* by variant: whose calls made it */
  bool *called_back;       /* by variant: calls of it came from below its own context */
  uint32_t *from_context;  /* by context */
  bool *reached;           /* by context: it has a path to a root */
  uint32_t *variant_nodes; /* by variant, CS_NONE until needed */
  uint32_t *context_nodes; /* by context */
  struct cs_idset node_set, stack_set;
  struct cs_vector pending; /* struct state */
};

static bool equal_node(const void *owner, uint32_t number, const void *key)
{
  const struct cs_stack_node *node = cs_stacks_node(owner, number), *wanted = key;
  return node->parent == wanted->parent && node->frame == wanted->frame;
}

static int child_of(struct builder *builder, uint32_t parent, const struct cs_frame *frame, uint32_t *number)
{
  struct cs_stacks *stacks = builder->stacks;
  struct cs_stack_node key = {.parent = parent, .depth = cs_stacks_node(stacks, parent)->depth + 1};
  int result = cs_frames_add(&stacks->frames, frame, &key.frame);
  if (result < 0)
    return result;
  uint64_t hash = cs_hash_mix(key.parent, key.frame);
  *number = cs_idset_find(&builder->node_set, hash, stacks, &key, equal_node);
  if (*number != CS_NONE)
    return 0;
  struct cs_stack_node *added = cs_vector_add(&stacks->nodes, 1);
  if (!added)
    return -ENOMEM;
  *added = key;
  *number = stacks->nodes.count - 1;
  return cs_idset_add(&builder->node_set, hash, *number);
}

static int label_below(struct builder *builder, uint32_t parent, const char *label, uint32_t *number)
{
  struct cs_frame frame = {.key = cs_row_key_of(CS_NONE), .kind = CS_FRAME_LABEL};
  int result = cs_strings_add(builder->stats->profile.strings, label, &frame.key.what);
  return result < 0 ? result : child_of(builder, parent, &frame, number);
}

/* What calls of a thread are told apart by beside their functions: the thread, the process, the rank, as was asked for.
 */
static struct cs_row_key groups_of(const struct builder *builder, uint32_t variant, uint32_t thread)
{
  const struct cs_variant *known = cs_profile_variant(builder->profile, variant);
  struct cs_row_key key = cs_rows_key(builder->profile, &builder->stats->grouping, known, thread);
  key.what = key.stage = key.module = key.callstack = CS_NONE;
  return key;
}

/* What outermost calls of a thread hang below: the root, or a frame that names the thread and what else it is of. */
static int top_of(struct builder *builder, uint32_t variant, uint32_t thread, bool merged, uint32_t *node)
{
  int result = 0;
  *node = 0;
  if (!builder->shape->apart) {
    struct cs_names names = cs_stats_names(builder->stats);
    struct cs_row_key key = groups_of(builder, variant, thread);
    struct cs_text text = {0};
    cs_row_groups(&names, &key, "", &text);
    if (text.failed)
      result = -ENOMEM;
    else if (text.length > 0)
      result = label_below(builder, 0, cs_text_string(&text), node);
    cs_text_free(&text);
  }
  return result == 0 && merged ? label_below(builder, *node, "[merged paths]", node) : result;
}

static bool is_code(const struct cs_profile *profile, uint32_t context)
{
  return context != CS_NONE && cs_profile_context(profile, context)->code != CS_NONE;
}

/* Whose calls an edge counts: FROM_SEVERAL where the caller is not the parent on the path. */
static uint32_t source_of(const struct cs_profile *profile, const struct cs_edge *edge, bool *back)
{
  uint32_t parent = cs_profile_context(profile, cs_profile_variant(profile, edge->to)->context)->parent;
  *back = false;
  if (edge->from == CS_NONE)
    return is_code(profile, parent) ? FROM_SEVERAL : FROM_ROOT;
  if (parent != CS_NONE && cs_profile_variant(profile, edge->from)->context == parent)
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
  const struct cs_profile *profile = builder->profile;
  memset(builder->from_variant, 0xFF, profile->variants.count * sizeof *builder->from_variant);
  memset(builder->from_context, 0xFF, profile->contexts.count * sizeof *builder->from_context);
  for (uint32_t i = 0; i < profile->preorder.count; i++)
    builder->reached[*(const uint32_t *)cs_vector_at(&profile->preorder, i)] = true;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct cs_edge *edge = cs_profile_edge(profile, i);
    if (edge->to == CS_NONE)
      continue;
    bool back;
    uint32_t source = source_of(profile, edge, &back);
    builder->called_back[edge->to] |= back;
    /* A call back happens below another call of the same context, which a caller of the path made. */
    if (back)
      continue;
    join(&builder->from_variant[edge->to], source);
    join(&builder->from_context[cs_profile_variant(profile, edge->to)->context], source);
  }
}

static struct state state_of(const struct builder *builder, uint32_t variant)
{
  uint32_t context = cs_profile_variant(builder->profile, variant)->context;
  return (struct state){.variant = builder->with_signatures ? variant : CS_NONE, .context = context};
}

/* The state above `state`; false when there is none, and then whether it hangs below what stands for merged paths. */
static bool above(const struct builder *builder, const struct state *state, struct state *parent, bool *merged)
{
  const struct cs_profile *profile = builder->profile;
  uint32_t up = cs_profile_context(profile, state->context)->parent;
  *merged = up == CS_NONE;
  if (!builder->reached[state->context] || !is_code(profile, up))
    return false;
  uint32_t source = FROM_NOWHERE;
  if (state->variant != CS_NONE && !builder->called_back[state->variant])
    source = builder->from_variant[state->variant];
  if (source == FROM_NOWHERE)
    source = builder->from_context[state->context];
  if (source < FROM_ROOT)
    *parent = state_of(builder, source);
  else
    *parent = (struct state){.variant = CS_NONE, .context = up};
  return true;
}

static struct cs_frame frame_of(const struct builder *builder, const struct state *state)
{
  const struct cs_profile *profile = builder->profile;
  const struct cs_code *code = cs_profile_code(profile, cs_profile_context(profile, state->context)->code);
  struct cs_frame frame = {.key = cs_row_key_of(builder->stats->shown_function[code->function]),
                           .kind = CS_FRAME_FUNCTION};
  if (builder->shape->modules || builder->stats->by & CALLSIG_BY_MODULE)
    frame.key.module = cs_profile_label(profile, code->module);
  if (!builder->with_signatures)
    return frame;
  uint32_t signature = state->variant == CS_NONE ? CS_NONE : cs_profile_variant(profile, state->variant)->signature;
  if (signature != CS_NONE)
    signature = builder->stats->meeting.row_of[signature];
  frame.kind = CS_FRAME_ANY;
  if (signature != CS_NONE && !cs_profile_signature(profile, signature)->any) {
    frame.kind = CS_FRAME_SIGNATURE;
    frame.key.what = signature;
  }
  return frame;
}

static uint32_t *node_slot(struct builder *builder, const struct state *state)
{
  return state->variant == CS_NONE ? &builder->context_nodes[state->context] : &builder->variant_nodes[state->variant];
}

/* The node of a state, made with all above it. Upwards until a node is known, then down again. */
static int node_of(struct builder *builder, const struct cs_edge *edge, struct state state, uint32_t *node)
{
  int result = 0;
  builder->pending.count = 0;
  for (;;) {
    *node = *node_slot(builder, &state);
    if (*node != CS_NONE)
      break;
    struct state *pending = cs_vector_add(&builder->pending, 1);
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
    const struct state *pending = cs_vector_at(&builder->pending, --builder->pending.count);
    struct cs_frame frame = frame_of(builder, pending);
    result = child_of(builder, *node, &frame, node);
    if (result == 0)
      *node_slot(builder, pending) = *node;
  }
  return result;
}

/* A stack that is looked for. */
struct wanted_stack {
  uint32_t node;
  struct cs_row_key key;
  bool apart; /* the key counts */
};

static bool equal_stack(const void *owner, uint32_t number, const void *key)
{
  const struct wanted_stack *wanted = key;
  const struct cs_stack *stack = cs_stacks_at(owner, number);
  return stack->node == wanted->node &&
         (!wanted->apart || memcmp(cs_stacks_key(owner, stack), &wanted->key, sizeof wanted->key) == 0);
}

static int add_stack(struct builder *builder, const struct cs_stack *stack, const struct cs_row_key *key)
{
  struct cs_stacks *stacks = builder->stacks;
  struct wanted_stack wanted = {.node = stack->node, .key = *key, .apart = builder->shape->apart};
  uint64_t hash = cs_hash_mix(cs_hash_mix(stack->node, key->what), key->thread);
  hash = cs_hash_mix(cs_hash_mix(hash, key->stage), key->process);
  uint32_t number = cs_idset_find(&builder->stack_set, hash, stacks, &wanted, equal_stack);
  if (number != CS_NONE) {
    struct cs_stack *known = cs_vector_at(&stacks->list, number);
    known->calls += stack->calls;
    known->own += stack->own;
    return 0;
  }
  struct cs_stack *added = cs_vector_add(&stacks->list, 1);
  if (!added)
    return -ENOMEM;
  *added = *stack;
  added->key = CS_NONE;
  if (wanted.apart) {
    struct cs_row_key *kept = cs_vector_add(&stacks->keys, 1);
    if (!kept)
      return -ENOMEM;
    *kept = *key;
    added->key = stacks->keys.count - 1;
  }
  return cs_idset_add(&builder->stack_set, hash, stacks->list.count - 1);
}

/* The node that an edge's calls ended in: below their caller, or below what is known of it. */
static int leaf_of(struct builder *builder, const struct cs_edge *edge, uint32_t *node)
{
  struct state leaf = state_of(builder, edge->to), parent;
  bool back, merged;
  uint32_t source = source_of(builder->profile, edge, &back);
  int result;
  if (!above(builder, &leaf, &parent, &merged))
    result = top_of(builder, edge->to, edge->thread, merged, node);
  else
    result = node_of(builder, edge, source < FROM_ROOT ? state_of(builder, source) : parent, node);
  struct cs_frame frame = frame_of(builder, &leaf);
  return result < 0 ? result : child_of(builder, *node, &frame, node);
}

static struct cs_row_key key_apart(const struct builder *builder, const struct cs_edge *edge)
{
  const struct cs_profile *profile = builder->profile;
  const struct cs_variant *to = cs_profile_variant(profile, edge->to);
  struct cs_row_key key = groups_of(builder, edge->to, edge->thread);
  key.stage = cs_profile_context(profile, to->context)->stage;
  if (builder->stats->by & CALLSIG_BY_SIGNATURE)
    key.what = builder->stats->meeting.row_of[to->signature];
  return key;
}

static int add_edges(struct builder *builder)
{
  const struct cs_profile *profile = builder->profile;
  struct callsig_stats *stats = builder->stats;
  int result = 0;
  for (uint32_t i = 0; i < profile->edges.count && result == 0; i++) {
    const struct cs_edge *edge = cs_profile_edge(profile, i);
    struct cs_row counts;
    if (!cs_rows_edge(profile, &stats->grouping, edge, &counts))
      continue;
    struct cs_stack stack = {.calls = counts.calls, .own = counts.own};
    struct cs_row_key key = builder->shape->apart ? key_apart(builder, edge) : cs_row_key_of(CS_NONE);
    result = leaf_of(builder, edge, &stack.node);
    if (result == 0)
      result = add_stack(builder, &stack, &key);
    builder->stacks->calls += stack.calls;
    builder->stacks->own += stack.own;
  }
  return result;
}

static bool has_signatures(const struct cs_profile *profile)
{
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    if (cs_profile_recording(profile, i)->flags & CS_REC_SIGNATURES)
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
  struct cs_stack_node *root = cs_vector_add(&builder->stacks->nodes, 1);
  if (!builder->from_variant || !builder->called_back || !builder->from_context || !builder->reached ||
      !builder->variant_nodes || !builder->context_nodes || !root)
    return -ENOMEM;
  *root = (struct cs_stack_node){.parent = CS_NONE, .frame = CS_NONE};
  memset(builder->variant_nodes, 0xFF, variants * sizeof *builder->variant_nodes);
  memset(builder->context_nodes, 0xFF, contexts * sizeof *builder->context_nodes);
  find_sources(builder);
  return add_edges(builder);
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
  cs_idset_free(&builder->node_set);
  cs_idset_free(&builder->stack_set);
  cs_vector_free(&builder->pending);
  cs_frames_close(&builder->stacks->frames);
}

int cs_stacks_make(struct callsig_stats *stats, const struct cs_stack_shape *shape, struct cs_stacks *stacks)
{
  *stacks = (struct cs_stacks){.nodes = CS_VECTOR_OF(struct cs_stack_node),
                               .list = CS_VECTOR_OF(struct cs_stack),
                               .keys = CS_VECTOR_OF(struct cs_row_key)};
  cs_frames_init(&stacks->frames, stats);
  struct builder builder = {.stats = stats,
                            .profile = &stats->profile,
                            .shape = shape,
                            .stacks = stacks,
                            .with_signatures =
                                stats->by & CALLSIG_BY_SIGNATURE && !shape->apart && has_signatures(&stats->profile),
                            .pending = CS_VECTOR_OF(struct state)};
  int result = build(&builder);
  release(&builder);
  if (result == 0)
    result = cs_stacks_arrange(stacks);
  if (result < 0)
    cs_stacks_free(stacks);
  return result;
}

void cs_stacks_free(struct cs_stacks *stacks)
{
  cs_frames_free(&stacks->frames);
  cs_frame_texts_free(&stacks->texts);
  cs_vector_free(&stacks->nodes);
  cs_vector_free(&stacks->list);
  cs_vector_free(&stacks->keys);
  *stacks = (struct cs_stacks){0};
}
