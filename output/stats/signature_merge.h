/*
 * Which signatures are one row: exact ones that a widening of their function covers, and equal texts of functions whose
 * parameters were laid out in more than one way.
 */
#ifndef CALLSIG_OUTPUT_STATS_SIGNATURE_MERGE_H
#define CALLSIG_OUTPUT_STATS_SIGNATURE_MERGE_H

#include "output/profile/profile.h"

/* By signature number: the signature whose row it belongs to. */
struct out_signature_merge {
  uint32_t *row_of; /* profile.signatures.count entries. Owned */
  uint8_t *joined;  /* by signature: several were joined into this row by widening. Owned */
  uint32_t widened; /* signatures that were joined into a wider row */
};

/* Applies the levels of all threads to all signatures, interning what they become. `shown_function` gives, for each
 * function of the profile, the function that it is shown as. 0 or -ENOMEM. */
int out_signature_merge_make(struct out_profile *profile, const uint32_t *shown_function,
                             struct out_signature_merge *signature_merge);

void out_signature_merge_free(struct out_signature_merge *signature_merge);

#endif
