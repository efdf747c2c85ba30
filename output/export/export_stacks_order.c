/* Stacks in the order in which they are written: nodes in preorder, siblings by their texts, stacks by their nodes. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export.h"
#include "output/export/export_stacks.h"

static int compare_texts(const void *left, const void *right, void *data)
{
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  char **texts = data;
  int order = strcmp(texts[a], texts[b]);
  return order ? order : a < b ? -1 : a > b;
}

/* For each frame its place among all frames by text. NULL: -ENOMEM. */
static uint32_t *rank_frames(struct out_stacks *stacks)
{
  uint32_t count = stacks->frames.list.count;
  uint32_t *order = malloc((count + 1u) * sizeof *order), *ranks = malloc((count + 1u) * sizeof *ranks);
  if (!order || !ranks) {
    free(order);
    free(ranks);
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  qsort_r(order, count, sizeof *order, compare_texts, stacks->texts.list);
  for (uint32_t i = 0; i < count; i++)
    ranks[order[i]] = i;
  free(order);
  return ranks;
}

struct node_order {
  const struct out_stacks *stacks;
  const uint32_t *ranks;
};

/* Deeper nodes first, then by parent and text: a node comes before its parent. */
static int compare_nodes(const void *left, const void *right, void *data)
{
  const struct node_order *order = data;
  const struct out_stack_node *a = out_stacks_node(order->stacks, *(const uint32_t *)left);
  const struct out_stack_node *b = out_stacks_node(order->stacks, *(const uint32_t *)right);
  if (a->depth != b->depth)
    return a->depth > b->depth ? -1 : 1;
  if (a->parent != b->parent)
    return a->parent < b->parent ? -1 : 1;
  return order->ranks[a->frame] < order->ranks[b->frame] ? -1 : 1;
}

/* The preorder: sizes of subtrees from the deepest up, then places from the root down. `place` is by node. */
static int place_nodes(struct out_stacks *stacks, const uint32_t *ranks, uint32_t *order, uint32_t *size,
                       uint32_t *place)
{
  struct node_order by_depth = {.stacks = stacks, .ranks = ranks};
  uint32_t count = stacks->nodes.count;
  for (uint32_t i = 0; i < count; i++) {
    order[i] = i;
    size[i] = 1;
  }
  qsort_r(order + 1, count - 1, sizeof *order, compare_nodes, &by_depth);
  for (uint32_t i = 1; i < count; i++)
    size[out_stacks_node(stacks, order[i])->parent] += size[order[i]];
  /* From the last of the order, which is the shallowest: the last child first, so that places are given from behind. */
  uint32_t *behind = malloc(count * sizeof *behind); /* by node: one past the place of its next child to be placed */
  if (!behind)
    return -ENOMEM;
  place[0] = 0;
  behind[0] = size[0];
  for (uint32_t i = count; i-- > 1;) {
    uint32_t node = order[i], parent = out_stacks_node(stacks, node)->parent;
    place[node] = behind[parent] - size[node];
    behind[parent] = place[node];
    behind[node] = place[node] + size[node];
  }
  free(behind);
  return 0;
}

static int compare_stacks(const void *left, const void *right, void *data)
{
  const struct out_stack *a = left, *b = right;
  if (a->node != b->node)
    return a->node < b->node ? -1 : 1;
  if (a->key == b->key)
    return 0;
  const struct out_row_key *first = out_stacks_key(data, a), *second = out_stacks_key(data, b);
  const uint32_t one[] = {first->what, first->stage, first->thread, first->process,
                          first->rank, first->place, first->module};
  const uint32_t other[] = {second->what, second->stage, second->thread, second->process,
                            second->rank, second->place, second->module};
  for (size_t i = 0; i < sizeof one / sizeof one[0]; i++) {
    if (one[i] != other[i])
      return one[i] < other[i] ? -1 : 1;
  }
  /* An order of all of them, whatever keeps keys apart: else it would be qsort()'s. */
  return a->key < b->key ? -1 : 1;
}

/* Nodes into their preorder. `places` are three arrays by node. */
static int renumber(struct out_stacks *stacks, const uint32_t *ranks, uint32_t *arrays)
{
  uint32_t count = stacks->nodes.count;
  uint32_t *order = arrays, *size = arrays + count, *place = arrays + 2 * (size_t)count;
  int result = place_nodes(stacks, ranks, order, size, place);
  if (result < 0)
    return result;
  for (uint32_t i = 0; i < count; i++) {
    struct out_stack_node *node = base_vector_at(&stacks->nodes, i);
    node->parent = node->parent == FMT_NONE ? FMT_NONE : place[node->parent];
    node->end = place[i] + size[i];
    order[place[i]] = i;
  }
  result = out_export_permute(&stacks->nodes, order);
  if (result < 0)
    return result;
  for (uint32_t i = 0; i < stacks->list.count; i++) {
    struct out_stack *stack = base_vector_at(&stacks->list, i);
    stack->node = place[stack->node];
  }
  if (stacks->list.count > 0)
    qsort_r(stacks->list.data, stacks->list.count, stacks->list.entry_size, compare_stacks, stacks);
  return 0;
}

int out_stacks_arrange(struct out_stacks *stacks)
{
  int result = out_frame_texts_make(&stacks->frames, &stacks->texts);
  uint32_t *ranks = result == 0 ? rank_frames(stacks) : NULL;
  uint32_t *arrays = malloc(3 * (size_t)stacks->nodes.count * sizeof *arrays);
  result = ranks && arrays ? renumber(stacks, ranks, arrays) : -ENOMEM;
  free(ranks);
  free(arrays);
  return result;
}
