/*
 * Functions of two builds that are the same function: a line that moved, another folder or file, a clone's suffix.
 */
#ifndef CALLSIG_OUTPUT_DIFF_MATCH_FUNCTIONS_H
#define CALLSIG_OUTPUT_DIFF_MATCH_FUNCTIONS_H

#include "output/profile/profile.h"

/* Bytes of a function's name without the suffixes that compilers give clones: .constprop.0, .isra.0, .part.0, .cold,
 * .llvm.123, .lto_priv.0, .localalias, .clone.0, .specialized.1, .str. */
size_t out_plain_name(const char *name);

enum out_match_side { OUT_MATCH_OLD = 1, OUT_MATCH_NEW = 2 };

/*
 * Changes `shown`, which has for each function of the profile the function that it is shown as, so that functions that
 * are the same on both sides are shown as one: as the new side knows it. `sides` has bits of enum out_match_side for
 * each function. 0 or -ENOMEM.
 *
 * Clones meet the function that they are of. Then, name by name, what is left over on both sides meets by file, by
 * the file's name without its folder, and at last by the name alone; where several functions of a name come into
 * question, only when both sides have as many of them, in one file, then in the order of their lines.
 */
int out_match_functions(const struct out_profile *profile, const uint8_t *sides, uint32_t *shown);

#endif
