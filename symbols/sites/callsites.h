/*
 * What callers put in argument registers, where the compiler says so (DW_TAG_call_site_parameter): it answers
 * FMT_OP_ENTRY.
 *
 * Only calls whose machine instruction leads to one known function count, and only functions that make no tail call but
 * the exit hook's: a function that jumps elsewhere can be entered again under the same return address with other
 * arguments.
 */
#ifndef CALLSIG_SYMBOLS_SITES_CALLSITES_H
#define CALLSIG_SYMBOLS_SITES_CALLSITES_H

#include "base/vector.h"
#include "format/index.h"
#include "symbols/dwarf/clone_calls.h"
#include "symbols/sites/instances.h"

struct sym_call_sites {
  struct base_vector sites;  /* struct fmt_index_call_site, ascending by pc; `physical` is the number of a range */
  struct base_vector values; /* struct fmt_index_call_value */
  struct sym_clone_calls clones;
  uint16_t *told; /* by range: a bit for each register that some caller tells of the function that begins there */
};

/* What callers tell of the instrumented functions: of the ranges for which `is_wanted` holds, one entry for each of
 * instances->ranges. `calls` must be freed, also after an error. -ENOMEM. */
int sym_call_sites_find(struct sym_call_sites *calls, const struct sym_debugfile *file, const struct sym_hook *hook,
                        const struct sym_instances *instances, const bool *is_wanted);
void sym_call_sites_free(struct sym_call_sites *calls);

/* Leaves the values of those registers alone whose bit `asked` has, by range: what sites ask for. -ENOMEM. */
int sym_call_sites_keep(struct sym_call_sites *calls, const uint16_t *asked);

#endif
