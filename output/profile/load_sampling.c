/* Reads how the times of an edge's calls were come by, where not all were timed. */
#include <errno.h>
#include <string.h>

#include "output/profile/edge_time.h"
#include "output/profile/load.h"

/* May the process have run on between the reading of an edge and that of its sampling record? */
static bool may_be_live(const struct fmt_rec_header *header)
{
  return !(header->flags & (FMT_REC_FINISHED | FMT_REC_MERGED)) && header->exit_status == -1;
}

/* What a record may say of `calls` calls that took `total` ticks. A process that runs on counts a few more of them as
 * timed than were read of the edge: these do not count. False when it can't be. */
static bool accept(const struct fmt_rec_header *header, const struct fmt_rec_sampling *record, uint64_t calls,
                   uint64_t total, struct out_sampling *sampling)
{
  bool fits = record->timed <= calls && record->timed_total <= total;
  if (!fits && !may_be_live(header))
    return false;
  *sampling = (struct out_sampling){.timed = out_at_most(record->timed, calls),
                                    .timed_total = out_at_most(record->timed_total, total),
                                    .squares_low = record->squares_low,
                                    .squares_high = record->squares_high,
                                    .imputed = record->imputed,
                                    .sleep = FMT_NONE};
  return true;
}

int out_load_sleep(struct out_profile *profile, struct out_sampling *sampling, const struct out_sleep *sleep)
{
  if (sampling->sleep == FMT_NONE) {
    if (!base_vector_add(&profile->sleeps, 1))
      return -ENOMEM;
    sampling->sleep = profile->sleeps.count - 1;
  }
  struct out_sleep *sum = out_profile_sleep(profile, sampling->sleep);
  sum->times += sleep->times;
  sum->ticks += sleep->ticks;
  sum->unsure += sleep->unsure;
  sum->drawn += sleep->drawn;
  sum->drawn_times += sleep->drawn_times;
  return 0;
}

static int load_sleep(struct out_loader *loader, const struct fmt_rec_sampling *sampling, struct out_sampling *into)
{
  if (!sampling->sleep)
    return 0;
  const uint64_t unit = 8;
  const struct fmt_rec_sleep *record = out_recording_record(
      loader->recording, loader->recording->header.base + sampling->sleep * unit, FMT_TAG_SLEEP, sizeof *record);
  if (!record) {
    loader->recording->damaged++;
    return 0;
  }
  const struct out_sleep sleep = {.times = record->times,
                                  .ticks = out_at_most(record->ticks, OUT_MOST_TICKS),
                                  .unsure = out_at_most(record->unsure, OUT_MOST_TICKS),
                                  .drawn = out_at_most(record->drawn, out_at_most(record->ticks, OUT_MOST_TICKS)),
                                  .drawn_times = out_at_most(record->drawn_times, record->times)};
  return out_load_sleep(loader->profile, into, &sleep);
}

int out_load_sampling(struct out_loader *loader, uint64_t address, struct out_edge *edge)
{
  uint64_t calls = edge->calls, total = edge->total;
  if (edge->recursion != FMT_NONE) {
    const struct out_recursion *recursion = out_profile_recursion(loader->profile, edge->recursion);
    calls += recursion->calls - recursion->open;
    total += recursion->total;
    /* What was timed apart is no sample of the rest. */
    calls -= out_at_most(recursion->apart, calls);
    total -= out_at_most(recursion->apart_total, total);
  }
  struct out_sampling *added = base_vector_add(&loader->profile->samplings, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_sampling){.sleep = FMT_NONE};
  edge->sampling = loader->profile->samplings.count - 1;
  const struct fmt_rec_sampling *record =
      out_recording_record(loader->recording, address - sizeof *record, FMT_TAG_SAMPLING, sizeof *record);
  if (!record || !accept(&loader->recording->header, record, calls, total, added)) {
    loader->recording->damaged++;
    return 0;
  }
  return load_sleep(loader, record, added);
}
