/*
 * strip_dirs(): functions shown by their file's name alone.
 */
#ifndef CALLSIG_OUTPUT_STRIP_H
#define CALLSIG_OUTPUT_STRIP_H

#include "profile.h"

/* For each function of the profile, the number of the function that it is shown as: itself, or with `strip` the one
 * without directories, interned. The caller frees `shown`. 0 or -ENOMEM. */
int cs_shown_functions(struct cs_profile *profile, bool strip, uint32_t **shown);

#endif
