/* Samples of runs beside the recorded ones, whose times are in the edges already. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/merge/dump.h"

int out_dump_samples(struct out_dump *dump, uint32_t number, uint64_t *address)
{
  const struct out_sampled_run *run = out_profile_sampled_run(dump->profile, number);
  size_t size = sizeof(struct fmt_rec_samples) + run->count * sizeof(struct fmt_rec_place);
  struct fmt_rec_samples *record = malloc(size);
  if (!record)
    return -ENOMEM;
  *record = run->head;
  record->tag.size = (uint32_t)size;
  record->program = out_dump_string(dump, run->program);
  for (uint32_t i = 0; i < run->count; i++) {
    const struct out_place *place = out_profile_place(dump->profile, run->first + i);
    record->places[i] = (struct fmt_rec_place){.name = out_dump_string(dump, place->name),
                                               .file = place->file ? out_dump_string(dump, place->file) : 0,
                                               .samples = place->samples,
                                               .line = place->line,
                                               .parent = place->parent};
  }
  *address = out_dump_put(dump, record, size);
  free(record);
  return 0;
}
