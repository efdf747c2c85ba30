/* Reads the stages of a recording into the profile's. */
#include <errno.h>
#include <string.h>

#include "output/profile/load.h"

static int load_stage(struct out_loader *loader, const struct fmt_rec_stage *record, uint32_t *number)
{
  struct out_known_stage stage = {
      .pipeline = record->pipeline, .index = record->index, .concurrency = record->concurrency};
  int result = out_load_name(loader, record->label, "?", &stage.label);
  if (result == 0)
    result = out_load_name(loader, record->name, "?", &stage.name);
  return result < 0 ? result : out_profile_intern_stage(loader->profile, &stage, number);
}

int out_load_stage(struct out_loader *loader, uint64_t address, uint32_t *stage)
{
  uint32_t local;
  struct out_record record;
  *stage = 0;
  int found = out_recording_number(loader->recording, &loader->stages, address, FMT_TAG_STAGE,
                                   sizeof(struct fmt_rec_stage), &local, &record);
  if (found < 0 || found == OUT_RECORD_BAD)
    return found < 0 ? found : 0;
  if (found == OUT_RECORD_KNOWN) {
    *stage = *(uint32_t *)base_vector_at(&loader->stage_of, local);
    return 0;
  }
  struct fmt_rec_stage head;
  memcpy(&head, record.data, sizeof head);
  int result = load_stage(loader, &head, stage);
  if (result == 0)
    result = out_load_keep_stage(loader, &head, *stage);
  uint32_t *slot = result == 0 ? base_vector_add(&loader->stage_of, 1) : NULL;
  if (!slot)
    return -ENOMEM;
  *slot = *stage;
  return 0;
}

int out_load_stages(struct out_loader *loader)
{
  uint64_t address = loader->recording->header.first_stage;
  while (address) {
    uint32_t stage, known = loader->stages.count;
    int result = out_load_stage(loader, address, &stage);
    const uint64_t *newest =
        loader->stages.count > known ? base_vector_at(&loader->stages, loader->stages.count - 1) : NULL;
    if (result < 0 || !newest)
      return result;
    const struct fmt_rec_stage *record = out_recording_bytes(loader->recording, *newest, sizeof *record);
    address = record ? record->next : 0;
  }
  return 0;
}
