/*
 * strip_dirs(): functions shown by their file's name alone.
 */
#ifndef CALLSIG_OUTPUT_STATS_STRIP_H
#define CALLSIG_OUTPUT_STATS_STRIP_H

#include "output/profile/profile.h"

/* For each function of the profile, the number of the function that it is shown as: itself, or with `strip` the one
 * without directories, interned. The caller frees `shown`. 0 or -ENOMEM. */
int out_shown_functions(struct out_profile *profile, bool strip, uint32_t **shown);

#endif
