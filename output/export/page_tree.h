/*
 * The tree of a page: from whom to whom the time went, as icicles and sunbursts show it.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_PAGE_TREE_H
#define CALLSIG_OUTPUT_EXPORT_PAGE_TREE_H

#include "output/export/page_identities.h"

/* Adds a section of the stacks of the object as it is grouped. Of a tree of more than `most` nodes the smallest
 * subtrees are left out, and what they sum up to is a node of its own below the same caller. -ENOMEM. */
int out_page_tree(struct out_page_identities *identities, uint32_t most);

#endif
