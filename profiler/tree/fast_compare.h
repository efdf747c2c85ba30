/*
 * What a tree knows of a probe site, and what the fast path compares there.
 */
#ifndef CALLSIG_PROFILER_TREE_FAST_COMPARE_H
#define CALLSIG_PROFILER_TREE_FAST_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "profiler/base/tree_store.h"
#include "profiler/module/site.h"
#include "profiler/stack/modes.h"
#include "profiler/tree/edge_codes.h"
#include "profiler/tree/sampling.h"

/* One argument: the fast path compares what the call passes with the edge's word. */
struct prof_fast_compare_op {
  uint8_t kind;  /* PROF_COMPARE_* */
  uint8_t reg;   /* DWARF number */
  uint8_t shift; /* 64 - 8 * size */
  uint8_t flags;
  int32_t offset;
};

/* Ops of a comparison that is probed (edge_probe.h): a signature of more args takes the generic path. */
#define PROF_PROBE_OPS 16u

/* So many ops can be told apart by whether they are NULL; those behind them are compared all the same. */
#define PROF_COMPARE_NULLS 32u

/* What a tree knows of a site, at one level of widening of its function. An edge's site_info is the one that it was
 * made with. The first three fields and the ops have offsets in asm_offsets.h. In the tree's arena. */
struct prof_fast_compare {
  uint64_t *active; /* &function->active */
  uint32_t count;   /* ops; 0 when the site has no arguments, or is not `fast` */
  uint32_t words;   /* bytes from an edge to the word of the first op */
  const struct prof_site *site;
  struct fmt_rec_function *function; /* NULL: no call of the site was recorded in this tree */
  uint32_t widened;                  /* function->widenings when this was made: another by now means it is outdated */
  bool arguments : 1;                /* signatures are recorded */
  bool call_site : 1;                /* the last word of its edges is the place of the call: FMT_EDGE_CALL_SITE */
  bool fast : 1;                     /* ops[] says all there is to compare */
  bool registers : 1;                /* all of it is PROF_COMPARE_REG, in 1 to PROF_PROBE_OPS ops */
  bool loads : 1;                    /* PROF_COMPARE_LOAD is among it, so that a call may have fewer words */
  bool texts : 1;                    /* PROF_COMPARE_TEXT is, so that it may have any number of them */
  uint16_t number;                   /* of the code of the site that compares the same; 0: none does */
  uint16_t compared; /* words of an edge that ops[] compares: a signature whose args are read has no more */
  uint16_t probed;   /* ops that a probe runs: `count`, or with PROF_COMPARE_PROGRAM among them; 0: there is no probe */
  uint64_t return_pc; /* for calls that return there alone, 0 for all: see prof_site.uses_entry */
  /* One bit each of the first PROF_COMPARE_NULLS ops: pointers that have been NULL in a call that was new, and that
   * have not. */
  uint32_t was_null, was_set;
  struct prof_fast_compare_op ops[];
};

/* Words that a call has in its edge before those of args that are read. */
static inline uint32_t prof_compare_state_words(const struct prof_fast_compare *compare)
{
  return compare->arguments ? compare->site->state_words : 0;
}

/* The state words of a signature of a comparison with PROF_COMPARE_PROGRAM, but for what those programs set; of one
 * with PROF_COMPARE_TEXT, those of a call all of whose args are read. */
static inline uint64_t *prof_compare_states(struct prof_fast_compare *compare)
{
  return (uint64_t *)(compare->ops + compare->probed);
}

/* What the edge was made with; NULL for the root's edge, an action's and a task's. Anywhere. */
static inline struct prof_fast_compare *prof_edge_fast_compare(const struct fmt_rec_edge *edge)
{
  return (struct prof_fast_compare *)edge->site_info;
}

/* Are these words of a call, `count` of them, all that the ops of the comparison compare, so that code may? Anywhere.
 */
bool prof_compare_says_all(struct prof_fast_compare *compare, const uint64_t *words, uint32_t count);

/* The ops, one bit each, whose pointers are NULL in some calls and not in others: the code of the site looks for an
 * edge by these, too. Anywhere. */
static inline uint32_t prof_fast_compare_nulls(const struct prof_fast_compare *compare)
{
  return compare->was_null & compare->was_set;
}

/* Are its calls made at this address? While a module is being unloaded, edges of those that may be have another word in
 * `site`. Anywhere. */
static inline bool prof_edge_is_at(const struct fmt_rec_edge *edge, uint64_t pc)
{
  const struct prof_fast_compare *compare = prof_edge_fast_compare(edge);
  return compare && !(edge->flags & FMT_EDGE_INHERITED) ? compare->site->pc == pc : edge->site == pc;
}

/* Sets the edge's mode by its flags, its comparison and whether it is active. Anywhere. */
static inline void prof_edge_set_mode(struct fmt_rec_edge *edge, bool active)
{
  const struct prof_fast_compare *compare = prof_edge_fast_compare(edge);
  const bool is_apart = !active && prof_sampling_spares_outermost(edge), is_generic = edge->flags & FMT_EDGE_GENERIC;
  uint32_t mode = active ? PROF_MODE_RECURSION : edge->flags & FMT_EDGE_BACK ? PROF_MODE_BACK : PROF_MODE_PLAIN;
  if (is_generic)
    mode = PROF_MODE_NEVER;
  else if (compare && compare->count)
    mode |= PROF_MODE_OPS;
  if (compare && !is_generic)
    mode |= (uint32_t)compare->number << PROF_MODE_CODE_SHIFT;
  if (mode >> PROF_MODE_CODE_SHIFT && edge->flags & (FMT_EDGE_MODULE | FMT_EDGE_STAGE_MODULE))
    mode |= PROF_MODE_MODULE;
  const bool looks = !active && edge->flags & FMT_EDGE_LOOKS;
  if ((is_apart || looks) && !is_generic)
    mode |= PROF_MODE_APART;
  if (!is_apart && prof_edge_is_sampled(edge))
    mode |= PROF_MODE_SAMPLED;
  edge->mode = mode | (edge->mode & PROF_MODE_OWNING);
}

/* The newest comparison of the probe site `pc`, whose module is loaded, for this function and this return address of
 * its calls (0: any), or NULL. Anywhere. */
struct prof_fast_compare *prof_fast_compare_find(const struct prof_tree *tree, uintptr_t pc, uintptr_t function_address,
                                                 uintptr_t return_pc);
/* The newest comparison of the sled whose call returns to `pc`, or NULL: a sled has one function. Anywhere. */
struct prof_fast_compare *prof_fast_compare_at(const struct prof_tree *tree, uintptr_t pc);
/* What stands for the comparison of a site of which no call is recorded, made when new: it has no `function`, and
 * compares nothing. NULL: no memory. */
struct prof_fast_compare *prof_fast_compare_note(struct prof_tree *tree, const struct prof_site *site);
/* Notes that calls of this excluded site, and exits of its function, are not recorded. False: no memory. */
bool prof_fast_compare_exclude(struct prof_tree *tree, const struct prof_site *site);
/* Notes which of its pointers are NULL in calls of the edge, which is compared so. In a slow section. */
void prof_fast_compare_note_nulls(struct prof_fast_compare *compare, const struct fmt_rec_edge *edge);
/* The comparison of a site in this tree, made when new; for a site that uses_entry, of its calls that return to
 * `return_pc` (else and where that is unknown 0). NULL when there is no space. */
struct prof_fast_compare *prof_fast_compare_of(struct prof_tree *tree, const struct prof_site *site,
                                               uintptr_t return_pc);

#endif
