/*
 * What the names of a condition mean in one function.
 */
#ifndef CALLSIG_OUTPUT_STATS_EXPRESSION_BIND_H
#define CALLSIG_OUTPUT_STATS_EXPRESSION_BIND_H

#include "output/stats/expression_tree.h"

/* Where the path leads among the arguments of a layout; argument FMT_NONE when the function has no such argument.
 * Remembered in the node for as long as the layout stays the same. */
struct out_path_binding out_expression_bind(struct out_node *path, const struct out_profile *profile, uint32_t layout);

#endif
