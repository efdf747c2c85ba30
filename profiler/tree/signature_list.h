/*
 * The signatures of each function of a tree, apart from those of others: widening looks at all of a function's, and at
 * no others, of which a program may have a million.
 */
#ifndef CALLSIG_PROFILER_TREE_SIGNATURE_LIST_H
#define CALLSIG_PROFILER_TREE_SIGNATURE_LIST_H

#include <stdbool.h>

#include "format/recording.h"
#include "profiler/base/tree_store.h"

struct prof_signature_link {
  const struct prof_signature_link *next; /* an older one of the same function; NULL: none */
  const struct fmt_rec_signature *signature;
};

/* Adds a signature whose words were recorded. False when there is no memory. */
bool prof_signature_list_add(struct prof_tree *tree, const struct fmt_rec_function *function,
                             const struct fmt_rec_signature *signature);

/* The newest of a function; NULL when it has none. */
const struct prof_signature_link *prof_signature_list(const struct prof_tree *tree,
                                                      const struct fmt_rec_function *function);

#endif
