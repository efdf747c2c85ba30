/*
 * A function's plan joined with where its parameters are at one probe site: the site's capture program.
 */
#ifndef CALLSIG_SYMBOLS_LOWER_H
#define CALLSIG_SYMBOLS_LOWER_H

#include "location.h"
#include "plan.h"
#include "vector.h"

/*
 * Appends the site's ops to `ops` (struct cs_op). `instance` is the subprogram or inlined_subroutine entered there,
 * NULL when it is known but no instance of it holds the site: then everything is lost. `states` is given
 * plan->arg_count initial states (enum cs_arg_state), `lost` as many reasons (enum cs_lost). -ENOMEM; -E2BIG for more
 * ops than a site can have.
 */
int cs_lower(const struct cs_location_context *context, const struct cs_plan *plan, Dwarf_Die *instance,
             struct cs_vector *ops, uint8_t *states, uint8_t *lost);

#endif
