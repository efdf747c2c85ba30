/*
 * Marks each calling context with what is already open around it: its own function, its function in the same module, or
 * its module; on the whole path, and within its stage.
 *
 * A call is primitive when nothing of its row is open around it, and rows are by function, by function and module, or
 * by module: hence three kinds, a bit of enum out_enclosing each. One walk over the tree counts how often each
 * function, module and pair of them is open on the path to where the walk stands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/load.h"

/* The kinds of thing that may be open around a context, in the order of the bits of enum out_enclosing. */
enum { KINDS = OUT_ENCLOSING_STAGE_SHIFT };

/* One thing that may be open around a context: a function, say, on the whole path (stage FMT_NONE) or in one stage. */
struct value {
  uint32_t kind, stage;
  uint32_t what; /* a function, a pair (walk.pair_of) or a module's label, as the kind says */
};

/* A walk of the contexts from `first` on: for each, its first child and next sibling; how often each function, each
 * module and each pair of them is open on the path to where the walk stands. */
struct walk {
  struct out_profile *profile;
  uint32_t first, count;                   /* contexts */
  uint32_t first_callable, callable_count; /* those of the recording with these contexts */
  uint32_t *child, *sibling;               /* by context - first, numbers of contexts; FMT_NONE at the end */
  struct out_idset pair_set;               /* callables by (function, module label) */
  uint32_t *pair_of;              /* by callable - first_callable: the first one with the same function and module */
  struct base_vector values;      /* struct value */
  struct out_idset value_set;     /* of values */
  struct base_vector open;        /* uint32_t by value: how often it is open */
  uint32_t (*of_callable)[KINDS]; /* by callable - first_callable: its values in the whole path */
};

struct pair_key {
  uint32_t function, label;
};

static bool equal_pair(const void *owner, uint32_t number, const void *key)
{
  const struct out_callable *callable = out_profile_callable(owner, number);
  const struct pair_key *wanted = key;
  return callable->function == wanted->function && out_profile_label(owner, callable->module) == wanted->label;
}

static int find_pairs(struct walk *walk)
{
  for (uint32_t i = 0; i < walk->callable_count; i++) {
    uint32_t number = walk->first_callable + i;
    const struct out_callable *callable = out_profile_callable(walk->profile, number);
    struct pair_key key = {.function = callable->function, .label = out_profile_label(walk->profile, callable->module)};
    uint64_t hash = out_hash_mix(key.function, key.label);
    walk->pair_of[i] = out_idset_find(&walk->pair_set, hash, walk->profile, &key, equal_pair);
    if (walk->pair_of[i] == FMT_NONE) {
      walk->pair_of[i] = number;
      int result = out_idset_add(&walk->pair_set, hash, number);
      if (result < 0)
        return result;
    }
  }
  return 0;
}

static bool equal_value(const void *owner, uint32_t number, const void *key)
{
  return memcmp(base_vector_at(&((const struct walk *)owner)->values, number), key, sizeof(struct value)) == 0;
}

static int intern_value(struct walk *walk, const struct value *value, uint32_t *number)
{
  uint64_t hash = out_hash_mix(out_hash_mix(value->kind, value->stage), value->what);
  *number = out_idset_find(&walk->value_set, hash, walk, value, equal_value);
  if (*number != FMT_NONE)
    return 0;
  struct value *added = base_vector_add(&walk->values, 1);
  if (!added || !base_vector_add(&walk->open, 1))
    return -ENOMEM;
  *added = *value;
  *number = walk->values.count - 1;
  return out_idset_add(&walk->value_set, hash, *number);
}

/* The values of a callable in `stage`, or FMT_NONE for the whole path. */
static int find_values(struct walk *walk, uint32_t number, uint32_t stage, uint32_t values[KINDS])
{
  const struct out_callable *callable = out_profile_callable(walk->profile, number);
  const uint32_t what[KINDS] = {callable->function, walk->pair_of[number - walk->first_callable],
                                out_profile_label(walk->profile, callable->module)};
  int result = 0;
  for (uint32_t kind = 0; kind < KINDS && result == 0; kind++) {
    struct value value = {.kind = kind, .stage = stage, .what = what[kind]};
    result = intern_value(walk, &value, &values[kind]);
  }
  return result;
}

static int allocate(struct walk *walk)
{
  size_t contexts = walk->count + 1u, callables = walk->callable_count + 1u;
  walk->child = malloc(contexts * sizeof *walk->child);
  walk->sibling = malloc(contexts * sizeof *walk->sibling);
  walk->pair_of = malloc(callables * sizeof *walk->pair_of);
  walk->of_callable = calloc(callables, sizeof *walk->of_callable);
  if (!walk->child || !walk->sibling || !walk->pair_of || !walk->of_callable)
    return -ENOMEM;
  memset(walk->child, 0xFF, contexts * sizeof *walk->child);
  int result = find_pairs(walk);
  for (uint32_t i = 0; i < walk->callable_count && result == 0; i++)
    result = find_values(walk, walk->first_callable + i, FMT_NONE, walk->of_callable[i]);
  return result;
}

static void release(struct walk *walk)
{
  free(walk->child);
  free(walk->sibling);
  free(walk->pair_of);
  free(walk->of_callable);
  base_vector_free(&walk->values);
  base_vector_free(&walk->open);
  out_idset_free(&walk->pair_set);
  out_idset_free(&walk->value_set);
}

static uint32_t link_children(struct walk *walk)
{
  uint32_t root = FMT_NONE;
  for (uint32_t i = walk->count; i-- > 0;) {
    uint32_t parent = out_profile_context(walk->profile, walk->first + i)->parent;
    uint32_t *list = parent == FMT_NONE ? &root : &walk->child[parent - walk->first];
    walk->sibling[i] = *list;
    *list = walk->first + i;
  }
  return root;
}

/* Opens the values once more (`step` 1), or closes them (-1). The bits of those that were open before. */
static uint32_t step_values(struct walk *walk, const uint32_t values[KINDS], int step)
{
  uint32_t enclosing = 0;
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    uint32_t *open = base_vector_at(&walk->open, values[kind]);
    enclosing |= *open ? 1u << kind : 0u;
    *open += (uint32_t)step;
  }
  return enclosing;
}

/* Notes what encloses the context when the walk comes to it, with `step` 1, and forgets it again with -1. */
static int visit(struct walk *walk, uint32_t number, int step)
{
  struct out_context *context = out_profile_context(walk->profile, number);
  if (context->callable == FMT_NONE)
    return 0;
  uint32_t enclosing = step_values(walk, walk->of_callable[context->callable - walk->first_callable], step);
  uint32_t in_stage = enclosing;
  if (context->stage) {
    uint32_t values[KINDS];
    int result = find_values(walk, context->callable, context->stage, values);
    if (result < 0)
      return result;
    in_stage = step_values(walk, values, step);
  }
  if (step > 0)
    context->enclosing = enclosing | in_stage << OUT_ENCLOSING_STAGE_SHIFT;
  return 0;
}

static int enter(struct walk *walk, uint32_t number)
{
  const struct out_profile *profile = walk->profile;
  struct out_context *context = out_profile_context(profile, number);
  uint32_t *order = base_vector_add(&walk->profile->preorder, 1);
  if (!order)
    return -ENOMEM;
  *order = number;
  context->stage = context->parent == FMT_NONE ? 0 : out_profile_context(profile, context->parent)->stage;
  if (context->callable != FMT_NONE && out_profile_callable(profile, context->callable)->stage)
    context->stage = out_profile_callable(profile, context->callable)->stage;
  return visit(walk, number, 1);
}

/* Depth first without a stack: a context knows its parent. */
static int walk_tree(struct walk *walk, uint32_t root)
{
  uint32_t at = root;
  int result = 0;
  while (at != FMT_NONE && result == 0) {
    result = enter(walk, at);
    if (result < 0)
      return result;
    uint32_t next = walk->child[at - walk->first];
    while (next == FMT_NONE && at != FMT_NONE && result == 0) {
      result = visit(walk, at, -1);
      next = walk->sibling[at - walk->first];
      at = out_profile_context(walk->profile, at)->parent;
    }
    at = next;
  }
  return result;
}

int out_load_enclosing(struct out_profile *profile, uint32_t first, uint32_t first_callable)
{
  struct walk walk = {.profile = profile,
                      .first = first,
                      .count = profile->contexts.count - first,
                      .first_callable = first_callable,
                      .callable_count = profile->callables.count - first_callable,
                      .values = BASE_VECTOR_OF(struct value),
                      .open = BASE_VECTOR_OF(uint32_t)};
  int result = allocate(&walk);
  if (result == 0)
    result = walk_tree(&walk, link_children(&walk));
  release(&walk);
  return result;
}
