/* The lists in which a profile keeps what recordings say of stages, queues and events: made and freed. */
#include "output/profile/stage_records.h"

void out_kept_init(struct out_kept *kept)
{
  *kept = (struct out_kept){.stages = BASE_VECTOR_OF(struct out_kept_stage),
                            .queues = BASE_VECTOR_OF(struct out_kept_queue),
                            .events = BASE_VECTOR_OF(struct out_kept_event),
                            .tasks = BASE_VECTOR_OF(struct out_kept_tasks),
                            .uses = BASE_VECTOR_OF(struct out_kept_use)};
}

void out_kept_free(struct out_kept *kept)
{
  struct base_vector *vectors[] = {&kept->stages, &kept->queues, &kept->events, &kept->tasks, &kept->uses};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    base_vector_free(vectors[i]);
}
