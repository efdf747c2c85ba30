/*
 * Places that calls were made at, where they were recorded: interned, and looked up in the source when somebody asks.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_CALL_PLACE_H
#define CALLSIG_OUTPUT_PROFILE_CALL_PLACE_H

#include "output/profile/load.h"

/* What an edge's place is, where it was recorded: the profile's number, made when new. `record` is the edge's, at
 * `address`; `callable` what it leads to, FMT_NONE for nothing. FMT_NONE without one. 0 or -ENOMEM. */
int out_load_call_place(struct out_loader *loader, uint64_t address, const struct fmt_rec_edge *record,
                        uint32_t callable, uint32_t *place);

/* Looks up the lines of all places that were not yet, by callsig_stats_set_lines(). 0 or -ENOMEM. */
int out_call_places_look_up(struct out_profile *profile);

/* Was any place recorded? */
static inline bool out_has_call_places(const struct out_profile *profile)
{
  return profile->call_places.count > 0;
}

#endif
