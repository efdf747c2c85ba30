/*
 * Which integers are addresses: each run has others, and none says anything of the call.
 */
#ifndef CALLSIG_OUTPUT_STATS_ADDRESSES_H
#define CALLSIG_OUTPUT_STATS_ADDRESSES_H

#include "output/profile/profile.h"

/* Widens to its type each integer argument of 8 bytes whose values, but for 0, all lie in the part of the address space
 * that the processes' modules, heaps, mappings and stacks share. 0 or -ENOMEM. */
int out_addresses_widen(struct out_profile *profile);

#endif
