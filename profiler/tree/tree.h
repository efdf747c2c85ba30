/*
 * The calling-context tree: functions, signatures, contexts, their nodes and the edges between them.
 */
#ifndef CALLSIG_PROFILER_TREE_TREE_H
#define CALLSIG_PROFILER_TREE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/base/tree_store.h"
#include "profiler/tree/fast_compare.h"

/* Makes an empty tree with its thread record, which is not linked into header.first_thread yet. 0 or -ENOSPC/-ENOMEM.
 */
int prof_tree_init(struct prof_tree *tree, uint32_t tid);
/* Links tree->record into header.first_thread. */
void prof_tree_publish(struct prof_tree *tree);

/* Edges into one context; beyond them the caller's signature merges. */
#define PROF_EDGES_MAX 4096u

/* What an edge is made of. */
struct prof_edge_key {
  uint64_t site, function_address;
  struct fmt_rec_function *function;
  const uint64_t *words;
  uint32_t word_count;
  uint32_t signature_flags;
  struct fmt_rec_context *context; /* the callee's, NULL: follows from the caller's */
  uint32_t flags;                  /* the edge's, beside those that follow from the path when `context` is NULL */
  uint32_t cfa;
  struct prof_fast_compare *compare;
  bool generic;   /* never on the fast path */
  bool is_wait;   /* what calls waited is told when they have ended, and how much of it they slept */
  bool call_site; /* the last word is where the call was made, and no part of the signature */
};

/* Makes it the key of the edge that stands for such frames in a forked child (FMT_EDGE_INHERITED): calls at the same
 * site have another. */
void prof_edge_key_inherit(struct prof_edge_key *key);
/* The words of a key that is to be like that of `edge`, of a signature that is or is like its own: those of the
 * signature, and then the place of its calls, if it is known. In `words`, which has room for one more than the
 * signature has, or in the signature itself. */
const uint64_t *prof_edge_words(const struct fmt_rec_edge *edge, const struct fmt_rec_signature *signature,
                                uint64_t *words);
/* The edge that stands for frames of `edge`, one of the tree that is not such a one itself, which go on and are no
 * calls; made when new. `words`: room for one more than its signature has. NULL: no space. */
struct fmt_rec_edge *prof_edge_inherited(struct prof_tree *tree, const struct fmt_rec_edge *edge, uint64_t *words);

/* The function of the tree, or NULL. Anywhere. */
struct fmt_rec_function *prof_tree_function_find(const struct prof_tree *tree, uint64_t module, uint32_t kind,
                                                 uint32_t function, uint64_t address);
/* The same, made when new. NULL: no space. */
struct fmt_rec_function *prof_tree_function(struct prof_tree *tree, uint64_t module, uint32_t kind, uint32_t function,
                                            uint64_t address);
struct fmt_rec_context *prof_context_of(struct prof_tree *tree, struct fmt_rec_context *parent,
                                        struct fmt_rec_function *function);
struct fmt_rec_signature *prof_signature_find(const struct prof_tree *tree, const struct fmt_rec_function *function,
                                              const uint64_t *words, uint32_t count, uint32_t flags);

/* The node of the context with this signature (the recording calls it a variant), made when new. NULL: no space. */
struct fmt_rec_variant *prof_tree_cct_node(struct prof_tree *tree, struct fmt_rec_context *context,
                                           const uint64_t *words, uint32_t count, uint32_t flags);

/* Anywhere. */
struct fmt_rec_edge *prof_edge_find(const struct prof_tree *tree, const struct fmt_rec_variant *from, uint64_t site,
                                    uint64_t function_address, const uint64_t *words, uint32_t count);
/* Has prof_edge_find() find the edge, which has no words and is not in the recording (bounds.h). False: no memory. */
bool prof_edge_add_stand_in(struct prof_tree *tree, struct fmt_rec_edge *edge);
struct fmt_rec_edge *prof_edge_make(struct prof_tree *tree, struct fmt_rec_variant *from,
                                    const struct prof_edge_key *key);
/* The edge with this key from `from`, made when new. NULL: no space. */
struct fmt_rec_edge *prof_edge_find_or_make(struct prof_tree *tree, struct fmt_rec_variant *from,
                                            const struct prof_edge_key *key);

#endif
