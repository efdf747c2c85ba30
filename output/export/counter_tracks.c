/* Sums what threads counted to tracks. */
#include "output/export/counter_tracks.h"

#include <errno.h>
#include <string.h>

static bool is_selected(const struct callsig_stats *stats, const struct out_counter_use_record *use)
{
  const struct out_grouping *grouping = &stats->grouping;
  return !grouping->selected_functions && !grouping->selected_signatures && !grouping->selected_contexts &&
         !grouping->depths && !grouping->selected_modules &&
         (!grouping->selected_threads || grouping->selected_threads[use->thread]);
}

static struct out_counter_track *track_of(struct base_vector *tracks, uint32_t process, uint32_t key, bool is_level)
{
  for (uint32_t i = 0; i < tracks->count; i++) {
    struct out_counter_track *track = base_vector_at(tracks, i);
    if (track->process == process && track->key == key && track->is_level == is_level)
      return track;
  }
  struct out_counter_track *track = base_vector_add(tracks, 1);
  if (track)
    *track = (struct out_counter_track){.process = process, .key = key, .is_level = is_level};
  return track;
}

static void join(struct out_counter_track *track, const struct fmt_rec_counter_use *use)
{
  struct fmt_rec_counter_slot slots[FMT_COUNTER_SLOTS];
  uint32_t shift = use->shift;
  memcpy(slots, use->slots, sizeof slots);
  for (; track->shift < shift; track->shift++)
    fmt_counter_slots_widen(track->slots);
  for (; shift < track->shift; shift++)
    fmt_counter_slots_widen(slots);
  for (unsigned i = 0; i < FMT_COUNTER_SLOTS; i++) {
    track->slots[i].amount += slots[i].amount;
    track->slots[i].count += slots[i].count;
  }
}

int out_counter_tracks(const struct out_timeline *timeline, struct base_vector *tracks)
{
  const struct out_profile *profile = &timeline->stats->profile;
  const struct out_stage_records *kept = &profile->stage_records;
  *tracks = (struct base_vector)BASE_VECTOR_OF(struct out_counter_track);
  for (uint32_t i = 0; i < kept->counter_uses.count; i++) {
    const struct out_counter_use_record *use = base_vector_at(&kept->counter_uses, i);
    const struct out_counter_record *counter = base_vector_at(&kept->counters, use->counter);
    if (!is_selected(timeline->stats, use))
      continue;
    struct out_counter_track *track =
        track_of(tracks, counter->recording, counter->key, counter->record.kind == FMT_COUNTER_LEVEL);
    if (!track)
      return -ENOMEM;
    join(track, &use->record);
  }
  return 0;
}

bool out_counter_track_value(const struct out_timeline *timeline, const struct out_counter_track *track, unsigned slot,
                             double *sum, uint64_t *time, double *value)
{
  const struct out_recording_info *info = out_profile_recording(&timeline->stats->profile, track->process);
  const struct fmt_rec_counter_slot *at = &track->slots[slot];
  const uint64_t begin = track->shift < 58 ? (uint64_t)slot << track->shift : 0;
  if (at->count == 0)
    return false;
  *time = out_timeline_nanoseconds(timeline, track->process, info->process.start.ticks + begin);
  *sum += track->is_level ? 0 : (double)at->amount;
  *value = track->is_level ? (double)(int64_t)at->amount / (double)at->count : *sum;
  return true;
}

void out_counter_track_name(const struct out_timeline *timeline, const struct out_counter_track *track,
                            struct out_text *text)
{
  out_text_printf(text, "%s %s", track->is_level ? "level" : "counter",
                  out_profile_string(&timeline->stats->profile, track->key));
}
