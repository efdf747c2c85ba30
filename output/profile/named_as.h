/*
 * A reading of a recording, named as a later one names what both have: so that rows of the two can be compared by their
 * names.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_NAMED_AS_H
#define CALLSIG_OUTPUT_PROFILE_NAMED_AS_H

#include "output/profile/profile.h"

/* Signatures become as wide as they are in `later`, and threads are called what they are called there: by a name that
 * they took meanwhile, and with those that they were folded into since. What follows from signatures and labels of
 * threads has to be made anew afterwards. -ENOMEM. */
int out_profile_name_as(struct out_profile *profile, const struct out_profile *later);

#endif
