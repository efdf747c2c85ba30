/*
 * A function's plan joined with where its parameters are at one probe site: the site's capture program.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_LOWER_H
#define CALLSIG_SYMBOLS_INDEX_LOWER_H

#include "base/vector.h"
#include "symbols/location/location.h"
#include "symbols/plan/plan.h"

/*
 * Appends the site's ops to `ops` (struct fmt_op). `instance` is the subprogram or inlined_subroutine entered there,
 * NULL when it is known but no instance of it holds the site: then everything is lost. `states` is given
 * plan->arg_count initial states (enum fmt_arg_state), `lost` as many reasons (enum sym_lost). -ENOMEM; -E2BIG for more
 * ops than a site can have.
 */
int sym_lower(const struct sym_location_context *context, const struct sym_plan *plan, Dwarf_Die *instance,
              struct base_vector *ops, uint8_t *states, uint8_t *lost);

#endif
