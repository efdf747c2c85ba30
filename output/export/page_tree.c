/* Writes the tree of stacks: frames, and nodes in preorder with their own calls and time. */
#include "output/export/page_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "output/export/export_stacks.h"

struct writer {
  struct out_page_identities *identities;
  struct out_page_block *block;
  struct out_stacks stacks;
  uint64_t *own, *calls;   /* by node: its own, in ticks */
  uint64_t *weight;        /* by node: ticks with all below it */
  bool *is_kept;           /* by node */
  uint32_t *frame_numbers; /* by frame: its number in the page, 0 for one that no kept node has */
};

static int sum_up(struct writer *writer)
{
  const struct out_stacks *stacks = &writer->stacks;
  const size_t count = stacks->nodes.count + (size_t)1;
  writer->own = calloc(count, sizeof *writer->own);
  writer->calls = calloc(count, sizeof *writer->calls);
  writer->weight = calloc(count, sizeof *writer->weight);
  writer->is_kept = calloc(count, sizeof *writer->is_kept);
  if (!writer->own || !writer->calls || !writer->weight || !writer->is_kept)
    return -ENOMEM;
  for (uint32_t i = 0; i < stacks->list.count; i++) {
    const struct out_stack *stack = out_stacks_at(stacks, i);
    writer->own[stack->node] += stack->own;
    writer->calls[stack->node] += stack->calls;
  }
  /* A parent stands before its children. */
  for (uint32_t i = stacks->nodes.count; i-- > 0;) {
    writer->weight[i] += writer->own[i];
    if (i > 0)
      writer->weight[out_stacks_node(stacks, i)->parent] += writer->weight[i];
  }
  return 0;
}

static int compare_weights(const void *left, const void *right)
{
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a > b ? -1 : a < b;
}

/* No node weighs more than its caller: so what is kept hangs together. */
static int choose(struct writer *writer, uint32_t most)
{
  const uint32_t count = writer->stacks.nodes.count;
  uint64_t least = 0;
  if (count > most) {
    uint64_t *weights = malloc(count * sizeof *weights);
    if (!weights)
      return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
      weights[i] = writer->weight[i];
    qsort(weights, count, sizeof *weights, compare_weights);
    least = weights[most] + 1;
    free(weights);
  }
  for (uint32_t i = 0; i < count; i++)
    writer->is_kept[i] = i == 0 || writer->weight[i] >= least;
  return 0;
}

static void put_frame(struct writer *writer, uint32_t number)
{
  const struct out_frames *frames = &writer->stacks.frames;
  const struct out_profile *profile = &writer->identities->stats->profile;
  const struct out_frame *frame = out_frames_at(frames, number);
  const struct out_known_function *function = out_frame_function(frames, number);
  struct out_page_block *block = writer->block;
  out_page_number(block, out_page_text(block, writer->stacks.texts.list[number]));
  const uint32_t known = function ? (uint32_t)(function - out_profile_function(profile, 0)) : 0;
  out_page_number(block, function ? out_page_function(writer->identities, known) + 1u : 0);
  const bool has_signature = frame->kind == OUT_FRAME_SIGNATURE;
  out_page_number(block, has_signature ? out_page_signature(writer->identities, frame->key.what) : 0);
  const uint32_t module = frame->key.module;
  out_page_number(block, module == FMT_NONE ? 0 : out_page_text(block, out_profile_string(profile, module)) + 1u);
}

/* The frames of nodes that are kept, numbered from 1 as they are met. */
static int put_frames(struct writer *writer)
{
  const struct out_stacks *stacks = &writer->stacks;
  uint32_t count = 0;
  writer->frame_numbers = calloc(stacks->frames.list.count + (size_t)1, sizeof *writer->frame_numbers);
  uint32_t *met = malloc((stacks->frames.list.count + (size_t)1) * sizeof *met);
  if (!writer->frame_numbers || !met) {
    free(met);
    return -ENOMEM;
  }
  for (uint32_t i = 1; i < stacks->nodes.count; i++) {
    const uint32_t frame = out_stacks_node(stacks, i)->frame;
    if (!writer->is_kept[i] || writer->frame_numbers[frame])
      continue;
    met[count++] = frame;
    writer->frame_numbers[frame] = count;
  }
  out_page_number(writer->block, count);
  for (uint32_t i = 0; i < count; i++)
    put_frame(writer, met[i]);
  free(met);
  return 0;
}

/* The calls and ticks of everything below a node that is not kept, itself included. */
static void put_left_out(struct writer *writer, uint32_t node, uint32_t *count)
{
  const struct out_stacks *stacks = &writer->stacks;
  uint64_t calls = 0, own = 0, nodes = 0;
  const uint32_t end = out_stacks_node(stacks, node)->end;
  for (uint32_t i = node + 1; i < end;) {
    const struct out_stack_node *child = out_stacks_node(stacks, i);
    for (uint32_t j = i; j < child->end && !writer->is_kept[i]; j++) {
      calls += writer->calls[j];
      own += writer->own[j];
      nodes++;
    }
    i = child->end;
  }
  if (nodes == 0)
    return;
  out_page_number(writer->block, out_stacks_node(stacks, node)->depth + 1u);
  out_page_number(writer->block, 0);
  out_page_number(writer->block, calls);
  out_page_number(writer->block, own);
  out_page_number(writer->block, nodes);
  ++*count;
}

/* Nodes in preorder, below the root, each with its depth, and frames counted from 1: 0 is what was left out. Ends with
 * a depth of 0. */
static void put_nodes(struct writer *writer)
{
  const struct out_stacks *stacks = &writer->stacks;
  uint32_t count = 0;
  for (uint32_t i = 0; i < stacks->nodes.count; i++) {
    const struct out_stack_node *node = out_stacks_node(stacks, i);
    if (!writer->is_kept[i])
      continue;
    if (i > 0) {
      out_page_number(writer->block, node->depth);
      out_page_number(writer->block, writer->frame_numbers[node->frame]);
      out_page_number(writer->block, writer->calls[i]);
      out_page_number(writer->block, writer->own[i]);
      count++;
    }
    put_left_out(writer, i, &count);
  }
  out_page_number(writer->block, 0);
  out_page_number(writer->block, count);
}

int out_page_tree(struct out_page_identities *identities, uint32_t most)
{
  const struct out_stack_shape shape = {.modules = true};
  struct callsig_stats *stats = identities->stats;
  struct writer writer = {.identities = identities, .block = identities->block};
  int result = out_stacks_make(stats, &shape, &writer.stacks);
  if (result < 0)
    return result;
  result = sum_up(&writer);
  if (result == 0)
    result = choose(&writer, most);
  if (result == 0) {
    out_page_section(writer.block, "tree");
    out_page_number(writer.block, stats->by & CALLSIG_BY_SIGNATURE ? 1 : 0);
    out_page_double(writer.block, stats->grouping.tick);
    result = put_frames(&writer);
    if (result == 0)
      put_nodes(&writer);
    out_page_section_end(writer.block);
  }
  free(writer.own);
  free(writer.calls);
  free(writer.weight);
  free(writer.is_kept);
  free(writer.frame_numbers);
  out_stacks_free(&writer.stacks);
  return result;
}
