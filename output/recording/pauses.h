/*
 * The times in which a recorded process recorded nothing: format/pauses.h.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_PAUSES_H
#define CALLSIG_OUTPUT_RECORDING_PAUSES_H

#include "format/pauses.h"
#include "output/recording/recording.h"

/* By time; they do not overlap. */
struct out_pauses {
  bool known; /* the recording tells of them */
  uint32_t count;
  struct fmt_rec_pause list[FMT_PAUSES + 1]; /* one that has not ended lasts until now */
};

/* The record at an address as it is now, sound as far as readers go by it. False when there is none; one that cannot be
 * is damage, which is counted. */
bool out_pauses_record(struct out_recording *recording, uint64_t address, struct fmt_rec_pauses *record);

/* Reads the one that the header leads to. `now` is in ticks, as all of it. */
struct out_pauses out_pauses_read(struct out_recording *recording, uint64_t now);

/* In how many ticks until `now` nothing was recorded. */
uint64_t out_pauses_ticks(const struct fmt_rec_pauses *record, uint64_t now);

/* Of the ticks from `from` until `until`, in how many nothing was recorded. */
uint64_t out_pauses_within(const struct out_pauses *pauses, uint64_t from, uint64_t until);

#endif
