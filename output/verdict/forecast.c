/* Chooses the settings of a measured pipeline that help, by simulating them. */
#include "output/verdict/forecast.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/pipeline/rings.h"
#include "output/text/message.h"
#include "output/verdict/forecaster.h"

#define AS_GOOD      0.98  /* of the most that more threads give: so many are enough */
#define NO_MORE      1.005 /* times as much: a thread that helps */
#define MOST_TIMES   16u   /* the threads that a stage has: what is tried */
#define MOST_SERVERS 1024u
#define MOST_ROUNDS  64u
#define LARGER       4u /* times as large: a queue that is tried */

static bool add_change(struct out_prediction *prediction, const struct out_change *change)
{
  struct out_change *added = base_vector_add(&prediction->changes, 1);
  if (added)
    *added = *change;
  return added != NULL;
}

static bool is_changed(const struct out_prediction *prediction, const struct out_model_station *station)
{
  for (uint32_t i = 0; i < prediction->changes.count; i++) {
    const struct out_change *change = base_vector_at(&prediction->changes, i);
    if (change->stage && out_thread_group_has(&station->group, change->stage))
      return true;
  }
  return false;
}

/* What of the gain is promised: less than what is worth it is nothing. Of a station with several servers no more than
 * it was seen to be able to do, and of servers that may have to wait for one another none. */
static void promise(const struct out_forecaster *forecaster, const struct out_settings *settings,
                    const struct out_outcome *outcome, struct out_prediction *prediction)
{
  const struct out_model *model = &forecaster->forecast->model;
  double least = outcome->least * (1 - outcome->error);
  bool is_told = false;
  for (uint32_t i = 0; i < model->network.num_stations; i++) {
    const struct out_model_station *station = &model->stations[i];
    const bool limits = forecaster->seen.servers[i] > 1 && station->most < least;
    if (limits)
      least = station->most;
    if (limits || (forecaster->seen.servers[i] < settings->servers[i] && !is_told)) {
      prediction->unseen = station;
      is_told = true;
    }
  }
  /* What the tasks wait for is none of the model's: a pool of blocks, say, that is returned elsewhere. */
  prediction->unbound = forecaster->bottleneck->bound == OUT_BOUND_UNKNOWN;
  if (prediction->unbound)
    least = 1;
  prediction->least = least >= OUT_FORECAST_WORTH ? fmin(least, prediction->gain) : fmin(1, prediction->gain);
}

/* What settings give, as is told. False: it cannot be. */
static bool predict(struct out_forecaster *forecaster, const struct out_settings *settings,
                    struct out_prediction *prediction)
{
  const struct out_model *model = &forecaster->forecast->model;
  struct out_outcome outcome;
  if (!out_forecaster_promise(forecaster, settings, &outcome))
    return false;
  *prediction = (struct out_prediction){.changes = BASE_VECTOR_OF(struct out_change),
                                        .gain = outcome.gain,
                                        .error = outcome.error,
                                        .used = outcome.used,
                                        .by_load = outcome.by_load};
  promise(forecaster, settings, &outcome, prediction);
  bool fits = true;
  for (uint32_t i = 0; i < model->network.num_stations; i++)
    if (settings->servers[i] != forecaster->was.servers[i])
      fits = fits && add_change(prediction, &(struct out_change){.stage = model->stations[i].view->stage,
                                                                 .value = settings->servers[i]});
  for (uint32_t i = 0; i < model->network.num_queues; i++)
    if (settings->capacities[i] != forecaster->was.capacities[i])
      fits = fits &&
             add_change(prediction, &(struct out_change){.queue = model->queues[i], .value = settings->capacities[i]});
  forecaster->failed |= !fits;
  if (outcome.hidden != UINT32_MAX && settings->servers[outcome.hidden] == forecaster->was.servers[outcome.hidden])
    prediction->hidden = &model->stations[outcome.hidden];
  prediction->by_processors = model->network.processors > 0 && outcome.used >= OUT_ALL_USED * model->network.processors;
  if (outcome.busiest != UINT32_MAX && !prediction->by_processors &&
      !is_changed(prediction, &model->stations[outcome.busiest]))
    prediction->next = &model->stations[outcome.busiest];
  return true;
}

/* Adds what settings give to what is proposed, if it is worth it. */
static void propose(struct out_forecaster *forecaster, const struct out_settings *settings, double least)
{
  struct out_prediction prediction = {0}, *added = NULL;
  if (!predict(forecaster, settings, &prediction))
    return;
  if (prediction.hidden)
    forecaster->forecast->hidden = prediction.hidden;
  else if (prediction.gain >= least) {
    added = base_vector_add(&forecaster->forecast->proposals, 1);
    forecaster->failed |= !added;
  }
  if (added)
    *added = prediction;
  else
    base_vector_free(&prediction.changes);
}

/* The fewest servers of one station that give nearly what many do. */
static void try_station(struct out_forecaster *forecaster, uint32_t number)
{
  const uint32_t was = forecaster->was.servers[number];
  uint32_t low = was, high = was * MOST_TIMES < MOST_SERVERS ? was * MOST_TIMES : MOST_SERVERS;
  struct out_settings *now = &forecaster->now;
  struct out_outcome outcome;
  out_settings_copy(forecaster, now, &forecaster->was);
  now->servers[number] = high;
  if (high <= was || !out_forecaster_evaluate(forecaster, now, 1, &outcome) || outcome.gain < OUT_FORECAST_WORTH)
    return;
  const double most = outcome.gain;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    now->servers[number] = middle;
    if (!out_forecaster_evaluate(forecaster, now, 1, &outcome))
      return;
    if (outcome.gain >= AS_GOOD * most)
      high = middle;
    else
      low = middle;
  }
  now->servers[number] = high;
  propose(forecaster, now, OUT_FORECAST_WORTH);
}

/* Makes the queue larger, in `settings`, with which more is gained by that than with any other, if it is worth it. */
static bool enlarge_queue(struct out_forecaster *forecaster, struct out_settings *settings, double gain)
{
  const struct out_network *network = out_forecaster_network(forecaster);
  double most = gain * OUT_FORECAST_WORTH;
  uint32_t found = UINT32_MAX;
  struct out_outcome outcome;
  for (uint32_t i = 0; i < network->num_queues; i++) {
    const uint64_t was = settings->capacities[i];
    const struct callsig_queue_stats *queue = forecaster->forecast->model.queues[i];
    if ((queue->capacity == 0 && !(out_ring_items(queue) > 0)) || was > UINT64_MAX / LARGER)
      continue;
    settings->capacities[i] = was * LARGER;
    const bool told = out_forecaster_evaluate(forecaster, settings, 1, &outcome);
    settings->capacities[i] = was;
    if (told && outcome.gain >= most) {
      most = outcome.gain;
      found = i;
    }
  }
  if (found == UINT32_MAX)
    return false;
  settings->capacities[found] *= LARGER / 2;
  if (!out_forecaster_evaluate(forecaster, settings, 1, &outcome) || outcome.gain < AS_GOOD * most)
    settings->capacities[found] *= 2;
  return true;
}

static uint64_t servers_of_stages(const struct out_forecaster *forecaster, const struct out_settings *settings)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < out_forecaster_network(forecaster)->num_stations; i++)
    sum += forecaster->forecast->model.stations[i].view ? settings->servers[i] : 0;
  return sum;
}

/* Takes servers away again that give nothing. */
static void trim(struct out_forecaster *forecaster, struct out_settings *settings, double gain)
{
  struct out_outcome outcome;
  for (uint32_t i = 0; i < out_forecaster_network(forecaster)->num_stations; i++)
    for (unsigned round = 0; round < MOST_ROUNDS && settings->servers[i] > forecaster->was.servers[i]; round++) {
      settings->servers[i]--;
      if (out_forecaster_evaluate(forecaster, settings, 1, &outcome) && outcome.gain >= AS_GOOD * gain)
        continue;
      settings->servers[i]++;
      break;
    }
}

/* The best with at most twice the servers: the busiest stage gets more, again and again, as long as it helps. */
static void find_best(struct out_forecaster *forecaster)
{
  const struct out_model *model = &forecaster->forecast->model;
  const uint64_t most = 2 * servers_of_stages(forecaster, &forecaster->was);
  struct out_settings *now = &forecaster->now, *best = &forecaster->best;
  struct out_outcome outcome;
  double gain = 1;
  out_settings_copy(forecaster, now, &forecaster->was);
  out_settings_copy(forecaster, best, now);
  if (!out_forecaster_evaluate(forecaster, now, 1, &outcome))
    return;
  for (unsigned round = 0, flat = 0; round < MOST_ROUNDS && flat < 2; round++) {
    const uint32_t busiest = outcome.busiest;
    if (busiest == UINT32_MAX || !model->stations[busiest].view)
      break;
    now->servers[busiest] += now->servers[busiest] / 4 > 0 ? now->servers[busiest] / 4 : 1;
    if (servers_of_stages(forecaster, now) > most || now->servers[busiest] > MOST_SERVERS ||
        !out_forecaster_evaluate(forecaster, now, 1, &outcome))
      break;
    flat = outcome.gain >= NO_MORE * gain ? 0 : flat + 1;
    if (flat == 0) {
      gain = outcome.gain;
      out_settings_copy(forecaster, best, now);
    }
  }
  trim(forecaster, best, gain);
  enlarge_queue(forecaster, best, gain);
}

/* The most that a proposal gives. */
static double most_proposed(const struct out_forecast *forecast)
{
  double most = 1;
  for (uint32_t i = 0; i < forecast->proposals.count; i++)
    most = fmax(most, ((const struct out_prediction *)base_vector_at(&forecast->proposals, i))->gain);
  return most;
}

/* The station that bounds the pipeline in a phase. num_stations: none does. */
static uint32_t station_of(const struct out_model *model, const struct base_vector *phases, uint32_t number)
{
  const struct out_phase *phase = base_vector_at(phases, number);
  return phase->view ? out_model_station_of(model, phase->view->stage) : model->network.num_stations;
}

/* Is the station of a phase that of one before? */
static bool is_again(const struct out_model *model, const struct base_vector *phases, uint32_t number)
{
  for (uint32_t i = 0; i < number; i++)
    if (station_of(model, phases, i) == station_of(model, phases, number))
      return true;
  return false;
}

static void find_proposals(struct out_forecaster *forecaster)
{
  const struct out_model *model = &forecaster->forecast->model;
  const struct base_vector *phases = &forecaster->bottleneck->phases;
  if (phases->count == 0)
    try_station(forecaster, model->bound);
  for (uint32_t i = 0; i < phases->count; i++) {
    const uint32_t number = station_of(model, phases, i);
    if (number < model->network.num_stations && !is_again(model, phases, i))
      try_station(forecaster, number);
  }
  out_settings_copy(forecaster, &forecaster->now, &forecaster->was);
  if (enlarge_queue(forecaster, &forecaster->now, 1))
    propose(forecaster, &forecaster->now, OUT_FORECAST_WORTH);
  find_best(forecaster);
  propose(forecaster, &forecaster->best, OUT_FORECAST_WORTH * most_proposed(forecaster->forecast));
}

/* What was asked for, as far as it is of this pipeline. */
static void answer(struct out_forecaster *forecaster, const struct base_vector *asked)
{
  const struct out_model *model = &forecaster->forecast->model;
  bool any = false;
  out_settings_copy(forecaster, &forecaster->now, &forecaster->was);
  for (uint32_t i = 0; i < asked->count; i++) {
    const struct out_change *change = base_vector_at(asked, i);
    for (uint32_t j = 0; j < model->network.num_stations && !change->queue; j++)
      if (out_thread_group_has(&model->stations[j].group, change->stage)) {
        forecaster->now.servers[j] = (uint32_t)change->value;
        any = true;
      }
    for (uint32_t j = 0; j < model->network.num_queues && change->queue; j++)
      if (model->queues[j] == change->queue) {
        forecaster->now.capacities[j] = change->value;
        any = true;
      }
  }
  forecaster->forecast->is_asked = any && predict(forecaster, &forecaster->now, &forecaster->forecast->asked);
}

static void forecast_all(struct out_forecaster *forecaster, const struct base_vector *asked)
{
  struct out_forecast *forecast = forecaster->forecast;
  const struct out_model *model = &forecast->model;
  struct out_settings *const settings[] = {&forecaster->was, &forecaster->now, &forecaster->best, &forecaster->seen};
  for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++)
    if (!out_settings_make(forecaster, settings[i])) {
      forecaster->failed = true;
      return;
    }
  for (uint32_t i = 0; i < model->network.num_stations; i++)
    forecaster->was.servers[i] = model->network.stations[i].servers;
  out_forecaster_calibrate(forecaster);
  if (forecast->why || forecaster->failed)
    return;
  for (uint32_t i = 0; i < model->network.num_queues; i++)
    forecaster->was.capacities[i] = model->capacities[i];
  out_settings_copy(forecaster, &forecaster->now, &forecaster->was);
  forecaster->now.servers[model->bound] *= 2;
  if (!predict(forecaster, &forecaster->now, &forecast->doubled)) {
    forecast->why = out_forecaster_too_long(forecaster);
    return;
  }
  /* By the order of tasks it may be a little more than there can be. */
  forecast->doubled.gain = fmin(2, forecast->doubled.gain);
  forecast->doubled.least = fmin(forecast->doubled.gain, forecast->doubled.least);
  if (asked)
    answer(forecaster, asked);
  find_proposals(forecaster);
}

int out_forecast_make(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                      const struct base_vector *asked, uint64_t *steps, struct out_forecast *forecast)
{
  *forecast = (struct out_forecast){.proposals = BASE_VECTOR_OF(struct out_prediction)};
  struct out_forecaster forecaster = {.forecast = forecast, .bottleneck = bottleneck, .steps = steps};
  const int made = out_model_make(pipeline, bottleneck, &forecast->model, &forecast->why);
  if (made > 0)
    forecast_all(&forecaster, asked);
  if (made >= 0 && !forecaster.failed)
    return 0;
  out_forecast_free(forecast);
  return out_stats_no_memory();
}

void out_forecast_free(struct out_forecast *forecast)
{
  for (uint32_t i = 0; i < forecast->proposals.count; i++)
    base_vector_free(&((struct out_prediction *)base_vector_at(&forecast->proposals, i))->changes);
  base_vector_free(&forecast->proposals);
  base_vector_free(&forecast->doubled.changes);
  base_vector_free(&forecast->asked.changes);
  out_model_free(&forecast->model);
}
