/* Simulates a measured pipeline as it was and with other settings, and chooses those that help. */
#include "output/verdict/forecast.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/message.h"

#define SEEDS        5
#define LEAST_ERROR  0.02  /* times are kept by buckets that are so wide */
#define AS_GOOD      0.98  /* of the most that more threads give: so many are enough */
#define NO_MORE      1.005 /* times as much: a thread that helps */
#define MOST_TIMES   16u   /* the threads that a stage has: what is tried */
#define MOST_SERVERS 1024u
#define MOST_ROUNDS  64u
#define LARGER       4u   /* times as large: a queue that is tried */
#define MOSTLY_READY 0.50 /* of its tasks, the bounding stage is on a processor or waits for one */
#define SHARE_ROUNDS 10u
#define SIMULATION   UINT64_C(1000000) /* steps of one */

/* Numbers of servers by station, and capacities of the pipeline's own queues. */
struct settings {
  uint32_t *servers;
  uint64_t *capacities;
};

struct outcome {
  double gain, error, used;
  uint32_t busiest; /* the station that is; UINT32_MAX: none is enough */
};

struct forecaster {
  struct out_forecast *forecast;
  const struct out_bottleneck *bottleneck;
  uint64_t *steps;
  struct settings was, now, best;
  double used;         /* processors, then */
  double times[SEEDS]; /* of the pipeline as it was, until the last item has left it */
  bool failed;         /* memory is short */
};

static const struct out_network *network_of(const struct forecaster *forecaster)
{
  return &forecaster->forecast->model.network;
}

static void copy(const struct forecaster *forecaster, struct settings *to, const struct settings *from)
{
  memcpy(to->servers, from->servers, network_of(forecaster)->num_stations * sizeof *to->servers);
  memcpy(to->capacities, from->capacities, network_of(forecaster)->num_queues * sizeof *to->capacities);
}

static bool make_settings(struct forecaster *forecaster, struct settings *settings)
{
  const struct out_network *network = network_of(forecaster);
  struct base_arena *memory = &forecaster->forecast->model.memory;
  settings->servers = base_arena_alloc(memory, (network->num_stations + 1u) * sizeof *settings->servers);
  settings->capacities = base_arena_alloc(memory, (network->num_queues + 1u) * sizeof *settings->capacities);
  return settings->servers && settings->capacities;
}

/* Puts settings into the network. A queue of which nothing is changed is as it was made. */
static void apply(struct forecaster *forecaster, const struct settings *settings)
{
  struct out_model *model = &forecaster->forecast->model;
  for (uint32_t i = 0; i < model->network.num_stations; i++)
    model->network.stations[i].servers = settings->servers[i];
  for (uint32_t i = 0; i < model->network.num_queues; i++)
    model->network.queues[i].capacity = out_model_capacity(model, i, settings->capacities[i]);
}

/* Runs the network as it is set. False: it could not be, or did not end. */
static bool simulate(struct forecaster *forecaster, uint64_t seed, struct out_network_result *result)
{
  const uint64_t most = *forecaster->steps < SIMULATION ? *forecaster->steps : SIMULATION;
  if (forecaster->failed || out_network_run(network_of(forecaster), seed, most, result) < 0) {
    forecaster->failed = true;
    return false;
  }
  *forecaster->steps -= result->steps < *forecaster->steps ? result->steps : *forecaster->steps;
  const bool ended = result->ended && result->end > result->begin;
  forecaster->forecast->cut |= !ended;
  if (!ended)
    out_network_result_free(result);
  return ended;
}

/* The station whose servers are busiest, if they are for most of their time. */
static uint32_t find_busiest(const struct out_network *network, const struct out_network_result *result)
{
  uint32_t busiest = UINT32_MAX;
  double most = OUT_BUSY_ENOUGH;
  for (uint32_t i = 0; i < network->num_stations; i++) {
    const struct out_network_station *station = &network->stations[i];
    const double time = result->stations[i].busy + station->between * (double)result->stations[i].tasks;
    const double busy = time / (station->servers * (result->until - result->begin));
    if (busy >= most) {
      most = busy;
      busiest = i;
    }
  }
  return busiest;
}

/* How many times as much settings give, by so many simulations. False: it cannot be told. */
static bool evaluate(struct forecaster *forecaster, const struct settings *settings, unsigned seeds,
                     struct outcome *outcome)
{
  double sum = 0, squares = 0;
  struct out_network_result result;
  apply(forecaster, settings);
  for (unsigned i = 0; i < seeds; i++) {
    if (!simulate(forecaster, i + 1, &result))
      return false;
    const double gain = forecaster->times[i] / (result.until - result.begin);
    sum += gain;
    squares += gain * gain;
    if (i == 0) {
      outcome->busiest = find_busiest(network_of(forecaster), &result);
      outcome->used = result.processor_time / (result.until - result.begin);
    }
    out_network_result_free(&result);
  }
  outcome->gain = sum / seeds;
  const double variance = seeds > 1 ? fmax(0, squares - sum * sum / seeds) / (seeds - 1) : 0;
  outcome->error = fmax(LEAST_ERROR, forecaster->forecast->off + 2 * sqrt(variance / seeds) / outcome->gain);
  return true;
}

/* The mean throughput of the pipeline as it was; its times are kept. 0: it could not be simulated. */
static double simulate_as_was(struct forecaster *forecaster, unsigned seeds)
{
  const uint32_t bound = forecaster->forecast->model.bound;
  struct out_network_result result;
  double sum = 0;
  forecaster->used = 0;
  for (unsigned i = 0; i < seeds; i++) {
    if (!simulate(forecaster, i + 1, &result))
      return 0;
    forecaster->used += result.processor_time / (result.end - result.begin) / seeds;
    forecaster->times[i] = result.until - result.begin;
    sum += (double)result.stations[bound].tasks / (result.end - result.begin);
    out_network_result_free(&result);
  }
  return sum / seeds;
}

/* Tasks that wait for a processor of themselves keep the shares of that wait with which the throughput is that
 * measured. `without` it is more. */
static void keep_ready(struct forecaster *forecaster, double without)
{
  struct out_forecast *forecast = forecaster->forecast;
  const double measured = forecast->model.throughput;
  out_model_keep_ready(&forecast->model, 1);
  const double with = simulate_as_was(forecaster, SEEDS);
  forecast->ready = with < measured ? (without - measured) / (without - with) : 1;
  forecast->simulated = with;
  if (with > 0 && with < measured) {
    out_model_keep_ready(&forecast->model, forecast->ready);
    forecast->simulated = simulate_as_was(forecaster, SEEDS);
  }
}

/* Others leave so many processors that the throughput is that measured; no more than are used, where they are what
 * bounds the pipeline. */
static void share_processors(struct forecaster *forecaster)
{
  struct out_forecast *forecast = forecaster->forecast;
  double low = 0, high = forecast->model.network.processors;
  for (unsigned round = 0; round < SHARE_ROUNDS; round++) {
    const double middle = forecast->model.network.processors = (low + high) / 2;
    const double simulated = simulate_as_was(forecaster, 1);
    if (simulated <= 0)
      break;
    if (simulated < forecast->model.throughput)
      low = middle;
    else
      high = middle;
  }
  forecast->model.network.processors = high;
  forecast->simulated = simulate_as_was(forecaster, SEEDS);
  if (forecaster->bottleneck->bound == OUT_BOUND_PROCESSOR && forecaster->used > 0) {
    forecast->model.network.processors = forecaster->used;
    forecast->simulated = simulate_as_was(forecaster, SEEDS);
  }
}

/* The simulation as it was: what tasks waited for a processor is what its own threads do to one another, and what is
 * missing then was done by others. Says why nothing is predicted, if it is not as it was. */
static void calibrate(struct forecaster *forecaster)
{
  struct out_forecast *forecast = forecaster->forecast;
  const struct out_task_shares *shares = &forecaster->bottleneck->stage->shares;
  const double measured = forecast->model.throughput, processors = forecast->model.network.processors;
  forecast->simulated = simulate_as_was(forecaster, SEEDS);
  if (forecast->simulated > measured) {
    if (processors > 0 && shares->known && shares->cpu + shares->ready >= MOSTLY_READY)
      share_processors(forecaster);
    else
      keep_ready(forecaster, forecast->simulated);
  }
  forecast->off = measured > 0 ? fabs(forecast->simulated / measured - 1) : 1;
  if (forecast->simulated <= 0)
    forecast->why = "it would take too long to simulate it";
  else if (forecast->off > OUT_FORECAST_OFF)
    forecast->why = "the simulation of the pipeline as it was does not give its throughput";
}

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
    if (change->stage && station->view && change->stage == station->view->stage)
      return true;
  }
  return false;
}

/* What settings give, as is told. False: it cannot be. */
static bool predict(struct forecaster *forecaster, const struct settings *settings, struct out_prediction *prediction)
{
  const struct out_model *model = &forecaster->forecast->model;
  struct outcome outcome;
  if (!evaluate(forecaster, settings, SEEDS, &outcome))
    return false;
  *prediction = (struct out_prediction){
      .changes = BASE_VECTOR_OF(struct out_change), .gain = outcome.gain, .error = outcome.error, .used = outcome.used};
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
  prediction->by_processors = model->network.processors > 0 && outcome.used >= OUT_ALL_USED * model->network.processors;
  if (outcome.busiest != UINT32_MAX && !prediction->by_processors &&
      !is_changed(prediction, &model->stations[outcome.busiest]))
    prediction->next = &model->stations[outcome.busiest];
  return true;
}

/* Adds what settings give to what is proposed, if it is worth it. */
static void propose(struct forecaster *forecaster, const struct settings *settings, double least)
{
  struct out_prediction prediction = {0}, *added = NULL;
  if (!predict(forecaster, settings, &prediction))
    return;
  if (prediction.gain >= least) {
    added = base_vector_add(&forecaster->forecast->proposals, 1);
    forecaster->failed |= !added;
  }
  if (added)
    *added = prediction;
  else
    base_vector_free(&prediction.changes);
}

/* The fewest servers of one station that give nearly what many do. */
static void try_station(struct forecaster *forecaster, uint32_t number)
{
  const uint32_t was = forecaster->was.servers[number];
  uint32_t low = was, high = was * MOST_TIMES < MOST_SERVERS ? was * MOST_TIMES : MOST_SERVERS;
  struct settings *now = &forecaster->now;
  struct outcome outcome;
  copy(forecaster, now, &forecaster->was);
  now->servers[number] = high;
  if (high <= was || !evaluate(forecaster, now, 1, &outcome) || outcome.gain < OUT_FORECAST_WORTH)
    return;
  const double most = outcome.gain;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    now->servers[number] = middle;
    if (!evaluate(forecaster, now, 1, &outcome))
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
static bool enlarge_queue(struct forecaster *forecaster, struct settings *settings, double gain)
{
  const struct out_network *network = network_of(forecaster);
  double most = gain * OUT_FORECAST_WORTH;
  uint32_t found = UINT32_MAX;
  struct outcome outcome;
  for (uint32_t i = 0; i < network->num_queues; i++) {
    const uint64_t was = settings->capacities[i];
    if (forecaster->forecast->model.queues[i]->capacity == 0 || was > UINT64_MAX / LARGER)
      continue;
    settings->capacities[i] = was * LARGER;
    const bool told = evaluate(forecaster, settings, 1, &outcome);
    settings->capacities[i] = was;
    if (told && outcome.gain >= most) {
      most = outcome.gain;
      found = i;
    }
  }
  if (found == UINT32_MAX)
    return false;
  settings->capacities[found] *= LARGER / 2;
  if (!evaluate(forecaster, settings, 1, &outcome) || outcome.gain < AS_GOOD * most)
    settings->capacities[found] *= 2;
  return true;
}

static uint64_t servers_of_stages(const struct forecaster *forecaster, const struct settings *settings)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < network_of(forecaster)->num_stations; i++)
    sum += forecaster->forecast->model.stations[i].view ? settings->servers[i] : 0;
  return sum;
}

/* Takes servers away again that give nothing. */
static void trim(struct forecaster *forecaster, struct settings *settings, double gain)
{
  struct outcome outcome;
  for (uint32_t i = 0; i < network_of(forecaster)->num_stations; i++)
    for (unsigned round = 0; round < MOST_ROUNDS && settings->servers[i] > forecaster->was.servers[i]; round++) {
      settings->servers[i]--;
      if (evaluate(forecaster, settings, 1, &outcome) && outcome.gain >= AS_GOOD * gain)
        continue;
      settings->servers[i]++;
      break;
    }
}

/* The best with at most twice the servers: the busiest stage gets more, again and again, as long as it helps. */
static void find_best(struct forecaster *forecaster)
{
  const struct out_model *model = &forecaster->forecast->model;
  const uint64_t most = 2 * servers_of_stages(forecaster, &forecaster->was);
  struct settings *now = &forecaster->now, *best = &forecaster->best;
  struct outcome outcome;
  double gain = 1;
  copy(forecaster, now, &forecaster->was);
  copy(forecaster, best, now);
  if (!evaluate(forecaster, now, 1, &outcome))
    return;
  for (unsigned round = 0, flat = 0; round < MOST_ROUNDS && flat < 2; round++) {
    const uint32_t busiest = outcome.busiest;
    if (busiest == UINT32_MAX || !model->stations[busiest].view)
      break;
    now->servers[busiest] += now->servers[busiest] / 4 > 0 ? now->servers[busiest] / 4 : 1;
    if (servers_of_stages(forecaster, now) > most || now->servers[busiest] > MOST_SERVERS ||
        !evaluate(forecaster, now, 1, &outcome))
      break;
    flat = outcome.gain >= NO_MORE * gain ? 0 : flat + 1;
    if (flat == 0) {
      gain = outcome.gain;
      copy(forecaster, best, now);
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

static uint32_t station_of(const struct out_model *model, const struct out_stage_view *view)
{
  uint32_t number = 0;
  while (number < model->network.num_stations && model->stations[number].view != view)
    number++;
  return number;
}

/* Is the stage of a phase that of one before? */
static bool is_again(const struct base_vector *phases, uint32_t number)
{
  const struct out_phase *phase = base_vector_at(phases, number);
  for (uint32_t i = 0; i < number; i++)
    if (((const struct out_phase *)base_vector_at(phases, i))->view == phase->view)
      return true;
  return false;
}

static void find_proposals(struct forecaster *forecaster)
{
  const struct out_model *model = &forecaster->forecast->model;
  const struct base_vector *phases = &forecaster->bottleneck->phases;
  if (phases->count == 0)
    try_station(forecaster, model->bound);
  for (uint32_t i = 0; i < phases->count; i++) {
    const struct out_phase *phase = base_vector_at(phases, i);
    const uint32_t number = station_of(model, phase->view);
    if (phase->view && !is_again(phases, i) && number < model->network.num_stations)
      try_station(forecaster, number);
  }
  copy(forecaster, &forecaster->now, &forecaster->was);
  if (enlarge_queue(forecaster, &forecaster->now, 1))
    propose(forecaster, &forecaster->now, OUT_FORECAST_WORTH);
  find_best(forecaster);
  propose(forecaster, &forecaster->best, OUT_FORECAST_WORTH * most_proposed(forecaster->forecast));
}

/* What was asked for, as far as it is of this pipeline. */
static void answer(struct forecaster *forecaster, const struct base_vector *asked)
{
  const struct out_model *model = &forecaster->forecast->model;
  bool any = false;
  copy(forecaster, &forecaster->now, &forecaster->was);
  for (uint32_t i = 0; i < asked->count; i++) {
    const struct out_change *change = base_vector_at(asked, i);
    for (uint32_t j = 0; j < model->network.num_stations && !change->queue; j++)
      if (model->stations[j].view && model->stations[j].view->stage == change->stage) {
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

static void forecast_all(struct forecaster *forecaster, const struct base_vector *asked)
{
  struct out_forecast *forecast = forecaster->forecast;
  const struct out_model *model = &forecast->model;
  struct settings *const settings[] = {&forecaster->was, &forecaster->now, &forecaster->best};
  for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++)
    if (!make_settings(forecaster, settings[i])) {
      forecaster->failed = true;
      return;
    }
  for (uint32_t i = 0; i < model->network.num_stations; i++)
    forecaster->was.servers[i] = model->network.stations[i].servers;
  calibrate(forecaster);
  if (forecast->why || forecaster->failed)
    return;
  for (uint32_t i = 0; i < model->network.num_queues; i++)
    forecaster->was.capacities[i] = model->capacities[i];
  copy(forecaster, &forecaster->now, &forecaster->was);
  forecaster->now.servers[model->bound] *= 2;
  if (!predict(forecaster, &forecaster->now, &forecast->doubled)) {
    forecast->why = "it would take too long to simulate it";
    return;
  }
  /* By the order of tasks it may be a little more than there can be. */
  forecast->doubled.gain = fmin(2, forecast->doubled.gain);
  if (asked)
    answer(forecaster, asked);
  find_proposals(forecaster);
}

int out_forecast_make(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                      const struct base_vector *asked, uint64_t *steps, struct out_forecast *forecast)
{
  *forecast = (struct out_forecast){.proposals = BASE_VECTOR_OF(struct out_prediction)};
  struct forecaster forecaster = {.forecast = forecast, .bottleneck = bottleneck, .steps = steps};
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
