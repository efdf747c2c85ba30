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
#include "profiler/tree/edge_codes.h"

/* One argument of a plan: the fast path compares what the call passes with the edge's word. */
struct prof_plan_op {
  uint8_t kind;  /* PROF_PLAN_* of layout.h */
  uint8_t reg;   /* DWARF number */
  uint8_t shift; /* 64 - 8 * size */
  uint8_t flags;
  int32_t offset;
};

/* What a tree knows of a site, at one level of widening of its function. An edge's site_info is the plan it was made
 * with. The first four fields have offsets in layout.h. */
struct prof_plan {
  uint64_t *active; /* &function->active */
  uint32_t count;   /* ops; 0 when the site has no arguments, or is not `fast` */
  uint32_t words;   /* bytes from an edge to the word of the first op */
  const struct prof_site *site;
  struct fmt_rec_function *function;
  uint32_t widened;   /* function->widenings when the plan was made: another by now means it is outdated */
  bool arguments;     /* signatures are recorded */
  bool fast;          /* ops[] says all there is to compare */
  uint16_t compared;  /* words of an edge that ops[] compares: a signature whose args are read has no more */
  uint64_t return_pc; /* for calls that return there alone, 0 for all: see prof_site.uses_entry */
  struct prof_plan_op ops[];
};

/* The plan that the edge was made with; NULL for the root's edge, an action's and a task's. Anywhere. */
static inline struct prof_plan *prof_edge_plan(const struct fmt_rec_edge *edge)
{
  return (struct prof_plan *)edge->site_info;
}

/* The newest plan of the probe site `pc` for this function and this return address of its calls (0: any), or
 * NULL. Anywhere. */
struct prof_plan *prof_plan_find(const struct prof_tree *tree, uintptr_t pc, uintptr_t function_address,
                                 uintptr_t return_pc);
/* Notes that calls of this excluded site, and exits of its function, are not recorded. False: no memory. */
bool prof_plan_exclude(struct prof_tree *tree, const struct prof_site *site);
/* The plan of a site in this tree, made when new; for a site that uses_entry, of its calls that return to `return_pc`
 * (else and where that is unknown 0). NULL when there is no space. */
struct prof_plan *prof_tree_plan(struct prof_tree *tree, const struct prof_site *site, uintptr_t return_pc);

#endif
