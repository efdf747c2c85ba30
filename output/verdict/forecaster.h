/*
 * Simulates a measured pipeline as it was until it gives its own throughput, and then with other settings: how many
 * times as much they give, and how much of that is sure.
 */
#ifndef CALLSIG_OUTPUT_VERDICT_FORECASTER_H
#define CALLSIG_OUTPUT_VERDICT_FORECASTER_H

#include "output/verdict/forecast.h"

#define OUT_FORECAST_SEEDS 5

/* Numbers of servers by station, and capacities of the pipeline's own queues. */
struct out_settings {
  uint32_t *servers;
  uint64_t *capacities;
};

/* How much others use the processors: as they did, not at all, or twice as much. */
enum out_load { OUT_LOAD_AS_WAS, OUT_LOAD_NONE, OUT_LOAD_TWICE, OUT_NUM_LOADS };

struct out_outcome {
  double gain, error, used;
  double least;     /* of the gain of what is known to divide, under each load, without the error */
  bool by_load;     /* that is less than under the load as it was */
  uint32_t busiest; /* the station that is; UINT32_MAX: none is enough */
  uint32_t hidden;  /* one that may limit it by waits that are not told; UINT32_MAX: none */
};

struct out_forecaster {
  struct out_forecast *forecast;
  const struct out_bottleneck *bottleneck;
  uint64_t *steps;
  struct out_settings was, now, best;
  struct out_settings seen; /* of settings, only what is known to help: out_forecaster_promise() */
  double used;              /* processors, then */
  /* Of the pipeline as it was, until the last item has left it. */
  double times[OUT_NUM_LOADS][OUT_FORECAST_SEEDS];
  double left[OUT_NUM_LOADS]; /* processors that others leave */
  bool stuck;                 /* a simulation came to nothing: its stations wait for one another */
  bool failed;                /* memory is short */
};

static inline struct out_network *out_forecaster_network(const struct out_forecaster *forecaster)
{
  return &forecaster->forecast->model.network;
}

bool out_settings_make(struct out_forecaster *forecaster, struct out_settings *settings);
void out_settings_copy(const struct out_forecaster *forecaster, struct out_settings *to,
                       const struct out_settings *from);

/* The simulation as it was: what tasks waited for a processor is what its own threads do to one another, and what is
 * missing then was done by others. Says why nothing is predicted, if it is not as it was. */
void out_forecaster_calibrate(struct out_forecaster *forecaster);

/* Why the pipeline could not be simulated, and what can be done. */
const char *out_forecaster_too_long(const struct out_forecaster *forecaster);

/* How many times as much settings give, by so many simulations. False: it cannot be told. */
bool out_forecaster_evaluate(struct out_forecaster *forecaster, const struct out_settings *settings, unsigned seeds,
                             struct out_outcome *outcome);

/* The same as is told, by all simulations: with the error, and the least under other loads of what of the settings is
 * known to help: servers where tasks were seen to be divided among them, and queues. */
bool out_forecaster_promise(struct out_forecaster *forecaster, const struct out_settings *settings,
                            struct out_outcome *outcome);

#endif
