/*
 * Stacks: the calls of a recording as a tree of frames, for the formats that show where time was spent by whole paths.
 *
 * The recording's tree holds paths of functions, recursion folded to the ancestor, and counts by pairs: a caller with
 * its signature, a callee with its signature. So of the calls that a pair counts, the callee's and the caller's
 * signatures are known; the caller's own caller is known where all calls of the caller, with that signature on that
 * path, came from one; and so on upwards. Where several come into question the frame is the function with "(...)",
 * never one of them.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_EXPORT_STACKS_H
#define CALLSIG_OUTPUT_EXPORT_EXPORT_STACKS_H

#include "output/export/export_frames.h"

/* A frame on a path. Node 0 is the root, which is no frame. Nodes are in preorder, siblings by their texts: what is
 * below node i are the nodes from i + 1 to before its end. */
struct out_stack_node {
  uint32_t parent, frame; /* FMT_NONE for the root */
  uint32_t end, depth;    /* depth 0 for the root */
};

/* Calls that ended in one node, without the calls that they made. `key` is the number of what else they are told apart
 * by where that is apart from the frames: the signature's row (`what`), the stage, the thread, the process and the rank
 * of the innermost call; FMT_NONE for what they are not. */
struct out_stack {
  uint32_t node, key;
  uint64_t calls, own;
};

/* What stacks are told apart by. */
struct out_stack_shape {
  bool apart;      /* frames are functions; what else is known of the innermost call is the stack's key */
  bool modules;    /* frames of one function in two modules are two */
  uint32_t before; /* calls of so many recordings, the first ones, are subtracted from those of the others */
};

struct out_stacks {
  struct out_frames frames;
  struct base_vector nodes;      /* struct out_stack_node */
  struct base_vector list;       /* struct out_stack, each of calls; none twice; by node */
  struct base_vector keys;       /* struct out_row_key, one a stack; none unless apart from the frames */
  uint64_t calls, own;           /* sums */
  uint64_t less_calls, less_own; /* what stacks were below 0 by when others were subtracted: they count as 0 */
  struct out_frame_texts texts;
};

/* Makes the stacks of all selected calls of a grouped object. 0 or -ENOMEM. Free with out_stacks_free(). */
int out_stacks_make(struct callsig_stats *stats, const struct out_stack_shape *shape, struct out_stacks *stacks);
void out_stacks_free(struct out_stacks *stacks);

/* Makes the frames' texts and puts nodes and stacks in their order, once all are there: a part of out_stacks_make(). 0
 * or -ENOMEM. */
int out_stacks_arrange(struct out_stacks *stacks);

static inline const struct out_stack_node *out_stacks_node(const struct out_stacks *stacks, uint32_t number)
{
  return base_vector_at(&stacks->nodes, number);
}

static inline const struct out_row_key *out_stacks_key(const struct out_stacks *stacks, const struct out_stack *stack)
{
  return base_vector_at(&stacks->keys, stack->key);
}

static inline const struct out_stack *out_stacks_at(const struct out_stacks *stacks, uint32_t number)
{
  return base_vector_at(&stacks->list, number);
}

#endif
