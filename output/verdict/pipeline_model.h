/*
 * A measured pipeline as a network of stations and queues, which can be simulated: docs/pipeline-statistics.md says
 * what is taken for what.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_PIPELINE_MODEL_H
#define CALLSIG_OUTPUT_PIPELINE_PIPELINE_MODEL_H

#include "output/pipeline/bottleneck.h"
#include "output/queueing/network.h"
#include "output/verdict/thread_groups.h"

/* Stages, queues, and queues of a stage. */
#define OUT_MODEL_MOST 64u

/* What a station of the network is. */
struct out_model_station {
  const struct out_stage_view *view;       /* NULL: what puts into a queue, or takes from one, outside of stages */
  struct out_thread_group group;           /* the stages that its threads run, `view` first */
  const struct callsig_queue_stats *queue; /* which; NULL: a stage */
  bool is_source;                          /* it puts */
  uint32_t servers;                        /* as it was */
  double computes, waits; /* seconds of a task: on a processor, and waiting for anything else than one */
  double ready;           /* and waiting for a processor; ... */
  double others;          /* ... of that, because others than the pipeline's threads have it */
  double untold;          /* of its threads' time: they wait between tasks, and it is not known for what */
  double doubt;           /* the standard error of the mean of its tasks' times, relative */
  bool divides; /* it was seen not to need one thing in turn, in its tasks or between them: more servers do more */
  bool counted; /* its tasks wait inside, or may: of what they wait for there may be as many as were at work at once */
  double most;  /* times the rate that it had: no more is known to be possible, with any servers */
};

struct out_model {
  struct out_network network;
  struct out_model_station *stations;        /* by station of the network */
  const struct callsig_queue_stats **queues; /* by queue of the network */
  uint64_t *capacities;                      /* of those, as large as they are taken to be; 0: unbounded. Of one that
                                                closes a ring the items that go round */
  uint32_t bound;                            /* the station of the stage that bounds the pipeline, or is busiest */
  double share;                              /* of the tasks that there were, those that are simulated */
  double throughput;                         /* tasks of that station a second, as measured */
  struct base_arena memory;
};

/* Of a server's time: from so much on it matters that it is not known what it waits for. */
#define OUT_MODEL_UNKNOWN 0.05

/* Of its tasks' time: from so much on it matters what they wait for inside. */
#define OUT_MODEL_WAITS_INSIDE 0.20

/* 1, to be freed; 0 with a sentence in `*why`, which is allocated in model->memory, when there can be none; -ENOMEM. To
 * be freed in each case. It refers to `pipeline` and `bottleneck`. */
int out_model_make(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                   struct out_model *model, const char **why);
void out_model_free(struct out_model *model);

/* Makes tasks last as long as they compute and wait, and so many times what others kept them waiting for a processor.
 */
void out_model_keep_waits(struct out_model *model, double times);

/* The station whose threads run a stage; network.num_stations: there is none. */
uint32_t out_model_station_of(const struct out_model *model, const struct out_stage *stage);

/* Makes a queue of the network stand for one of the pipeline's of a capacity, or a ring of so many items; 0: without
 * bounds. Fewer items are simulated than there were. */
void out_model_set_queue(struct out_model *model, uint32_t queue, uint64_t capacity);

#endif
