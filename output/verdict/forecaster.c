/* Simulates a measured pipeline as it was, and with other settings. */
#include "output/verdict/forecaster.h"

#include <math.h>
#include <string.h>

#define LEAST_ERROR  0.02 /* times are kept by buckets that are so wide */
#define NINE_OF_TEN  1.28 /* standard errors below the mean: of ten runs, nine are above that */
#define MOSTLY_READY 0.50 /* of its tasks, the bounding stage is on a processor or waits for one */
#define WAITED       0.02 /* of their time: tasks that wait for a processor for less have all that they want */
#define AS_MEASURED  0.03 /* of the throughput: it is that measured */
#define LEAST_LEFT   0.50 /* of the processors that others leave, when they use twice as many */
#define BY_LOAD      0.95 /* of the gain, or less: what is left of it hangs on who else uses the processors */
#define NEARLY       0.10 /* of a server's time: a station that is less busy than another by less may limit it, too */
#define LEFT         0.20 /* of the bounding stage's tasks: a simulation that leaves more came to a stop */
#define SHARE_ROUNDS 10u
#define SIMULATION   UINT64_C(1000000) /* steps of one */

void out_settings_copy(const struct out_forecaster *forecaster, struct out_settings *to,
                       const struct out_settings *from)
{
  const struct out_network *network = out_forecaster_network(forecaster);
  memcpy(to->servers, from->servers, network->num_stations * sizeof *to->servers);
  memcpy(to->capacities, from->capacities, network->num_queues * sizeof *to->capacities);
}

bool out_settings_make(struct out_forecaster *forecaster, struct out_settings *settings)
{
  const struct out_network *network = out_forecaster_network(forecaster);
  struct base_arena *memory = &forecaster->forecast->model.memory;
  settings->servers = base_arena_alloc(memory, (network->num_stations + 1u) * sizeof *settings->servers);
  settings->capacities = base_arena_alloc(memory, (network->num_queues + 1u) * sizeof *settings->capacities);
  return settings->servers && settings->capacities;
}

/* Puts settings into the network. A queue of which nothing is changed is as it was made. */
static void apply(struct out_forecaster *forecaster, const struct out_settings *settings)
{
  struct out_model *model = &forecaster->forecast->model;
  for (uint32_t i = 0; i < model->network.num_stations; i++)
    model->network.stations[i].servers = settings->servers[i];
  for (uint32_t i = 0; i < model->network.num_queues; i++)
    out_model_set_queue(model, i, settings->capacities[i]);
}

/* Others use the processors so much from now on. */
static void set_load(struct out_forecaster *forecaster, enum out_load load)
{
  static const double times[] = {[OUT_LOAD_AS_WAS] = 1, [OUT_LOAD_NONE] = 0, [OUT_LOAD_TWICE] = 2};
  struct out_forecast *forecast = forecaster->forecast;
  out_model_keep_waits(&forecast->model, times[load] * forecast->ready);
  forecast->model.network.processors = forecaster->left[load];
}

/* Runs the network as it is set. False: it could not be, or did not end. */
static bool simulate(struct out_forecaster *forecaster, uint64_t seed, struct out_network_result *result)
{
  const uint64_t most = *forecaster->steps < SIMULATION ? *forecaster->steps : SIMULATION;
  if (forecaster->failed || out_network_run(out_forecaster_network(forecaster), seed, most, result) < 0) {
    forecaster->failed = true;
    return false;
  }
  *forecaster->steps -= result->steps < *forecaster->steps ? result->steps : *forecaster->steps;
  const bool ended = result->ended && result->end > result->begin;
  forecaster->forecast->cut |= !ended;
  forecaster->stuck |= result->ended && !ended;
  if (!ended)
    out_network_result_free(result);
  return ended;
}

const char *out_forecaster_too_long(const struct out_forecaster *forecaster)
{
  if (forecaster->stuck)
    return "its simulation comes to a stop before the tasks are done: where items go round, put them into their queue "
           "before "
           "the first stage takes from it, and give all of them back; else tell all queues that its stages use";
  if (*forecaster->steps == 0)
    return "it would take too long to simulate it, beside the recording's other pipelines: record those that matter";
  return "it would take too long to simulate it: queue several items together as one, or record a shorter run";
}

static double busy_in(const struct out_network *network, const struct out_network_result *result, uint32_t number)
{
  const struct out_network_station *station = &network->stations[number];
  const double time = result->stations[number].busy + station->between * (double)result->stations[number].tasks;
  return time / (station->servers * (result->until - result->begin));
}

/* The station whose servers are busiest, if they are for most of their time. */
static uint32_t find_busiest(const struct out_network *network, const struct out_network_result *result)
{
  uint32_t busiest = UINT32_MAX;
  double most = OUT_BUSY_ENOUGH;
  for (uint32_t i = 0; i < network->num_stations; i++) {
    const double busy = busy_in(network, result, i);
    if (busy >= most) {
      most = busy;
      busiest = i;
    }
  }
  return busiest;
}

/* The station that limits the throughput, or nearly, by waits between its tasks of which nothing is told. UINT32_MAX:
 * there is none. */
static uint32_t find_hidden(const struct out_model *model, const struct out_network_result *result, uint32_t busiest)
{
  const double most = busiest == UINT32_MAX ? OUT_BUSY_ENOUGH : busy_in(&model->network, result, busiest) - NEARLY;
  for (uint32_t i = 0; i < model->network.num_stations; i++)
    if (model->stations[i].untold >= OUT_MODEL_UNKNOWN && model->network.stations[i].between > 0 &&
        busy_in(&model->network, result, i) >= fmax(OUT_BUSY_ENOUGH, most))
      return i;
  return UINT32_MAX;
}

static double doubt_of(const struct out_forecaster *forecaster, uint32_t station)
{
  return station == UINT32_MAX ? 0 : forecaster->forecast->model.stations[station].doubt;
}

bool out_forecaster_evaluate(struct out_forecaster *forecaster, const struct out_settings *settings, unsigned seeds,
                             struct out_outcome *outcome)
{
  double sum = 0, squares = 0;
  struct out_network_result result;
  apply(forecaster, settings);
  for (unsigned i = 0; i < seeds; i++) {
    if (!simulate(forecaster, i + 1, &result))
      return false;
    const double gain = forecaster->times[OUT_LOAD_AS_WAS][i] / (result.until - result.begin);
    sum += gain;
    squares += gain * gain;
    if (i == 0) {
      outcome->busiest = find_busiest(out_forecaster_network(forecaster), &result);
      outcome->hidden = find_hidden(&forecaster->forecast->model, &result, outcome->busiest);
      outcome->used = result.processor_time / (result.until - result.begin);
    }
    out_network_result_free(&result);
  }
  outcome->gain = sum / seeds;
  const double variance = seeds > 1 ? fmax(0, squares - sum * sum / seeds) / (seeds - 1) : 0;
  const double simulated = 2 * sqrt(variance / seeds) / outcome->gain;
  const double tasks = NINE_OF_TEN * hypot(doubt_of(forecaster, forecaster->forecast->model.bound),
                                           doubt_of(forecaster, outcome->busiest));
  outcome->error = fmax(LEAST_ERROR, forecaster->forecast->off + hypot(simulated, tasks));
  return true;
}

/* The mean time of settings under a load, and of the pipeline as it was, as what they give. 0: it cannot be told. */
static double gain_under(struct out_forecaster *forecaster, const struct out_settings *settings, enum out_load load)
{
  double sum = 0;
  struct out_network_result result;
  set_load(forecaster, load);
  apply(forecaster, settings);
  for (unsigned i = 0; i < OUT_FORECAST_SEEDS; i++) {
    if (!simulate(forecaster, i + 1, &result)) {
      sum = 0;
      break;
    }
    sum += forecaster->times[load][i] / (result.until - result.begin) / OUT_FORECAST_SEEDS;
    out_network_result_free(&result);
  }
  set_load(forecaster, OUT_LOAD_AS_WAS);
  return sum;
}

static bool are_same(const struct out_forecaster *forecaster, const struct out_settings *one,
                     const struct out_settings *other)
{
  const struct out_network *network = out_forecaster_network(forecaster);
  return memcmp(one->servers, other->servers, network->num_stations * sizeof *one->servers) == 0 &&
         memcmp(one->capacities, other->capacities, network->num_queues * sizeof *one->capacities) == 0;
}

/* Settings without the servers that may have to wait for one another. */
static void find_seen(struct out_forecaster *forecaster, const struct out_settings *settings)
{
  const struct out_model *model = &forecaster->forecast->model;
  struct out_settings *seen = &forecaster->seen;
  out_settings_copy(forecaster, seen, settings);
  for (uint32_t i = 0; i < model->network.num_stations; i++)
    if (!model->stations[i].divides && seen->servers[i] > forecaster->was.servers[i])
      seen->servers[i] = forecaster->was.servers[i];
}

bool out_forecaster_promise(struct out_forecaster *forecaster, const struct out_settings *settings,
                            struct out_outcome *outcome)
{
  if (!out_forecaster_evaluate(forecaster, settings, OUT_FORECAST_SEEDS, outcome))
    return false;
  find_seen(forecaster, settings);
  outcome->by_load = false;
  outcome->least = 1;
  if (are_same(forecaster, &forecaster->seen, &forecaster->was))
    return true;
  double as_was = 0;
  for (enum out_load load = OUT_LOAD_AS_WAS; load < OUT_NUM_LOADS; load++) {
    const double gain = gain_under(forecaster, &forecaster->seen, load);
    if (gain <= 0)
      return false;
    as_was = load == OUT_LOAD_AS_WAS ? gain : as_was;
    outcome->least = load == OUT_LOAD_AS_WAS ? gain : fmin(outcome->least, gain);
  }
  outcome->by_load = outcome->least < BY_LOAD * as_was;
  return true;
}

/* The mean throughput of the pipeline as it was; its times are kept. 0: it could not be simulated. */
static double simulate_as_was(struct out_forecaster *forecaster, unsigned seeds, enum out_load load)
{
  const uint32_t bound = forecaster->forecast->model.bound;
  const double expected = (double)out_forecaster_network(forecaster)->stations[bound].expected;
  struct out_network_result result;
  double sum = 0;
  forecaster->used = 0;
  for (unsigned i = 0; i < seeds; i++) {
    if (!simulate(forecaster, i + 1, &result))
      return 0;
    forecaster->used += result.processor_time / (result.end - result.begin) / seeds;
    forecaster->times[load][i] = result.until - result.begin;
    sum += (double)result.stations[bound].tasks / (result.end - result.begin);
    const double left = 1 - (double)result.stations[bound].tasks / expected;
    out_network_result_free(&result);
    if (left > LEFT) {
      forecaster->stuck = true;
      return 0;
    }
  }
  return sum / seeds;
}

/* What tasks waited for a processor, but for what they do in the simulation, in which they have only one another. */
static void find_others(struct out_forecaster *forecaster)
{
  struct out_model *model = &forecaster->forecast->model;
  struct out_network_result result;
  if (!simulate(forecaster, 1, &result))
    return;
  for (uint32_t i = 0; i < model->network.num_stations; i++) {
    const struct out_station_result *station = &result.stations[i];
    const double own = station->tasks > 0 ? (station->busy - station->asked) / (double)station->tasks : 0;
    model->stations[i].others = fmax(0, model->stations[i].ready - fmax(0, own));
  }
  out_network_result_free(&result);
}

/* Others kept tasks waiting for as long as it is known of each stage; where the throughput is not that measured then,
 * for the share of that with which it is. `without` others it is more. */
static void keep_waits(struct out_forecaster *forecaster, double without)
{
  struct out_forecast *forecast = forecaster->forecast;
  const double measured = forecast->model.throughput;
  find_others(forecaster);
  forecast->ready = 1;
  set_load(forecaster, OUT_LOAD_AS_WAS);
  forecast->simulated = simulate_as_was(forecaster, OUT_FORECAST_SEEDS, OUT_LOAD_AS_WAS);
  if (forecast->simulated <= 0 || forecast->simulated >= measured * (1 - AS_MEASURED) || without <= forecast->simulated)
    return;
  forecast->ready = fmax(0, (without - measured) / (without - forecast->simulated));
  set_load(forecaster, OUT_LOAD_AS_WAS);
  forecast->simulated = simulate_as_was(forecaster, OUT_FORECAST_SEEDS, OUT_LOAD_AS_WAS);
}

/* Others leave so many processors that the throughput is that measured; no more than are used, where they are what
 * bounds the pipeline. */
static void share_processors(struct out_forecaster *forecaster)
{
  struct out_forecast *forecast = forecaster->forecast;
  double *processors = &forecast->model.network.processors;
  double low = 0, high = *processors;
  for (unsigned round = 0; round < SHARE_ROUNDS; round++) {
    const double middle = *processors = (low + high) / 2;
    const double simulated = simulate_as_was(forecaster, 1, OUT_LOAD_AS_WAS);
    if (simulated <= 0)
      break;
    if (simulated < forecast->model.throughput)
      low = middle;
    else
      high = middle;
  }
  *processors = high;
  forecast->simulated = simulate_as_was(forecaster, OUT_FORECAST_SEEDS, OUT_LOAD_AS_WAS);
  if (forecaster->bottleneck->bound == OUT_BOUND_PROCESSOR && forecaster->used > 0) {
    *processors = forecaster->used;
    forecast->simulated = simulate_as_was(forecaster, OUT_FORECAST_SEEDS, OUT_LOAD_AS_WAS);
  }
  const double others = forecaster->left[OUT_LOAD_NONE] - *processors;
  forecaster->left[OUT_LOAD_AS_WAS] = *processors;
  forecaster->left[OUT_LOAD_TWICE] = fmax(*processors - others, LEAST_LEFT * *processors);
}

/* The pipeline as it was under each load. False: that cannot be told. */
static bool simulate_loads(struct out_forecaster *forecaster)
{
  for (enum out_load load = OUT_LOAD_NONE; load < OUT_NUM_LOADS; load++) {
    set_load(forecaster, load);
    if (simulate_as_was(forecaster, OUT_FORECAST_SEEDS, load) <= 0)
      return false;
  }
  set_load(forecaster, OUT_LOAD_AS_WAS);
  return true;
}

/* Do tasks lack processors that others have? Those of one thread that hardly wait for one have all that they want: that
 * its throughput is a little less than simulated is no sign of that. */
static bool lacks_processors(const struct out_forecaster *forecaster)
{
  const struct out_bottleneck *bottleneck = forecaster->bottleneck;
  const struct out_task_shares *shares = &bottleneck->stage->shares;
  return forecaster->forecast->model.network.processors > 0 && shares->known &&
         shares->cpu + shares->ready >= MOSTLY_READY &&
         (bottleneck->bound == OUT_BOUND_PROCESSOR || shares->ready >= WAITED);
}

void out_forecaster_calibrate(struct out_forecaster *forecaster)
{
  struct out_forecast *forecast = forecaster->forecast;
  const double measured = forecast->model.throughput, processors = forecast->model.network.processors;
  for (enum out_load load = OUT_LOAD_AS_WAS; load < OUT_NUM_LOADS; load++)
    forecaster->left[load] = processors;
  forecast->simulated = simulate_as_was(forecaster, OUT_FORECAST_SEEDS, OUT_LOAD_AS_WAS);
  if (lacks_processors(forecaster)) {
    if (forecast->simulated > measured)
      share_processors(forecaster);
  } else if (forecast->simulated > 0)
    keep_waits(forecaster, forecast->simulated);
  forecast->off = measured > 0 ? fabs(forecast->simulated / measured - 1) : 1;
  if (forecast->simulated <= 0)
    forecast->why = out_forecaster_too_long(forecaster);
  else if (forecast->off > OUT_FORECAST_OFF)
    forecast->why = "the simulation of the pipeline as it was does not give its throughput, so what bounds it was not "
                    "told, or others "
                    "kept the machine busy: tell what its tasks and threads wait for as queues, or record again";
  else if (!simulate_loads(forecaster))
    forecast->why = out_forecaster_too_long(forecaster);
}
