/*
 * What other numbers of threads and sizes of queues would give: a measured pipeline is simulated as it was, and, where
 * that gives its own throughput, with others.
 */
#ifndef CALLSIG_OUTPUT_VERDICT_FORECAST_H
#define CALLSIG_OUTPUT_VERDICT_FORECAST_H

#include "output/verdict/pipeline_model.h"

/* By so much its own throughput may be missed by a simulation that predicts; and from so much on a gain is proposed. */
#define OUT_FORECAST_OFF   0.10
#define OUT_FORECAST_WORTH 1.03

/* A stage that works on so many tasks at a time, or a queue for so many items. */
struct out_change {
  const struct out_stage *stage;
  const struct callsig_queue_stats *queue; /* NULL: a stage */
  uint64_t value;                          /* of a queue 0: without bounds */
};

struct out_prediction {
  struct base_vector changes;             /* struct out_change */
  double gain;                            /* times the throughput */
  double error;                           /* relative */
  double least;                           /* what is promised of the gain; 1, or the gain where it is less: nothing */
  bool by_load;                           /* that is less than it may be because others use the processors */
  const struct out_model_station *unseen; /* or because it was not seen that more of its tasks at once take no longer */
  bool unbound;                           /* or because what bounds the pipeline was not seen */
  const struct out_model_station
      *hidden;                          /* none of this is known: its threads wait for what is not told; NULL: it is */
  double used;                          /* processors */
  const struct out_model_station *next; /* what bounds the pipeline then; NULL: what changed still, or nothing */
  bool by_processors;                   /* no more is possible with these processors */
};

struct out_forecast {
  const char *why; /* nothing is predicted; NULL: it is */
  struct out_model model;
  double simulated; /* the throughput of the pipeline as it was, simulated; 0: it was not */
  double off;       /* of that, relative */
  double ready;     /* the share of the waits for a processor by others with which the throughput is that measured */
  const struct out_model_station *hidden; /* of what would be proposed otherwise */
  bool cut;                               /* not all settings were tried, since that would take too long */
  struct out_prediction doubled, asked;   /* twice the concurrency of the bounding stage; what was asked for */
  bool is_asked;
  struct base_vector proposals; /* struct out_prediction: what one change gives, and at last the best of several */
};

/* Predicts with `asked`, struct out_change, or without (NULL). Takes from `*steps` what it uses. 0, to be freed, or
 * -ENOMEM after a message. It refers to `pipeline` and `bottleneck`. */
int out_forecast_make(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                      const struct base_vector *asked, uint64_t *steps, struct out_forecast *forecast);
void out_forecast_free(struct out_forecast *forecast);

#endif
