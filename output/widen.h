/*
 * Which signatures are one row: exact ones that a widening of their function covers, and equal texts of functions whose
 * parameters were laid out in more than one way.
 */
#ifndef CALLSIG_OUTPUT_WIDEN_H
#define CALLSIG_OUTPUT_WIDEN_H

#include "profile.h"

/* By signature number: the signature whose row it belongs to. */
struct cs_meeting {
  uint32_t *row_of; /* profile.signatures.count entries. Owned */
  uint8_t *joined;  /* by signature: several were joined into this row by widening. Owned */
  uint32_t widened; /* signatures that were joined into a wider row */
};

/* Applies the levels of all threads to all signatures, interning what they become. `shown_function` gives, for each
 * function of the profile, the function that it is shown as. 0 or -ENOMEM. */
int cs_widen(struct cs_profile *profile, const uint32_t *shown_function, struct cs_meeting *meeting);

void cs_meeting_free(struct cs_meeting *meeting);

#endif
