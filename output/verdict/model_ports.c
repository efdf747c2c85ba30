/* Finds the queues of a station of the network. */
#include "output/verdict/model_ports.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "output/pipeline/rings.h"

#define MOST_LINKS 4096u  /* of stages that share threads, which are looked through for each */
#define MOST_ITEMS 4096.0 /* that a task takes or gives */
#define FEW        0.005  /* a task: items of a queue that a stage is not between */
#define ONE_IN_ALL 1.05   /* a task takes one item, from whichever queue has one */
#define BATCH      1.5    /* items a task, and more: it takes several together */
#define MOST_OFF   0.2    /* the same of few tasks */
#define GAVE_UP    0.1    /* a task: gets that no item came for in time */
#define WHOLE      0.02   /* of an item: as many of it a task as there were before all tasks of a ring had ended */

struct finder {
  const struct callsig_pipeline *pipeline;
  struct out_model *model;
  struct out_network_port inputs[OUT_MODEL_MOST], outputs[OUT_MODEL_MOST];
  bool in_ring;   /* items go round in the pipeline */
  double servers; /* of the station */
};

/* The network's number of a queue; OUT_MODEL_MOST: it has so many others already. */
static uint32_t queue_number(struct finder *finder, const struct callsig_queue_stats *queue)
{
  struct out_model *model = finder->model;
  uint32_t number = 0;
  while (number < model->network.num_queues && model->queues[number] != queue)
    number++;
  if (number == model->network.num_queues && number < OUT_MODEL_MOST)
    model->queues[model->network.num_queues++] = queue;
  return number;
}

static bool has_rings(const struct callsig_pipeline *pipeline, unsigned number)
{
  for (uint32_t i = 0; i < pipeline->queues.count; i++) {
    const struct out_queue *queue = out_pipeline_queue_at(pipeline, i);
    if (queue->stats.pipeline == number && queue->ring > 0)
      return true;
  }
  return false;
}

/* The items of a task, or tasks of an item, as a whole number if they are nearly: where tasks of a ring have not ended,
 * or items were taken when there was nothing to do any more, one for each server, it would lose or gain more with each
 * round. */
static double whole(double items, double tasks, double servers)
{
  const double each = items / tasks;
  const double per_item = each < 1 ? 1 / each : each, nearest = floor(per_item + 0.5);
  const double off = fmin(MOST_OFF, fmax(WHOLE, (servers + 1) / fmin(items, tasks)));
  if (nearest < 1 || !(fabs(per_item / nearest - 1) <= off))
    return each;
  return each < 1 ? 1 / nearest : nearest;
}

/* Adds a port. False: there are too many. */
static bool add_port(struct finder *finder, const struct callsig_queue_stats *queue, double items, double tasks,
                     struct out_network_port *ports, uint32_t *count)
{
  if (!queue)
    return true;
  const uint32_t number = queue_number(finder, queue);
  if (number == OUT_MODEL_MOST || *count == OUT_MODEL_MOST || items > MOST_ITEMS * tasks)
    return false;
  ports[(*count)++] = (struct out_network_port){
      .queue = number, .items = finder->in_ring ? whole(items, tasks, finder->servers) : items / tasks};
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
static bool find_ports(struct finder *finder, const struct out_thread_group *group, struct out_network_station *station)
{
  const struct callsig_pipeline *pipeline = finder->pipeline;
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
    /* What takes from a ring's queue may have put in what goes round. */
    if (queue && out_ring_items(queue) > 0 && gets >= puts)
      puts = 0;
    fits = (gets < FEW * tasks || add_port(finder, queue, gets, tasks, finder->inputs, &station->num_inputs)) &&
           (puts < FEW * tasks || add_port(finder, queue, puts, tasks, finder->outputs, &station->num_outputs));
    seen = true;
  }
  if (!seen && view->input)
    fits = add_port(finder, view->input, (double)view->input->num_items, tasks, finder->inputs, &station->num_inputs);
  if (!seen && view->output && fits)
    fits = add_port(finder, view->output, (double)view->output->puts, tasks, finder->outputs, &station->num_outputs);
  double taken = 0;
  for (uint32_t i = 0; i < station->num_inputs; i++)
    taken += finder->inputs[i].items;
  station->takes_any = station->num_inputs > 1 && taken <= ONE_IN_ALL;
  return fits;
}

/* Are the items not those of tasks that take so many each, but for a last one of each server, and for what a server has
 * taken and not begun? */
static bool is_no_batch(const struct callsig_stage_stats *stats, double items, double servers, double batch)
{
  const double more = items - batch * (double)stats->num_tasks;
  return more < -batch * servers || more > servers * (stats->open > 0 ? batch : 1);
}

/* Do gets give up as often as a batch ends because nothing came? Each server gives up once, behind the last item. */
static bool gave_up_often(const struct finder *finder, const struct out_network_station *station,
                          const struct callsig_stage_stats *stats, double servers)
{
  double failed = 0;
  for (uint32_t i = 0; i < station->num_inputs; i++)
    failed += (double)finder->model->queues[finder->inputs[i].queue]->failed;
  return failed - servers >= GAVE_UP * (double)stats->num_tasks;
}

/* Does the station take more or fewer items a task, by what there is or by time? Then it takes others with other
 * settings. Of several queues, one may have more items for each of another. 0: it does not; else how many it took. */
static double varying_batch(const struct finder *finder, const struct out_thread_group *group,
                            const struct out_network_station *station)
{
  const struct callsig_stage_stats *stats = &group->members[0]->stage->stats;
  double each = 0;
  for (uint32_t i = 0; i < station->num_inputs; i++) {
    if (out_ring_items(finder->model->queues[finder->inputs[i].queue]) > 0)
      continue;
    if (each > 0)
      return 0;
    each = finder->inputs[i].items;
  }
  const double items = floor(each * (double)stats->num_tasks + 0.5);
  const bool gave_up = each >= ONE_IN_ALL && gave_up_often(finder, station, stats, group->servers);
  const bool varies = gave_up || (each >= BATCH && is_no_batch(stats, items, group->servers, floor(each)) &&
                                  is_no_batch(stats, items, group->servers, ceil(each)));
  return varies && group->count == 1 ? each : 0;
}

/* Copies the ports that were found behind the station. */
static bool keep_ports(const struct finder *finder, struct out_network_station *station)
{
  struct base_arena *memory = &finder->model->memory;
  station->inputs = base_arena_copy(memory, finder->inputs, station->num_inputs * sizeof *station->inputs);
  station->outputs = base_arena_copy(memory, finder->outputs, station->num_outputs * sizeof *station->outputs);
  return station->inputs && station->outputs;
}

int out_model_ports(const struct callsig_pipeline *pipeline, const struct out_thread_group *group,
                    struct out_model *model, struct out_network_station *station, const char **why)
{
  struct finder finder = {.pipeline = pipeline,
                          .model = model,
                          .servers = group->servers,
                          .in_ring = has_rings(pipeline, group->members[0]->stage->stats.pipeline)};
  *why = " uses more than 64 queues, or more than 4096 items a task, and no more are simulated: queue several together "
         "as one item";
  if (!find_ports(&finder, group, station))
    return 0;
  const double batch = varying_batch(&finder, group, station);
  if (batch > 0) {
    *why = base_arena_printf(&model->memory,
                             " takes %.1f items a task, by what there is or by time, and with other settings it would "
                             "take others: let it take a fixed number, and record again",
                             batch);
    return *why ? 0 : -ENOMEM;
  }
  return keep_ports(&finder, station) ? 1 : -ENOMEM;
}
