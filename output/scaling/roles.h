/*
 * Which numbers among a function's arguments its time may follow.
 */
#ifndef CALLSIG_OUTPUT_SCALING_ROLES_H
#define CALLSIG_OUTPUT_SCALING_ROLES_H

#include "output/scaling/analysis.h"

/* Finds the role of every argument for the finding's rows, and the candidates with their names. 0 or -ENOMEM. */
int out_scaling_roles(struct out_scaling_analysis *analysis, struct out_scaling_finding *finding);

#endif
