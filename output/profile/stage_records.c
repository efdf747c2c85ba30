/* The lists in which a profile keeps what recordings say of stages, queues and events: made and freed. */
#include "output/profile/stage_records.h"

void out_stage_records_init(struct out_stage_records *kept)
{
  *kept = (struct out_stage_records){.stages = BASE_VECTOR_OF(struct out_stage_record),
                                     .queues = BASE_VECTOR_OF(struct out_queue_record),
                                     .events = BASE_VECTOR_OF(struct out_event_record),
                                     .tasks = BASE_VECTOR_OF(struct out_tasks_record),
                                     .uses = BASE_VECTOR_OF(struct out_queue_use_record),
                                     .counters = BASE_VECTOR_OF(struct out_counter_record),
                                     .counter_uses = BASE_VECTOR_OF(struct out_counter_use_record)};
}

void out_stage_records_free(struct out_stage_records *kept)
{
  struct base_vector *vectors[] = {&kept->stages, &kept->queues,   &kept->events,      &kept->tasks,
                                   &kept->uses,   &kept->counters, &kept->counter_uses};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    base_vector_free(vectors[i]);
}
