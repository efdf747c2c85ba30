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
  struct cs_vector sites;  /* struct cs_index_call_site, ascending by pc */
  struct cs_vector values; /* struct cs_index_call_value */
};

/* `wanted` has one entry for each of instances->ranges: a bit for each register whose entry value a site in the
 * function that begins there asks for. `physical` in the result is the number of the range. -ENOMEM. */
int cs_call_sites_find(struct cs_call_sites *calls, const struct cs_debugfile *file, const struct cs_hook *hook,
                       const struct cs_instances *instances, const uint16_t *wanted);
void cs_call_sites_free(struct cs_call_sites *calls);

#endif
