/*
 * Which numbers among a function's arguments its time may follow.
 */
#ifndef CALLSIG_OUTPUT_SCALING_ROLES_H
#define CALLSIG_OUTPUT_SCALING_ROLES_H

#include "output/scaling/analysis.h"

/* Finds the role of every argument for those of the finding's rows that are `asked`, and the candidates with their
 * names. Each of these has values enough for a law in the rows that all of them are known in. 0 or -ENOMEM. */
int out_scaling_roles(struct out_scaling_analysis *analysis, struct out_scaling_finding *finding, const bool *asked);

/* Has the roles of the candidates tell of the points, which a law is of, and not of what was left out. 0 or -ENOMEM. */
int out_scaling_settle_roles(struct out_scaling_finding *finding);

#endif
