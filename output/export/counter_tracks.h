/*
 * What a program counted, as tracks of a timeline: the sum so far of each counter, the mean of each level, slot by
 * slot.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_COUNTER_TRACKS_H
#define CALLSIG_OUTPUT_EXPORT_COUNTER_TRACKS_H

#include "output/export/timeline.h"

/* A counter or level of a process, of all its threads and stages that the filters select. */
struct out_counter_track {
  uint32_t process; /* in the timeline's processes */
  uint32_t key;     /* string */
  bool is_level;
  uint32_t shift;
  struct fmt_rec_counter_slot slots[FMT_COUNTER_SLOTS];
};

/* Fills `tracks`, of struct out_counter_track, by process and in the order of first use. 0 or -ENOMEM. */
int out_counter_tracks(const struct out_timeline *timeline, struct base_vector *tracks);

/* The track's value in a slot, and when that is told. False: there is nothing to tell. `*sum` is 0 before the first
 * slot. */
bool out_counter_track_value(const struct out_timeline *timeline, const struct out_counter_track *track, unsigned slot,
                             double *sum, uint64_t *time, double *value);

/* Appends the name of the track: "counter bytes". */
void out_counter_track_name(const struct out_timeline *timeline, const struct out_counter_track *track,
                            struct out_text *text);

#endif
