/* Interns the innermost functions around each context of the tree. */
#include "output/stats/callstack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void out_callstacks_free(struct out_callstacks *stacks)
{
  base_vector_free(&stacks->list);
  out_idset_free(&stacks->set);
  free(stacks->of_context);
  *stacks = (struct out_callstacks){0};
}

static bool equal_stack(const void *owner, uint32_t number, const void *key)
{
  const struct out_callstack *there = out_callstack_at(owner, number), *wanted = key;
  return there->function == wanted->function && there->outer == wanted->outer;
}

static int intern_stack(struct out_callstacks *stacks, const struct out_callstack *stack, uint32_t *number)
{
  uint64_t hash = out_hash_mix(stack->function, stack->outer);
  *number = out_idset_find(&stacks->set, hash, stacks, stack, equal_stack);
  if (*number != FMT_NONE)
    return 0;
  struct out_callstack *added = base_vector_add(&stacks->list, 1);
  if (!added)
    return -ENOMEM;
  *added = *stack;
  *number = stacks->list.count - 1;
  return out_idset_add(&stacks->set, hash, *number);
}

static int find_stack(const struct out_profile *profile, const uint32_t *shown_function, struct out_callstacks *stacks,
                      uint32_t context, uint32_t *number)
{
  uint32_t functions[OUT_CALLSTACK_MAX], count = 0;
  uint32_t at = out_profile_context(profile, context)->parent;
  while (at != FMT_NONE && count < stacks->frames) {
    const struct out_context *around = out_profile_context(profile, at);
    if (around->callable != FMT_NONE)
      functions[count++] = shown_function[out_profile_callable(profile, around->callable)->function];
    at = around->parent;
  }
  int result = 0;
  *number = 0;
  while (count > 0 && result == 0) {
    struct out_callstack stack = {.function = functions[--count], .outer = *number};
    result = intern_stack(stacks, &stack, number);
  }
  return result;
}

int out_callstacks_make(const struct out_profile *profile, const uint32_t *shown_function, unsigned frames,
                        struct out_callstacks *stacks)
{
  *stacks = (struct out_callstacks){.frames = frames, .list = BASE_VECTOR_OF(struct out_callstack)};
  if (frames == 0)
    return 0;
  struct out_callstack *empty = base_vector_add(&stacks->list, 1);
  stacks->of_context = calloc(profile->contexts.count + 1u, sizeof *stacks->of_context);
  int result = empty && stacks->of_context ? 0 : -ENOMEM;
  if (empty)
    *empty = (struct out_callstack){.function = FMT_NONE};
  for (uint32_t i = 0; i < profile->preorder.count && result == 0; i++) {
    uint32_t context = *(uint32_t *)base_vector_at(&profile->preorder, i);
    result = find_stack(profile, shown_function, stacks, context, &stacks->of_context[context]);
  }
  if (result < 0)
    out_callstacks_free(stacks);
  return result;
}

int out_callstack_compare(const struct out_profile *profile, const struct out_callstacks *stacks, uint32_t left,
                          uint32_t right)
{
  while (left != right && left && right) {
    const struct out_callstack *one = out_callstack_at(stacks, left), *other = out_callstack_at(stacks, right);
    if (one->function != other->function) {
      const struct out_known_function *a = out_profile_function(profile, one->function),
                                      *b = out_profile_function(profile, other->function);
      int order = strcmp(out_profile_string(profile, a->file), out_profile_string(profile, b->file));
      if (order == 0)
        order = a->line < b->line ? -1 : a->line > b->line;
      if (order == 0)
        order = strcmp(out_profile_string(profile, a->name), out_profile_string(profile, b->name));
      if (order != 0)
        return order;
    }
    left = one->outer;
    right = other->outer;
  }
  return left == right ? 0 : left ? 1 : -1;
}
