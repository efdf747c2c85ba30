/* Makes a network of what was measured of a pipeline. */
#include "output/verdict/pipeline_model.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "output/pipeline/busy_slots.h"
#include "output/verdict/model_times.h"
#include "output/verdict/seen_at_once.h"

#define MOST_STAGES  64u
#define MOST_LINKS   4096u /* of stages that share threads, which are looked through for each */
#define MOST_SERVERS 1024.0
#define MOST_ITEMS   4096.0  /* that a task takes or gives */
#define MOST_TASKS   12000.0 /* that are simulated, of all stations */
#define MOST_WAIT    0.25    /* of the time of a stage's tasks, for conditions that others make true */
#define FEW          0.005   /* a task: items of a queue that a stage is not between */
#define ONE_IN_ALL   1.05    /* a task takes one item, from whichever queue has one */
#define KEPT_WAITING 0.05    /* of the time: what puts into a queue waits for space */
#define LARGE        50.0    /* of so many items, a queue for one does not change when fewer are simulated */

struct maker {
  const struct callsig_pipeline *pipeline;
  const struct out_bottleneck *bottleneck;
  struct out_model *model;
  struct out_network_port *inputs, *outputs; /* of the next station, MOST_STAGES each */
  uint64_t first, last;                      /* when the first task of a station began, and the last one ended */
  double window;                             /* seconds between */
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

/* Can a stage be made a station? 1, 0 or -ENOMEM. */
static int check_stage(struct maker *maker, const struct out_stage_view *view)
{
  if (view->busy * view->condition >= MOST_WAIT)
    return give_up(maker, "tasks of ", label_of(view), " wait inside for what others do, and it is not known for what");
  if (view->lock >= OUT_LOCKED)
    return give_up(maker, "tasks of ", label_of(view), " wait for a lock, and it is not known how long others hold it");
  if (!(view->replicas >= 1) || view->replicas > MOST_SERVERS)
    return give_up(maker, "", label_of(view), " works on more than 1024 tasks at a time");
  if (!isfinite(view->mean) || view->mean < 0)
    return give_up(maker, "the times of ", label_of(view), " are no times");
  return 1;
}

static int check(struct maker *maker)
{
  const struct out_bottleneck *bottleneck = maker->bottleneck;
  if (bottleneck->is_cpu_clock)
    return give_up(maker, "its times are CPU times", "", "");
  if (!bottleneck->stage)
    return give_up(maker, "no tasks are recorded", "", "");
  if (bottleneck->outside)
    return give_up(maker, "", label_of(bottleneck->stage), " waits outside of its tasks, and it is not known for what");
  if (bottleneck->shares_wait)
    return give_up(maker, "", label_of(bottleneck->shares_wait), " may wait for the same lock or device");
  int result = 1;
  uint32_t stations = 0;
  for (uint32_t i = 0; i < bottleneck->count && result > 0; i++)
    if (out_bottleneck_counts(bottleneck, &bottleneck->views[i])) {
      result = check_stage(maker, &bottleneck->views[i]);
      stations++;
    }
  return result > 0 && stations > MOST_STAGES ? give_up(maker, "it has more than 64 stages", "", "") : result;
}

/* The network's number of a queue; MOST_STAGES: it has so many others already. */
static uint32_t queue_number(struct maker *maker, const struct callsig_queue_stats *queue)
{
  struct out_model *model = maker->model;
  uint32_t number = 0;
  while (number < model->network.num_queues && model->queues[number] != queue)
    number++;
  if (number == model->network.num_queues && number < MOST_STAGES)
    model->queues[model->network.num_queues++] = queue;
  return number;
}

/* Adds a port. False: there are too many. */
static bool add_port(struct maker *maker, const struct callsig_queue_stats *queue, double items, double tasks,
                     struct out_network_port *ports, uint32_t *count)
{
  if (!queue)
    return true;
  const uint32_t number = queue_number(maker, queue);
  if (number == MOST_STAGES || *count == MOST_STAGES || items > MOST_ITEMS * tasks)
    return false;
  ports[(*count)++] = (struct out_network_port){.queue = number, .items = items / tasks};
  return true;
}

static const struct callsig_queue_stats *queue_of(const struct callsig_pipeline *pipeline, const char *label)
{
  for (uint32_t i = 0; i < pipeline->queues.count; i++)
    if (strcmp(out_pipeline_queue_at(pipeline, i)->stats.label, label) == 0)
      return &out_pipeline_queue_at(pipeline, i)->stats;
  return NULL;
}

/* What the threads of a group took from a queue and put into it: what they run has all of it each, or a part. */
static void sum_links(const struct callsig_pipeline *pipeline, const struct out_thread_group *group, const char *queue,
                      double *gets, double *puts)
{
  *gets = *puts = 0;
  for (uint32_t i = 0; i < pipeline->links.count; i++) {
    const struct out_link *link = base_vector_at(&pipeline->links, i);
    if (strcmp(link->queue, queue) == 0 && out_thread_group_has(group, out_pipeline_stage_at(pipeline, link->stage))) {
      *gets = fmax(*gets, (double)link->gets);
      *puts = fmax(*puts, (double)link->puts);
    }
  }
}

/* Threads that put into a queue what they take from it themselves, sooner or later, wait for nobody there. */
static bool is_inside(const struct callsig_queue_stats *queue, double gets, double puts, double tasks)
{
  const double few = FEW * tasks;
  return queue && gets >= few && puts >= few && (double)queue->num_items - gets < few &&
         (double)queue->puts - puts < few;
}

/* The queues that the group's threads were seen to use; where none were, those of the stage's place. */
static bool find_ports(struct maker *maker, const struct out_thread_group *group, struct out_network_station *station)
{
  const struct callsig_pipeline *pipeline = maker->pipeline;
  const struct out_stage_view *view = group->members[0];
  const double tasks = (double)view->stage->stats.num_tasks;
  bool fits = group->count == 1 || pipeline->links.count <= MOST_LINKS, seen = false;
  for (uint32_t i = 0; i < pipeline->links.count && fits; i++) {
    const struct out_link *link = base_vector_at(&pipeline->links, i);
    double gets = (double)link->gets, puts = (double)link->puts;
    if (out_pipeline_stage_at(pipeline, link->stage) != view->stage)
      continue;
    if (group->count > 1)
      sum_links(pipeline, group, link->queue, &gets, &puts);
    const struct callsig_queue_stats *queue = queue_of(pipeline, link->queue);
    if (fmax(gets, puts) < FEW * tasks || (group->count > 1 && is_inside(queue, gets, puts, tasks)))
      continue;
    fits = (gets < FEW * tasks || add_port(maker, queue, gets, tasks, maker->inputs, &station->num_inputs)) &&
           (puts < FEW * tasks || add_port(maker, queue, puts, tasks, maker->outputs, &station->num_outputs));
    seen = true;
  }
  if (!seen && view->input)
    fits = add_port(maker, view->input, (double)view->input->num_items, tasks, maker->inputs, &station->num_inputs);
  if (!seen && view->output && fits)
    fits = add_port(maker, view->output, (double)view->output->puts, tasks, maker->outputs, &station->num_outputs);
  double taken = 0;
  for (uint32_t i = 0; i < station->num_inputs; i++)
    taken += maker->inputs[i].items;
  station->takes_any = station->num_inputs > 1 && taken <= ONE_IN_ALL;
  return fits;
}

/* Copies the ports that were found behind the station. */
static bool keep_ports(struct maker *maker, struct out_network_station *station)
{
  struct base_arena *memory = &maker->model->memory;
  station->inputs = base_arena_copy(memory, maker->inputs, station->num_inputs * sizeof *station->inputs);
  station->outputs = base_arena_copy(memory, maker->outputs, station->num_outputs * sizeof *station->outputs);
  return station->inputs && station->outputs;
}

static uint64_t simulated(const struct out_model *model, double tasks)
{
  return (uint64_t)fmax(1, fmin(tasks * model->share, 1e15));
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
    return give_up(maker, "", label_of(view), " works on more than 1024 tasks at a time");
  meaning->view = meaning->group.members[0];
  station->servers = meaning->servers = (uint32_t)meaning->group.servers;
  station->expected = simulated(model, (double)meaning->view->stage->stats.num_tasks);
  if (!find_ports(maker, &meaning->group, station))
    return give_up(maker, "", label_of(view), " uses too many queues, or too many items a task");
  if (out_thread_group_has(&meaning->group, maker->bottleneck->stage->stage))
    model->bound = number;
  station->tasks = station->num_inputs == 0 ? station->expected : 0;
  if (!keep_ports(maker, station) ||
      !out_model_times(maker->pipeline, maker->bottleneck, slots, model, station, meaning))
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
  const double time = until > from ? out_model_number((double)(until - from) * maker->pipeline->tick) : 0;
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

/* 1, or -ENOMEM. */
static int add_ends(struct maker *maker)
{
  const struct out_network *network = &maker->model->network;
  const uint32_t stages = network->num_stations;
  int result = 1;
  for (uint32_t i = 0; i < network->num_queues && result > 0; i++) {
    bool put = false, got = false;
    for (uint32_t j = 0; j < stages; j++) {
      put |= uses(network->stations[j].outputs, network->stations[j].num_outputs, i);
      got |= uses(network->stations[j].inputs, network->stations[j].num_inputs, i);
    }
    if (!put)
      result = add_outside(maker, i, true);
    if (!got && result > 0)
      result = add_outside(maker, i, false);
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
  bool reached[3 * MOST_STAGES] = {true};
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

uint64_t out_model_capacity(const struct out_model *model, uint32_t queue, uint64_t capacity)
{
  const struct callsig_queue_stats *stats = model->queues[queue];
  const double items = (double)stats->puts * model->share;
  if (capacity == 0 || model->share >= 1 || (double)capacity <= items / LARGE)
    return capacity;
  return (uint64_t)fmax(1, fmax(items / LARGE, fmin((double)capacity, 1e15) * model->share));
}

/* Queues are as large as they were seen to be, where they do not tell and what puts into them waits. */
static void find_capacities(struct maker *maker)
{
  struct out_model *model = maker->model;
  for (uint32_t i = 0; i < model->network.num_queues; i++) {
    const struct callsig_queue_stats *stats = model->queues[i];
    const bool full = stats->capacity == 0 && stats->put_time >= KEPT_WAITING * maker->window;
    model->capacities[i] = full ? stats->high_water : stats->capacity;
    model->network.queues[i].capacity = out_model_capacity(model, i, model->capacities[i]);
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
    return give_up(maker, "it took no time", "", "");
  maker->inputs = base_arena_alloc(memory, MOST_STAGES * sizeof *maker->inputs);
  maker->outputs = base_arena_alloc(memory, MOST_STAGES * sizeof *maker->outputs);
  model->stations = base_arena_alloc(memory, 3 * MOST_STAGES * sizeof *model->stations);
  model->queues = base_arena_alloc(memory, MOST_STAGES * sizeof *model->queues);
  model->capacities = base_arena_alloc(memory, MOST_STAGES * sizeof *model->capacities);
  model->network.stations = base_arena_alloc(memory, 3 * MOST_STAGES * sizeof *model->network.stations);
  model->network.queues = base_arena_alloc(memory, MOST_STAGES * sizeof *model->network.queues);
  if (!maker->inputs || !maker->outputs || !model->stations || !model->queues || !model->capacities ||
      !model->network.stations || !model->network.queues)
    return -ENOMEM;
  model->bound = UINT32_MAX;
  int result = add_stages(maker);
  if (result > 0)
    result = add_ends(maker);
  if (result <= 0)
    return result;
  if (model->bound == UINT32_MAX)
    return give_up(maker, "no task of ", label_of(maker->bottleneck->stage), " has ended");
  if (!is_connected(&model->network))
    return give_up(maker, "not all of its stages are seen to be connected by queues", "", "");
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
