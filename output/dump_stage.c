/* The stages that tasks belong to. */
#include <errno.h>
#include <stdlib.h>

#include "dump.h"

int cs_dump_stages(struct cs_dump *dump)
{
  const struct cs_profile *profile = dump->profile;
  uint32_t count = profile->stages.count;
  dump->stages = calloc(count + 1u, sizeof *dump->stages);
  if (!dump->stages)
    return -ENOMEM;
  uint64_t next = 0;
  /* From the last to the first, so that the list has the profile's order. */
  for (uint32_t i = count; i-- > 1;) {
    const struct cs_known_stage *stage = cs_profile_stage(profile, i);
    struct cs_rec_stage record = {
        .tag = CS_DUMP_TAG(CS_TAG_STAGE, record),
        .next = next,
        .name = cs_dump_string(dump, stage->name),
        .label = cs_dump_string(dump, stage->label),
        .pipeline = stage->pipeline,
        .index = stage->index,
        .concurrency = stage->concurrency,
        .number = i - 1,
    };
    next = dump->stages[i] = cs_dump_put(dump, &record, sizeof record);
  }
  dump->header.first_stage = next;
  return 0;
}
