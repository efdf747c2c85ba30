/*
 * What callers put in argument registers, where the compiler says so (DW_TAG_call_site_parameter): it answers
 * CS_OP_ENTRY.
 *
 * Only calls whose machine instruction leads to one known function count, and only functions that make no tail call but
 * the exit hook's: a function that jumps elsewhere can be entered again under the same return address with other
 * arguments.
 */
#ifndef CALLSIG_SYMBOLS_CALLSITES_H
#define CALLSIG_SYMBOLS_CALLSITES_H

#include "instances.h"
#include "vector.h"

struct cs_call_sites {
  struct cs_vector sites;  /* struct cs_index_call_site, ascending by pc; `physical` is the number of a range */
  struct cs_vector values; /* struct cs_index_call_value */
  uint16_t *told; /* by range: a bit for each register that some caller tells of the function that begins there */
};

/* What callers tell of the instrumented functions: of the ranges for which `is_wanted` holds, one entry for each of
 * instances->ranges. `calls` must be freed, also after an error. -ENOMEM. */
int cs_call_sites_find(struct cs_call_sites *calls, const struct cs_debugfile *file, const struct cs_hook *hook,
                       const struct cs_instances *instances, const bool *is_wanted);
void cs_call_sites_free(struct cs_call_sites *calls);

/* Leaves the values of those registers alone whose bit `asked` has, by range: what sites ask for. -ENOMEM. */
int cs_call_sites_keep(struct cs_call_sites *calls, const uint16_t *asked);

#endif
