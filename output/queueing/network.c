/* Simulates stations between bounded queues, event by event. */
#include "output/queueing/network.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/queueing/event_heap.h"

#define NOBODY UINT32_MAX
/* A sum of shares that should be a whole number is that, as far as it may be off by its additions. */
#define ROUNDED 1e-9

struct server {
  uint32_t station, number; /* among the station's servers */
  uint32_t next;            /* in the list that it waits in */
  double begin;             /* of its task */
  double processor_time;    /* that its task needs, ... */
  double waits_then;        /* ... and how long it waits when it has had that */
  uint32_t port;            /* that it puts into, ... */
  uint64_t left;            /* ... so many items */
  bool putting;             /* they are known */
};

/* Servers that wait, first come first. */
struct line {
  uint32_t first, last;
};

struct station {
  struct line idle;
  uint64_t started;
  double *times;   /* in the order in which they are taken */
  double *given;   /* by output: items that are due, less than one of each */
  uint64_t *taken; /* by input: items that were taken for the next task */
  uint32_t turn;   /* the input to look at first */
};

struct queue {
  uint64_t level;
  double since; /* it has the level */
  struct line putting;
  uint32_t first_taker, end_taker; /* in world.takers */
  uint32_t turn;
};

struct world {
  const struct out_network *network;
  struct out_network_result *result;
  struct station *stations;
  struct queue *queues;
  struct server *servers;
  uint32_t *takers; /* stations, by the queue that they take from */
  uint32_t num_servers;
  struct out_event_heap waiting;   /* by the time */
  struct out_event_heap computing; /* by the time that each one that began with the simulation would have had */
  struct line ready;               /* servers that go on now */
  double now, had;                 /* the time; and what each one on a processor has had of it */
  uint64_t random;
  void *memory; /* of all of the above */
};

/* splitmix64. */
static uint64_t next_random(uint64_t *state)
{
  uint64_t value = *state += UINT64_C(0x9E3779B97F4A7C15);
  value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
  return value ^ (value >> 31);
}

static void append(struct world *world, struct line *line, uint32_t server)
{
  world->servers[server].next = NOBODY;
  if (line->first == NOBODY)
    line->first = server;
  else
    world->servers[line->last].next = server;
  line->last = server;
}

static uint32_t take_first(const struct world *world, struct line *line)
{
  const uint32_t server = line->first;
  line->first = world->servers[server].next;
  return server;
}

void out_network_shuffle(uint64_t *random, double *values, uint32_t count)
{
  for (uint32_t i = count; i > 1; i--) {
    const uint32_t other = (uint32_t)(next_random(random) % i);
    const double value = values[i - 1];
    values[i - 1] = values[other];
    values[other] = value;
  }
}

static double time_of_task(struct world *world, const struct server *server, uint64_t number)
{
  const struct out_network_station *model = &world->network->stations[server->station];
  struct station *station = &world->stations[server->station];
  if (number == 0 && model->first > 0)
    return model->first;
  double factor = 1, apart = 0;
  if (model->num_levels > 0) {
    const double place = (double)number / fmax(1, (double)model->expected) * model->num_levels;
    factor = model->levels[place < model->num_levels - 1 ? (uint32_t)place : model->num_levels - 1];
  }
  if (model->slow_servers > 0)
    factor *= server->number < model->slow_servers ? model->slow_factor : model->other_factor;
  if (model->num_times > 0) {
    const uint32_t at = (uint32_t)(number % model->num_times);
    if (at == 0)
      out_network_shuffle(&world->random, station->times, model->num_times);
    apart = model->spread * (station->times[at] - 1);
  }
  return fmax(0, (factor + apart) * model->mean);
}

/* The items of an input that task `number` needs: each item for the first of those tasks that share it. */
static uint64_t needs(const struct out_network_port *input, uint64_t number)
{
  const double before = ceil((double)number * input->items - ROUNDED);
  const double behind = ceil((double)(number + 1) * input->items - ROUNDED);
  return behind > before ? (uint64_t)(behind - before) : 0;
}

static void change_level(struct world *world, uint32_t number, uint64_t level)
{
  struct queue *queue = &world->queues[number];
  struct out_queue_result *result = &world->result->queues[number];
  result->held += (double)queue->level * (world->now - queue->since);
  queue->since = world->now;
  queue->level = level;
  result->most = level > result->most ? level : result->most;
}

static void take_items(struct world *world, uint32_t number, uint64_t count)
{
  struct queue *queue = &world->queues[number];
  change_level(world, number, queue->level - count);
  world->result->queues[number].gets += count;
  /* Those that go on now have a place each. */
  for (; count > 0 && queue->putting.first != NOBODY; count--)
    append(world, &world->ready, take_first(world, &queue->putting));
}

/* Takes what there is for the station's next task. True: that is all that it needs. */
static bool take_inputs(struct world *world, uint32_t number)
{
  const struct out_network_station *model = &world->network->stations[number];
  struct station *station = &world->stations[number];
  bool all = !model->takes_any;
  for (uint32_t i = 0; i < model->num_inputs; i++) {
    const uint32_t at = model->takes_any ? (station->turn + i) % model->num_inputs : i;
    const struct out_network_port *input = &model->inputs[at];
    const uint64_t level = world->queues[input->queue].level;
    if (model->takes_any && level > 0) {
      take_items(world, input->queue, 1);
      station->turn = at + 1;
      return true;
    }
    if (model->takes_any)
      continue;
    const uint64_t needed = needs(input, station->started) - station->taken[at];
    if (needed > 0 && level > 0)
      take_items(world, input->queue, level < needed ? level : needed);
    station->taken[at] += level < needed ? level : needed;
    all = all && level >= needed;
  }
  for (uint32_t i = 0; all && i < model->num_inputs; i++)
    station->taken[i] = 0;
  return all;
}

static void end_task(struct world *world, uint32_t number)
{
  struct server *server = &world->servers[number];
  struct out_station_result *result = &world->result->stations[server->station];
  result->tasks++;
  result->busy += world->now - server->begin;
  if (!world->network->stations[server->station].outside)
    world->result->end = fmax(world->result->end, world->now);
  server->port = 0;
  server->putting = false;
  append(world, &world->ready, number);
}

/* The task does what comes next: it needs a processor, waits for what is left, or ends. */
static void go_on_with_task(struct world *world, uint32_t number)
{
  struct server *server = &world->servers[number];
  if (server->processor_time > 0) {
    world->result->processor_time += server->processor_time;
    out_event_heap_add(&world->computing, world->had + server->processor_time, number);
    server->processor_time = 0;
  } else if (server->waits_then > 0) {
    out_event_heap_add(&world->waiting, world->now + server->waits_then, number);
    server->waits_then = 0;
  } else
    end_task(world, number);
}

/* How much of a task's waiting comes before it needs a processor. It is not known, and not the same for all: servers
 * that are as fast would go in step. */
static double first_part(struct world *world)
{
  return ldexp((double)(next_random(&world->random) >> 11), -53);
}

static void begin_task(struct world *world, uint32_t number)
{
  struct server *server = &world->servers[number];
  const struct out_network_station *model = &world->network->stations[server->station];
  const double time = time_of_task(world, server, world->stations[server->station].started++);
  world->result->stations[server->station].asked += time;
  server->begin = world->now + model->between;
  if (!model->outside)
    world->result->begin = fmin(world->result->begin, server->begin);
  server->processor_time = time * model->on_processor;
  const double waits = fmax(0, time - server->processor_time);
  const double first = model->between + (server->processor_time > 0 ? first_part(world) : 1) * waits;
  server->waits_then = model->between + waits - first;
  if (first > 0)
    out_event_heap_add(&world->waiting, world->now + first, number);
  else
    go_on_with_task(world, number);
}

/* Idle servers begin tasks as far as there are items for them. */
static void begin_tasks(struct world *world, uint32_t number)
{
  const struct out_network_station *model = &world->network->stations[number];
  struct station *station = &world->stations[number];
  while (station->idle.first != NOBODY && (model->tasks == 0 || station->started < model->tasks) &&
         (model->num_inputs == 0 || take_inputs(world, number))) {
    world->result->steps++;
    begin_task(world, take_first(world, &station->idle));
  }
}

static void put_item(struct world *world, uint32_t number)
{
  struct queue *queue = &world->queues[number];
  change_level(world, number, queue->level + 1);
  world->result->queues[number].puts++;
  const uint32_t takers = queue->end_taker - queue->first_taker;
  for (uint32_t i = 0; i < takers && queue->level > 0; i++)
    begin_tasks(world, world->takers[queue->first_taker + (queue->turn + i) % takers]);
  queue->turn = takers > 0 ? (queue->turn + 1) % takers : 0;
}

/* A server whose task has ended puts what comes of it, and is idle then. */
static void go_on(struct world *world, uint32_t number)
{
  struct server *server = &world->servers[number];
  const struct out_network_station *model = &world->network->stations[server->station];
  struct station *station = &world->stations[server->station];
  for (; server->port < model->num_outputs; server->port++, server->putting = false) {
    const struct out_network_port *output = &model->outputs[server->port];
    if (!server->putting) {
      station->given[server->port] += output->items;
      server->left = (uint64_t)(station->given[server->port] + ROUNDED);
      station->given[server->port] -= (double)server->left;
      server->putting = true;
    }
    const uint64_t capacity = world->network->queues[output->queue].capacity;
    for (; server->left > 0; server->left--) {
      if (capacity > 0 && world->queues[output->queue].level >= capacity) {
        append(world, &world->queues[output->queue].putting, number);
        return;
      }
      world->result->steps++;
      put_item(world, output->queue);
    }
  }
  append(world, &station->idle, number);
  begin_tasks(world, server->station);
}

/* The speed at which each task that wants a processor has one. */
static double speed_of(const struct world *world)
{
  const double processors = world->network->processors;
  return processors > 0 ? fmin(1, processors / world->computing.count) : 1;
}

/* Goes to the next moment at which something happens. False: nothing does. */
static bool next_event(struct world *world)
{
  const bool waits = world->waiting.count > 0, computes = world->computing.count > 0;
  if (!waits && !computes)
    return false;
  const double speed = computes ? speed_of(world) : 1;
  const double computed = computes ? world->now + fmax(0, world->computing.events[0].time - world->had) / speed : 0;
  if (computes && (!waits || computed <= world->waiting.events[0].time)) {
    world->had = fmax(world->had, world->computing.events[0].time);
    world->now = computed;
    go_on_with_task(world, out_event_heap_take(&world->computing));
    return true;
  }
  const double until = world->waiting.events[0].time;
  world->had += computes ? (until - world->now) * speed : 0;
  world->now = until;
  go_on_with_task(world, out_event_heap_take(&world->waiting));
  return true;
}

static void run(struct world *world, uint64_t most_steps)
{
  struct out_network_result *result = world->result;
  for (uint32_t i = 0; i < world->network->num_queues; i++)
    change_level(world, i, world->network->queues[i].initial);
  for (uint32_t i = 0; i < world->network->num_stations; i++)
    begin_tasks(world, i);
  for (;;) {
    while (world->ready.first != NOBODY && result->steps < most_steps) {
      result->steps++;
      go_on(world, take_first(world, &world->ready));
    }
    if (result->steps++ >= most_steps)
      break;
    if (!next_event(world)) {
      result->ended = true;
      break;
    }
  }
  for (uint32_t i = 0; i < world->network->num_queues; i++)
    change_level(world, i, world->queues[i].level);
  result->until = world->now;
  result->begin = fmin(result->begin, result->end);
}

/* How much of everything there is. */
struct sizes {
  size_t servers, inputs, outputs, times;
};

static struct sizes sizes_of(const struct out_network *network)
{
  struct sizes sizes = {0};
  for (uint32_t i = 0; i < network->num_stations; i++) {
    sizes.servers += network->stations[i].servers;
    sizes.inputs += network->stations[i].num_inputs;
    sizes.outputs += network->stations[i].num_outputs;
    sizes.times += network->stations[i].num_times;
  }
  return sizes;
}

/* A piece of the memory; everything in it is aligned as a double is. */
static void *cut(char **memory, size_t count, size_t size)
{
  void *piece = *memory;
  *memory += (count * size + 7) / 8 * 8;
  return piece;
}

static void place_servers(struct world *world, char **memory)
{
  const struct out_network *network = world->network;
  for (uint32_t i = 0; i < network->num_stations; i++) {
    const struct out_network_station *model = &network->stations[i];
    struct station *station = &world->stations[i];
    station->idle = (struct line){NOBODY, NOBODY};
    station->taken = cut(memory, model->num_inputs, sizeof *station->taken);
    station->given = cut(memory, model->num_outputs, sizeof *station->given);
    station->times = cut(memory, model->num_times, sizeof *station->times);
    if (model->num_times > 0)
      memcpy(station->times, model->times, model->num_times * sizeof *model->times);
    /* Shares of one whole go to one output after the other. */
    for (uint32_t j = 0; j < model->num_outputs; j++)
      station->given[j] = model->outputs[j].items < 1 ? (double)j / model->num_outputs : 0;
    for (uint32_t j = 0; j < model->servers; j++) {
      world->servers[world->num_servers] = (struct server){.station = i, .number = j};
      append(world, &station->idle, world->num_servers++);
    }
  }
}

static void place_takers(struct world *world)
{
  const struct out_network *network = world->network;
  uint32_t count = 0;
  for (uint32_t i = 0; i < network->num_queues; i++) {
    world->queues[i] = (struct queue){.putting = {NOBODY, NOBODY}, .first_taker = count};
    for (uint32_t j = 0; j < network->num_stations; j++)
      for (uint32_t k = 0; k < network->stations[j].num_inputs; k++)
        if (network->stations[j].inputs[k].queue == i)
          world->takers[count++] = j;
    world->queues[i].end_taker = count;
  }
}

static int make(struct world *world)
{
  const struct out_network *network = world->network;
  const struct sizes sizes = sizes_of(network);
  const size_t bytes = network->num_stations * sizeof *world->stations + network->num_queues * sizeof *world->queues +
                       sizes.servers * (sizeof *world->servers + 2 * sizeof *world->waiting.events) +
                       sizes.inputs * (sizeof(uint64_t) + sizeof *world->takers) + sizes.outputs * sizeof(double) +
                       sizes.times * sizeof(double) + 8;
  char *memory = world->memory = calloc(1, bytes);
  world->result->stations = calloc(network->num_stations + 1u, sizeof *world->result->stations);
  world->result->queues = calloc(network->num_queues + 1u, sizeof *world->result->queues);
  if (!memory || !world->result->stations || !world->result->queues)
    return -ENOMEM;
  world->stations = cut(&memory, network->num_stations, sizeof *world->stations);
  world->queues = cut(&memory, network->num_queues, sizeof *world->queues);
  world->servers = cut(&memory, sizes.servers, sizeof *world->servers);
  world->waiting.events = cut(&memory, sizes.servers, sizeof *world->waiting.events);
  world->computing.events = cut(&memory, sizes.servers, sizeof *world->computing.events);
  world->ready = (struct line){NOBODY, NOBODY};
  place_servers(world, &memory);
  world->takers = cut(&memory, sizes.inputs, sizeof *world->takers);
  place_takers(world);
  return 0;
}

int out_network_run(const struct out_network *network, uint64_t seed, uint64_t most_steps,
                    struct out_network_result *result)
{
  *result = (struct out_network_result){.begin = INFINITY};
  struct world world = {.network = network, .result = result, .random = seed};
  const int made = make(&world);
  if (made == 0)
    run(&world, most_steps);
  else
    out_network_result_free(result);
  free(world.memory);
  return made;
}

void out_network_result_free(struct out_network_result *result)
{
  free(result->stations);
  free(result->queues);
  result->stations = NULL;
  result->queues = NULL;
}
