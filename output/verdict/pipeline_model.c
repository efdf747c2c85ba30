/* Makes a network of what was measured of a pipeline. */
#include "output/verdict/pipeline_model.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "output/pipeline/busy_slots.h"
#include "output/pipeline/outside_waits.h"
#include "output/pipeline/rings.h"
#include "output/verdict/model_ports.h"
#include "output/verdict/model_times.h"
#include "output/verdict/seen_at_once.h"

#define MOST_SERVERS 1024.0
#define MOST_TASKS   12000.0 /* that are simulated, of all stations */
#define MOST_WAIT    0.25    /* of the time of a stage's tasks, for conditions that others make true */
#define KEPT_WAITING 0.05    /* of the time: what puts into a queue waits for space */
#define MOST_ROUND   1e9     /* items that go round */
#define LARGE        50.0    /* of so many items, a queue for one does not change when fewer are simulated */

struct maker {
  const struct callsig_pipeline *pipeline;
  const struct out_bottleneck *bottleneck;
  struct out_model *model;
  uint64_t first, last; /* when the first task of a station began, and the last one ended */
  double window;        /* seconds between */
  const char **why;
};

static int give_up(struct maker *maker, const char *before, const char *name, const char *behind)
{
  *maker->why = base_arena_printf(&maker->model->memory, "%s%s%s", before, name, behind);
  return *maker->why ? 0 : -ENOMEM;
}

static const char *label_of(const struct out_stage_view *view)
{
  return view->stage->stats.label;
}

/* What threads wait for without a word may get shorter with what others do, or longer, or be as it is. */
static int give_up_untold(struct maker *maker, const struct out_model_station *station)
{
  *maker->why =
      base_arena_printf(&maker->model->memory,
                        "threads of %s wait %.1f%% of their time between their tasks, for what is not told (a "
                        "block, a slot, a token, a request), and other settings may change that: tell what "
                        "they take as a queue, which is put into where it is given back",
                        label_of(station->view), station->untold * 100);
  return *maker->why ? 0 : -ENOMEM;
}

/* Can a stage be made a station? 1, 0 or -ENOMEM. */
static int check_stage(struct maker *maker, const struct out_stage_view *view)
{
  if (view->busy * view->condition >= MOST_WAIT)
    return give_up(
        maker, "tasks of ", label_of(view),
        " wait inside for what others do, and it is not known for what: tell that as a queue, or end the task before");
  if (view->lock >= OUT_LOCKED)
    return give_up(
        maker, "tasks of ", label_of(view),
        " wait for a lock, and it is not known how long others hold it: let it be held for less, and record again");
  if (!(view->replicas >= 1) || view->replicas > MOST_SERVERS)
    return give_up(maker, "", label_of(view),
                   " works on more than 1024 tasks at a time, and no more are simulated: record it with fewer threads");
  if (!isfinite(view->mean) || view->mean < 0)
    return give_up(maker, "the times of ", label_of(view), " are no times: the recording is damaged, so record again");
  return 1;
}

static int check(struct maker *maker)
{
  const struct out_bottleneck *bottleneck = maker->bottleneck;
  if (bottleneck->is_cpu_clock)
    return give_up(maker, "its times are CPU times: record it with --clock wall", "", "");
  if (!bottleneck->stage)
    return give_up(maker, "no tasks are recorded: tell where they begin and end (docs/stages.md)", "", "");
  if (bottleneck->outside)
    return give_up(maker, "", label_of(bottleneck->stage),
                   " waits outside of its tasks, for what is not told: tell that as a queue, or begin the task before");
  if (bottleneck->shares_wait)
    return give_up(maker, "", label_of(bottleneck->shares_wait),
                   " may wait for the same lock or device: compare a run in which they do not");
  int result = 1;
  uint32_t stations = 0;
  for (uint32_t i = 0; i < bottleneck->count && result > 0; i++)
    if (out_bottleneck_counts(bottleneck, &bottleneck->views[i])) {
      result = check_stage(maker, &bottleneck->views[i]);
      stations++;
    }
  return result > 0 && stations > OUT_MODEL_MOST ? give_up(maker,
                                                           "it has more than 64 stages, and no more are simulated: "
                                                           "tell of parts of it as pipelines of their own",
                                                           "", "")
                                                 : result;
}

static uint64_t simulated(const struct out_model *model, double tasks)
{
  return (uint64_t)fmax(1, fmin(tasks * model->share, 1e15));
}

/* Does a station begin with nothing but what goes round? Then nothing else says how many tasks it does. */
static bool begins(const struct out_model *model, const struct out_network_station *station)
{
  for (uint32_t i = 0; i < station->num_inputs; i++)
    if (!(out_ring_items(model->queues[station->inputs[i].queue]) > 0))
      return false;
  return true;
}

/* 1, 0 or -ENOMEM. */
static int add_stage(struct maker *maker, const struct out_stage_view *view, const struct out_busy_slots *slots)
{
  struct out_model *model = maker->model;
  const uint32_t number = model->network.num_stations++;
  struct out_network_station *station = &model->network.stations[number];
  struct out_model_station *meaning = &model->stations[number];
  const char *why;
  const int made =
      out_thread_group_make(maker->pipeline, maker->bottleneck, view, &model->memory, &meaning->group, &why);
  if (made <= 0)
    return made < 0 ? made : give_up(maker, "the threads of ", label_of(view), why);
  if (meaning->group.servers > MOST_SERVERS)
    return give_up(maker, "", label_of(view),
                   " works on more than 1024 tasks at a time, and no more are simulated: record it with fewer threads");
  meaning->view = meaning->group.members[0];
  station->servers = meaning->servers = (uint32_t)meaning->group.servers;
  station->expected = simulated(model, (double)meaning->view->stage->stats.num_tasks);
  const int ports = out_model_ports(maker->pipeline, &meaning->group, model, station, &why);
  if (ports <= 0)
    return ports < 0 ? ports : give_up(maker, "", label_of(view), why);
  if (out_thread_group_has(&meaning->group, maker->bottleneck->stage->stage))
    model->bound = number;
  station->tasks = begins(model, station) ? station->expected : 0;
  if (!out_model_times(maker->pipeline, maker->bottleneck, slots, model, station, meaning))
    return -ENOMEM;
  out_seen_at_once(maker->pipeline, maker->window, meaning);
  return 1;
}

static bool uses(const struct out_network_port *ports, uint32_t count, uint32_t queue)
{
  for (uint32_t i = 0; i < count; i++)
    if (ports[i].queue == queue)
      return true;
  return false;
}

/* The seconds in which something outside can have put into a queue: until the last task that takes from it has ended;
 * or have taken from it: since the first task that puts into it began. */
static double time_outside(const struct maker *maker, uint32_t queue, bool is_source)
{
  const struct out_model *model = maker->model;
  uint64_t first = UINT64_MAX, last = 0;
  for (uint32_t i = 0; i < model->network.num_stations && model->stations[i].view; i++) {
    const struct out_network_station *station = &model->network.stations[i];
    const struct out_thread_group *group = &model->stations[i].group;
    if (is_source ? !uses(station->inputs, station->num_inputs, queue)
                  : !uses(station->outputs, station->num_outputs, queue))
      continue;
    for (uint32_t j = 0; j < group->count; j++) {
      const struct out_stage *stage = group->members[j]->stage;
      first = stage->first_ticks < first ? stage->first_ticks : first;
      last = stage->last_ticks > last ? stage->last_ticks : last;
    }
  }
  const uint64_t from = is_source ? maker->first : first, until = is_source ? last : maker->last;
  const double time = out_model_number(out_pipeline_recorded(maker->pipeline, from, until));
  return fmin(maker->window, time);
}

/* What puts into a queue, or takes from it, outside of stages. What it did not wait, it took for items: what puts,
 * until the items of the queue were all that was left; what takes, until they were all that it still had to take. */
static int add_outside(struct maker *maker, uint32_t queue, bool is_source)
{
  struct out_model *model = maker->model;
  const struct callsig_queue_stats *stats = model->queues[queue];
  const double time = time_outside(maker, queue, is_source);
  const double items = fmax(1, (double)(stats->puts > stats->num_items ? stats->puts : stats->num_items));
  const double occupied = out_model_number(stats->elapsed - stats->empty_time) / fmax(time, 1e-30);
  const double held = fmin(items, (double)stats->high_water * fmin(1, occupied));
  const double waited = out_model_number(is_source ? stats->put_time : stats->get_time);
  const double servers = fmin(MOST_SERVERS, fmax(1, ceil(waited / fmax(maker->window, 1e-30) - 0.05)));
  const double spent = out_model_number(servers * time * (is_source ? 1 - held / items : 1) - waited);
  struct out_network_station *station = &model->network.stations[model->network.num_stations];
  struct out_network_port *port = base_arena_alloc(&model->memory, sizeof *port);
  if (!port)
    return -ENOMEM;
  *port = (struct out_network_port){.queue = queue, .items = 1};
  *station = (struct out_network_station){.servers = (uint32_t)servers, .outside = true};
  model->stations[model->network.num_stations++] =
      (struct out_model_station){.queue = stats,
                                 .is_source = is_source,
                                 .servers = (uint32_t)servers,
                                 .waits = spent / fmax(1, is_source ? items : items - held)};
  if (is_source) {
    station->tasks = simulated(model, items);
    station->outputs = port;
    station->num_outputs = 1;
  } else {
    station->inputs = port;
    station->num_inputs = 1;
  }
  return 1;
}

/* What puts into several queues from outside of stages, or takes from several, may be one thread, which waits for one
 * while it could go on with another: how fast it would be is not known. */
static int give_up_ends(struct maker *maker, bool is_source, const char *one, const char *other)
{
  *maker->why = base_arena_printf(
      &maker->model->memory,
      "what %s %s and %s outside of stages may be one thread, which waits for one while it could go on with the other: "
      "let it be a stage",
      is_source ? "puts into" : "takes from", one, other);
  return *maker->why ? 0 : -ENOMEM;
}

/* Adds what is outside, if it is the only one of its kind: `*known` is the queue of that. */
static int add_end(struct maker *maker, uint32_t queue, bool is_source, const char **known)
{
  const char *label = maker->model->queues[queue]->label;
  if (*known)
    return give_up_ends(maker, is_source, *known, label);
  *known = label;
  return add_outside(maker, queue, is_source);
}

/* 1, 0 or -ENOMEM. */
static int add_ends(struct maker *maker)
{
  const struct out_network *network = &maker->model->network;
  const uint32_t stages = network->num_stations;
  const char *source = NULL, *sink = NULL;
  int result = 1;
  for (uint32_t i = 0; i < network->num_queues && result > 0; i++) {
    bool put = false, got = false;
    for (uint32_t j = 0; j < stages; j++) {
      put |= uses(network->stations[j].outputs, network->stations[j].num_outputs, i);
      got |= uses(network->stations[j].inputs, network->stations[j].num_inputs, i);
    }
    if (!put)
      result = add_end(maker, i, true, &source);
    if (!got && result > 0)
      result = add_end(maker, i, false, &sink);
  }
  return result;
}

/* Reaches the stations that a queue connects with one that is reached. True: there was another. */
static bool reach(const struct out_network *network, uint32_t queue, bool *reached)
{
  bool any = false, more = false;
  for (int again = 0; again < 2; again++)
    for (uint32_t i = 0; i < network->num_stations; i++) {
      const struct out_network_station *station = &network->stations[i];
      if (!uses(station->inputs, station->num_inputs, queue) && !uses(station->outputs, station->num_outputs, queue))
        continue;
      more |= any && !reached[i];
      reached[i] |= any;
      any |= reached[i];
    }
  return more;
}

/* Is each station connected with each by queues? What one waits for is not known elsewhere. */
static bool is_connected(const struct out_network *network)
{
  bool reached[3 * OUT_MODEL_MOST] = {true};
  for (bool more = true; more;) {
    more = false;
    for (uint32_t queue = 0; queue < network->num_queues; queue++)
      more |= reach(network, queue, reached);
  }
  for (uint32_t i = 0; i < network->num_stations; i++)
    if (!reached[i])
      return false;
  return true;
}

uint32_t out_model_station_of(const struct out_model *model, const struct out_stage *stage)
{
  uint32_t number = 0;
  while (number < model->network.num_stations && !out_thread_group_has(&model->stations[number].group, stage))
    number++;
  return number;
}

/* The capacity in the network, in which fewer items are simulated, that stands for one of the pipeline's queue. */
static uint64_t simulated_capacity(const struct out_model *model, uint32_t queue, uint64_t capacity)
{
  const struct callsig_queue_stats *stats = model->queues[queue];
  const double items = (double)stats->puts * model->share;
  if (capacity == 0 || model->share >= 1 || (double)capacity <= items / LARGE)
    return capacity;
  return (uint64_t)fmax(1, fmax(items / LARGE, fmin((double)capacity, 1e15) * model->share));
}

void out_model_set_queue(struct out_model *model, uint32_t queue, uint64_t capacity)
{
  struct out_network_queue *set = &model->network.queues[queue];
  const struct callsig_queue_stats *stats = model->queues[queue];
  const uint64_t now = simulated_capacity(model, queue, capacity);
  /* A ring's queue has space for all that go round; without bounds, for one each time. */
  *set = out_ring_items(stats) > 0
             ? (struct out_network_queue){.initial = now > 0 ? now : simulated(model, (double)stats->puts)}
             : (struct out_network_queue){.capacity = now};
}

/* Queues are as large as they were seen to be, where they do not tell and what puts into them waits. */
static void find_capacities(struct maker *maker)
{
  struct out_model *model = maker->model;
  for (uint32_t i = 0; i < model->network.num_queues; i++) {
    const struct callsig_queue_stats *stats = model->queues[i];
    const bool full = stats->capacity == 0 && stats->put_time >= KEPT_WAITING * maker->window;
    const double ring = out_ring_items(stats);
    model->capacities[i] = ring > 0 ? (uint64_t)fmin(ring, MOST_ROUND) : full ? stats->high_water : stats->capacity;
    out_model_set_queue(model, i, model->capacities[i]);
  }
}

void out_model_keep_waits(struct out_model *model, double times)
{
  for (uint32_t i = 0; i < model->network.num_stations; i++) {
    const struct out_model_station *meaning = &model->stations[i];
    struct out_network_station *station = &model->network.stations[i];
    station->mean = meaning->computes + meaning->waits + times * meaning->others;
    station->on_processor = station->mean > 0 ? meaning->computes / station->mean : 0;
  }
}

/* The time from the first task of a station to the last; and how much of it is simulated, so that it does not take
 * long; with each task an item. */
static void find_window(struct maker *maker)
{
  uint64_t first = UINT64_MAX, last = 0;
  double tasks = 0;
  for (uint32_t i = 0; i < maker->bottleneck->count; i++) {
    const struct out_stage_view *view = &maker->bottleneck->views[i];
    if (!out_bottleneck_counts(maker->bottleneck, view))
      continue;
    first = view->stage->first_ticks < first ? view->stage->first_ticks : first;
    last = view->stage->last_ticks > last ? view->stage->last_ticks : last;
    tasks += (double)view->stage->stats.num_tasks + (view->input ? (double)view->input->num_items : 0);
  }
  maker->model->share = fmin(1, MOST_TASKS / fmax(1, tasks));
  maker->first = first;
  maker->last = last;
  maker->window = last > first ? out_model_number((double)(last - first) * maker->pipeline->tick) : 0;
  maker->window = fmin(maker->window, maker->bottleneck->window);
}

static bool has_station(const struct out_model *model, const struct out_stage_view *view)
{
  return out_model_station_of(model, view->stage) < model->network.num_stations;
}

static int add_stages(struct maker *maker)
{
  struct out_busy_slots slots = {0};
  int result =
      maker->bottleneck->phases.count > 0 ? out_busy_slots_make(maker->pipeline, maker->bottleneck, &slots) : 1;
  result = result < 0 ? result : 1;
  for (uint32_t i = 0; i < maker->bottleneck->count && result > 0; i++) {
    const struct out_stage_view *view = &maker->bottleneck->views[i];
    if (out_bottleneck_counts(maker->bottleneck, view) && view->stage->stats.num_tasks > 0 &&
        !has_station(maker->model, view))
      result = add_stage(maker, view, &slots);
  }
  out_busy_slots_free(&slots);
  return result;
}

static int make(struct maker *maker)
{
  struct out_model *model = maker->model;
  struct base_arena *memory = &model->memory;
  find_window(maker);
  if (!(maker->window > 0))
    return give_up(maker, "it took no time: record more of its tasks", "", "");
  model->stations = base_arena_alloc(memory, 3 * OUT_MODEL_MOST * sizeof *model->stations);
  model->queues = base_arena_alloc(memory, OUT_MODEL_MOST * sizeof *model->queues);
  model->capacities = base_arena_alloc(memory, OUT_MODEL_MOST * sizeof *model->capacities);
  model->network.stations = base_arena_alloc(memory, 3 * OUT_MODEL_MOST * sizeof *model->network.stations);
  model->network.queues = base_arena_alloc(memory, OUT_MODEL_MOST * sizeof *model->network.queues);
  if (!model->stations || !model->queues || !model->capacities || !model->network.stations || !model->network.queues)
    return -ENOMEM;
  model->bound = UINT32_MAX;
  int result = add_stages(maker);
  if (result > 0)
    result = add_ends(maker);
  if (result <= 0)
    return result;
  if (model->bound == UINT32_MAX)
    return give_up(maker, "no task of ", label_of(maker->bottleneck->stage), " has ended: let it run for longer");
  for (uint32_t i = 0; i < model->network.num_queues; i++)
    if (out_queue_is_one_sided(model->queues[i]))
      return give_up(maker, "the other end of ", model->queues[i]->label,
                     " is not seen, and may be in another process: read the recordings of both together");
  if (!is_connected(&model->network))
    return give_up(
        maker,
        "not all of its stages are seen to be connected by queues: tell what is handed from one to the next as a queue",
        "", "");
  for (uint32_t i = 0; i < model->network.num_stations; i++)
    if (model->stations[i].view && model->stations[i].untold >= OUT_UNTOLD)
      return give_up_untold(maker, &model->stations[i]);
  find_capacities(maker);
  model->throughput = (double)model->stations[model->bound].view->stage->stats.num_tasks / maker->window;
  model->network.processors = out_model_number(maker->bottleneck->processors);
  out_model_keep_waits(model, 0);
  return 1;
}

int out_model_make(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                   struct out_model *model, const char **why)
{
  struct maker maker = {.pipeline = pipeline, .bottleneck = bottleneck, .model = model, .why = why};
  *model = (struct out_model){.share = 1};
  *why = NULL;
  const int result = check(&maker);
  return result > 0 ? make(&maker) : result;
}

void out_model_free(struct out_model *model)
{
  base_arena_free(&model->memory);
}
