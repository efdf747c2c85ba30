/* Samples of runs beside the recorded ones, whose times are in the edges already. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/dump.h"

/* Writes the samples of process `number` behind those of others, whose address is the header's. */
static int put_samples(struct out_dump *dump, uint32_t number, const struct out_sampled_run *run)
{
  size_t size = sizeof(struct fmt_rec_samples) + run->count * sizeof(struct fmt_rec_place);
  struct fmt_rec_samples *record = malloc(size);
  if (!record)
    return -ENOMEM;
  *record = run->head;
  struct fmt_rec_place *places = (struct fmt_rec_place *)(record + 1);
  record->tag.size = (uint32_t)size;
  record->next = dump->header.samples;
  record->process = dump->processes + number * sizeof(struct fmt_rec_process);
  record->program = out_dump_string(dump, run->program);
  for (uint32_t i = 0; i < run->count; i++) {
    const struct out_place *place = out_profile_place(dump->profile, run->first + i);
    places[i] = (struct fmt_rec_place){.name = out_dump_string(dump, place->name),
                                       .file = place->file ? out_dump_string(dump, place->file) : 0,
                                       .samples = place->samples,
                                       .line = place->line,
                                       .parent = place->parent};
  }
  dump->header.samples = out_dump_put(dump, record, size);
  free(record);
  return 0;
}

int out_dump_samples(struct out_dump *dump)
{
  const struct out_profile *profile = dump->profile;
  int result = 0;
  /* From the last to the first, so that the list has the profile's order. */
  for (uint32_t i = profile->recordings.count; i-- > 0 && result == 0;) {
    uint32_t sampled = out_profile_recording(profile, i)->sampled;
    if (sampled != FMT_NONE)
      result = put_samples(dump, i, out_profile_sampled_run(profile, sampled));
  }
  return result;
}
