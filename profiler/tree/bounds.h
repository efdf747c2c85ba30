/*
 * The part of the call tree that is recorded: calls below functions with FMT_FUNCTION_TOP (`--below`), and at most so
 * deep (`--depth`).
 *
 * A call outside of it has no frame, as one that a filter leaves out, so that what it calls is a callee of the
 * innermost call that is recorded. Whether one lies outside is settled by its caller's context and its function, for
 * good; so an edge can stand for such calls: a stand-in, which leads nowhere (`to` is 0), is not in the recording, and
 * is what hooks find in the places of edges.
 */
#ifndef CALLSIG_PROFILER_TREE_BOUNDS_H
#define CALLSIG_PROFILER_TREE_BOUNDS_H

#include <stdbool.h>

#include "format/recording.h"
#include "profiler/base/process.h"
#include "profiler/base/tree_store.h"
#include "profiler/module/site.h"

/* Is only a part recorded? Anywhere. */
static inline bool prof_bounds_are_set(void)
{
  return prof_process.settings.below || prof_process.settings.depth;
}

/* Does a call from `from` at this site lie outside? Never so when its function is open: it counts where it was entered
 * first. Anywhere. */
bool prof_bounds_leave_out(const struct prof_tree *tree, const struct fmt_rec_variant *from,
                           const struct prof_site *site);
/* The edge that stands for such calls, or NULL. While its module's dlclose() is under way, or when the module has come
 * back, its `site` is not the site's. Anywhere. */
struct fmt_rec_edge *prof_bounds_stand_in(const struct prof_tree *tree, const struct fmt_rec_variant *from,
                                          const struct prof_site *site);
/* May more be made? Calls that none stands for are looked at each time. Anywhere. */
bool prof_bounds_more(const struct prof_tree *tree);
/* Makes it, or has hooks find the one that there is, as far as there is memory, and at least has them know the site.
 * In a slow section. */
void prof_bounds_make(struct prof_tree *tree, struct fmt_rec_variant *from, const struct prof_site *site);

#endif
