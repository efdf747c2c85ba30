/*
 * What the names of a condition mean in one function.
 */
#ifndef CALLSIG_OUTPUT_EXPRESSION_BIND_H
#define CALLSIG_OUTPUT_EXPRESSION_BIND_H

#include "expression_tree.h"

/* Where the path leads among the arguments of a layout; argument CS_NONE when the function has no such argument.
 * Remembered in the node for as long as the layout stays the same. */
struct cs_path_binding cs_expression_bind(struct cs_node *path, const struct cs_profile *profile, uint32_t layout);

#endif
