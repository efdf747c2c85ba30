/* A pipeline simulated event by event: who waits for which queue, and what each does next. */
#include "tests/support/pipeline_simulator.h"

#include <stdio.h>
#include <stdlib.h>

enum { ACTORS = 256 };

enum step { STEP_GET, STEP_BLOCK, STEP_WORK, STEP_PUT, STEP_DONE };

/* The source, a replica of a stage, or the sink. */
struct actor {
  struct recording_thread *thread;
  uint64_t from, to, stage; /* records; 0: none */
  uint64_t *from_items, *to_items;
  const struct simulated_stage *model; /* NULL: source and sink */
  uint32_t replica;
  uint64_t time; /* of an item, without a model */
  uint64_t left; /* source: items still to give */
  enum step step;
  uint64_t since;        /* the step's begin */
  uint64_t until;        /* STEP_WORK: its end */
  uint64_t begun, taken; /* the task's begin; items taken for it */
  int failed;
};

struct world {
  struct recording_writer *writer;
  const struct simulation *simulation;
  struct actor actors[ACTORS];
  uint32_t count;
  uint64_t items[SIMULATED_STAGES + 1]; /* in each queue */
  uint64_t tasks[SIMULATED_STAGES];     /* begun, by stage */
  uint64_t ends[SIMULATED_STAGES];      /* of the last task, by stage; 0 before the first */
  uint64_t ring, blocks;                /* the queue by which blocks come back, 0: none; how many are free */
  uint64_t now;
};

static struct actor *add_actor(struct world *world, const char *name)
{
  if (world->count == ACTORS)
    abort();
  struct actor *actor = &world->actors[world->count++];
  actor->thread = recording_writer_thread(world->writer, 100 + world->count, name);
  return actor;
}

static void begin_work(struct world *world, struct actor *actor)
{
  const struct simulated_stage *model = actor->model;
  uint64_t time = actor->time;
  actor->failed = 0;
  if (model) {
    uint64_t number = ++world->tasks[model - world->simulation->stages];
    int slow = (model->every && number % model->every == 0) || model->slow_thread == actor->replica + 1;
    time = slow ? model->slow : model->time;
    actor->failed = model->failing && number % model->failing == 0;
  }
  actor->step = STEP_WORK;
  actor->begun = world->now + (model ? model->between : 0);
  actor->until = actor->begun + time;
}

static void end_task(struct world *world, struct actor *actor)
{
  if (!actor->stage)
    return;
  pipeline_writer_task(world->writer, actor->thread, actor->stage, actor->begun, world->now, actor->failed);
  uint64_t *end = &world->ends[actor->model - world->simulation->stages];
  if (*end)
    pipeline_writer_gap(world->writer, actor->thread, actor->stage, world->now - *end);
  *end = world->now;
}

static void begin_get(struct world *world, struct actor *actor)
{
  actor->since = world->now;
  actor->taken = 0;
  actor->step = STEP_GET;
  if (actor->from)
    return;
  if (actor->left == 0) {
    actor->step = STEP_DONE;
    return;
  }
  actor->left--;
  begin_work(world, actor);
}

static int takes_block(const struct world *world, const struct actor *actor)
{
  return actor->model == world->simulation->stages && world->simulation->blocks + world->simulation->slots > 0;
}

/* The last stage gives back what the first one took. */
static void give_back(struct world *world, struct actor *actor)
{
  if (actor->model != &world->simulation->stages[world->simulation->count - 1])
    return;
  world->blocks++;
  if (world->ring)
    pipeline_writer_put(world->writer, actor->thread, world->ring, world->now, world->now);
}

/* Does what the actor can do now. 0 when it can do nothing. */
static int advance(struct world *world, struct actor *actor)
{
  uint64_t wanted = actor->model && actor->model->takes ? actor->model->takes : 1;
  if (actor->step == STEP_GET && *actor->from_items > 0) {
    pipeline_writer_get(world->writer, actor->thread, actor->from, actor->since, world->now);
    --*actor->from_items;
    actor->since = world->now;
    if (++actor->taken < wanted)
      return 1;
    if (takes_block(world, actor))
      actor->step = STEP_BLOCK;
    else
      begin_work(world, actor);
    return 1;
  }
  if (actor->step == STEP_BLOCK && world->blocks > 0) {
    world->blocks--;
    if (world->ring)
      pipeline_writer_get(world->writer, actor->thread, world->ring, actor->since, world->now);
    begin_work(world, actor);
    return 1;
  }
  if (actor->step == STEP_WORK && actor->until <= world->now) {
    actor->step = STEP_PUT;
    actor->since = world->now;
    int inside = world->simulation->waits_inside && actor->to && !actor->failed;
    if (!inside)
      end_task(world, actor);
    give_back(world, actor);
    if (!actor->to || actor->failed)
      begin_get(world, actor);
    return 1;
  }
  if (actor->step == STEP_PUT && *actor->to_items < world->simulation->capacity) {
    pipeline_writer_put(world->writer, actor->thread, actor->to, actor->since, world->now);
    ++*actor->to_items;
    if (world->simulation->waits_inside)
      end_task(world, actor);
    begin_get(world, actor);
    return 1;
  }
  return 0;
}

/* The next moment at which a task ends; UINT64_MAX: nothing happens any more. */
static uint64_t next_moment(const struct world *world)
{
  uint64_t next = UINT64_MAX;
  for (uint32_t i = 0; i < world->count; i++)
    if (world->actors[i].step == STEP_WORK && world->actors[i].until < next)
      next = world->actors[i].until;
  return next;
}

static void run(struct world *world)
{
  for (uint32_t i = 0; i < world->count; i++)
    begin_get(world, &world->actors[i]);
  for (uint64_t next = 0; next != UINT64_MAX; next = next_moment(world)) {
    world->now = next;
    for (int moved = 1; moved;) {
      moved = 0;
      for (uint32_t i = 0; i < world->count; i++)
        moved |= advance(world, &world->actors[i]);
    }
  }
}

struct recording_writer *simulate(const struct simulation *simulation, uint64_t *end)
{
  static struct world world;
  world = (struct world){.writer = recording_writer_new(7, SIMULATED_HZ), .simulation = simulation};
  uint64_t queues[SIMULATED_STAGES + 1];
  for (uint32_t i = 0; i <= simulation->count; i++)
    queues[i] = pipeline_writer_queue(world.writer, 0, i, i == 0 ? "source" : simulation->stages[i - 1].name,
                                      simulation->capacity, 0);
  struct actor *source = add_actor(&world, "source");
  source->to = queues[0];
  source->to_items = &world.items[0];
  source->time = simulation->source_time;
  source->left = simulation->items;
  for (uint32_t i = 0; i < simulation->count; i++) {
    const struct simulated_stage *model = &simulation->stages[i];
    uint64_t stage = pipeline_writer_stage(world.writer, 0, i + 1, model->name, model->concurrency, 0);
    for (uint32_t replica = 0; replica < model->concurrency; replica++) {
      struct actor *actor = add_actor(&world, model->name);
      actor->model = model;
      actor->replica = replica;
      actor->stage = stage;
      actor->from = queues[i];
      actor->from_items = &world.items[i];
      actor->to = queues[i + 1];
      actor->to_items = &world.items[i + 1];
    }
  }
  world.blocks = simulation->blocks + simulation->slots;
  if (simulation->blocks > 0)
    world.ring = pipeline_writer_queue(world.writer, 0, simulation->count, "free", simulation->blocks, 0);
  for (uint64_t i = 0; i < simulation->blocks; i++)
    pipeline_writer_put(world.writer, source->thread, world.ring, 0, 0);
  struct actor *sink = add_actor(&world, "sink");
  sink->from = queues[simulation->count];
  sink->from_items = &world.items[simulation->count];
  sink->time = simulation->sink_time;
  run(&world);
  *end = world.now;
  return world.writer;
}
