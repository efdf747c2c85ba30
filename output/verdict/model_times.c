/* Finds how long the tasks of a stage take in a simulation. */
#include "output/verdict/model_times.h"

#include "output/pipeline/outside_waits.h"

#define MOST_TIMES 4096.0
#define PACED      0.02 /* of a server's time: what it waits between tasks counts */
#define WARM       0.90 /* of the first task's time: a time that is its */

enum { LEVELS = 64 };

static bool warms_up(const struct out_bottleneck *bottleneck, const struct out_stage_view *view)
{
  return bottleneck->warm == view && view->stage->stats.num_tasks > 1;
}

/* The time of all tasks, without what they wait for tasks and queues inside of them. */
static double whole_own_time(const struct out_stage *stage)
{
  const double inclusive = stage->stats.total_time + stage->stats.failed_time;
  return stage->work.known ? fmin(stage->work.own, inclusive) : inclusive;
}

/* The same, but for a first task that warms up. */
static double own_time(const struct out_bottleneck *bottleneck, const struct out_stage_view *view)
{
  return out_model_number(whole_own_time(view->stage) - (warms_up(bottleneck, view) ? bottleneck->warm_time : 0));
}

/* What a task of the first stage of a group, and the tasks of the others that come with it, do with their time. Where
 * it is not known and there are few processors, they are taken to compute. */
static void find_parts(const struct out_bottleneck *bottleneck, struct out_model_station *meaning)
{
  const struct out_thread_group *group = &meaning->group;
  const struct out_task_shares unknown = {.known = true, .cpu = bottleneck->processors > 0 ? 1 : 0};
  const double first = (double)group->members[0]->stage->stats.num_tasks;
  for (uint32_t i = 0; i < group->count; i++) {
    const struct out_stage_view *view = group->members[i];
    const double tasks = first - (warms_up(bottleneck, view) ? 1 : 0);
    const double mean = own_time(bottleneck, view) / fmax(1, tasks);
    const struct out_task_shares *shares = view->shares.known ? &view->shares : &unknown;
    meaning->computes += mean * shares->cpu;
    meaning->ready += mean * shares->ready;
    meaning->waits += fmax(0, mean - mean * shares->cpu - mean * shares->ready);
  }
}

/* The seconds that the threads of a group were ready and waited for a processor outside of their tasks, at most. */
static double ready_outside(const struct out_thread_group *group)
{
  double ready = 0;
  for (uint32_t i = 0; i < group->count; i++) {
    const struct out_stage_view *view = group->members[i];
    ready += view->stage->work.queued - (view->shares.known ? view->shares.ready * whole_own_time(view->stage) : 0);
  }
  return out_model_number(fmax(0, ready));
}

/* The seconds that a server waits before each task, and that neither work nor a queue explains; and how much of
 * their time is not waiting for a processor either. */
static double find_between(const struct callsig_pipeline *pipeline, const struct out_thread_group *group,
                           double *untold)
{
  const struct out_stage *first = group->members[0]->stage;
  *untold = 0;
  if (pipeline->steps > 0 || first->last_ticks <= first->first_ticks)
    return 0;
  const double span = out_pipeline_recorded(pipeline, first->first_ticks, first->last_ticks);
  const double there = out_stage_presence(pipeline, first, group->servers * span);
  double own = 0, gets = 0, puts = 0;
  /* Of a queue, all stages behind it have what the threads waited to get; that before it, what they waited to put. */
  for (uint32_t i = 0; i < group->count; i++) {
    own += whole_own_time(group->members[i]->stage);
    gets = fmax(gets, group->members[i]->stage->get_wait);
    puts += group->members[i]->stage->put_wait;
  }
  /* What is cut off where recording stops and goes on is explained by nothing: half a task and its waits each time. */
  const double cut = pipeline->pauses.count * group->servers * (own + gets + puts) / (double)first->stats.num_tasks;
  const double left = out_model_number(fmax(0, there - own - gets - puts - cut));
  *untold = fmax(0, left - ready_outside(group)) / fmax(there, 1e-30);
  return left >= PACED * there ? left / (double)first->stats.num_tasks : 0;
}

/* Of the slots that belong to a phase: the tasks of a group's first stage, and what all of its tasks took. */
static void sum_phase(const struct out_busy_slots *slots, const struct out_thread_group *group,
                      const struct base_vector *phases, uint32_t number, double *tasks, double *own)
{
  const struct out_phase *phase = base_vector_at(phases, number);
  *tasks = *own = 0;
  for (unsigned i = 0; i < FMT_TASK_SLOTS; i++) {
    const double middle = (i + 0.5) * slots->slot - slots->begin;
    if ((number > 0 && middle < phase->from) || (number + 1 < phases->count && middle >= phase->until))
      continue;
    for (uint32_t j = 0; j < group->count; j++) {
      const struct out_task_work *work = &slots->works[group->members[j] - slots->bottleneck->views];
      *tasks += j == 0 ? (double)work->slots[i].tasks : 0;
      *own += (double)work->slots[i].own;
    }
  }
}

/* The means of parts of the time in which another stage bounds, as factors of equal parts of the tasks. `*explained`
 * gets how much of the squares of the differences from the mean they are, a task. False when memory is short. */
static bool find_levels(const struct out_bottleneck *bottleneck, const struct out_thread_group *group,
                        const struct out_busy_slots *slots, struct base_arena *memory,
                        struct out_network_station *station, double *explained)
{
  const struct base_vector *phases = &bottleneck->phases;
  double *levels = base_arena_alloc(memory, LEVELS * sizeof *levels);
  double all = 0, all_own = 0, before = 0, tasks, own;
  if (!levels)
    return false;
  for (uint32_t i = 0; i < phases->count; i++) {
    sum_phase(slots, group, phases, i, &tasks, &own);
    all += tasks;
    all_own += own;
  }
  for (unsigned i = 0; i < LEVELS; i++)
    levels[i] = 1;
  for (uint32_t i = 0; i < phases->count && all > 0 && all_own > 0; i++) {
    sum_phase(slots, group, phases, i, &tasks, &own);
    const double level = tasks > 0 ? own / tasks * all / all_own : 1;
    for (unsigned j = (unsigned)(before / all * LEVELS + 0.5); j < LEVELS; j++)
      levels[j] = level;
    before += tasks;
    *explained += tasks / all * (level - 1) * (level - 1);
  }
  station->levels = levels;
  station->num_levels = LEVELS;
  return true;
}

/* Threads that are slower than the others. Returns how much of the squares of the differences that explains. */
static double find_slow_servers(const struct out_bottleneck *bottleneck, const struct out_stage_view *view,
                                struct out_network_station *station)
{
  const struct callsig_stage_stats *stats = &view->stage->stats;
  const double mean = out_stage_successes(stats) > 0 ? stats->total_time / (double)out_stage_successes(stats) : 0;
  double slow = 0, others = 0, tasks = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < bottleneck->stragglers.count; i++) {
    const struct out_straggler *straggler = base_vector_at(&bottleneck->stragglers, i);
    if (straggler->view != view)
      continue;
    count++;
    slow += straggler->mean;
    others += straggler->others;
    tasks += (double)straggler->replica->tasks;
  }
  if (count == 0 || count >= station->servers || !(mean > 0) || !isfinite(slow) || !isfinite(others))
    return 0;
  station->slow_servers = count;
  station->slow_factor = slow / count / mean;
  station->other_factor = others / count / mean;
  const double share = fmin(1, tasks / (double)stats->num_tasks);
  return share * pow(station->slow_factor - 1, 2) + (1 - share) * pow(station->other_factor - 1, 2);
}

/* Makes times of a mean of 1. Returns the mean of the squares of what they differ by; below 0: they are no times. */
static double normalise(double *times, uint32_t count)
{
  double sum = 0, squares = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += times[i];
  if (!isfinite(sum) || !(sum > 0))
    return -1;
  for (uint32_t i = 0; i < count; i++) {
    times[i] *= count / sum;
    squares += (times[i] - 1) * (times[i] - 1) / count;
  }
  return squares;
}

/* The distribution of a stage's times: that of its successes, and of failures the mean; their mean is 1. False: there
 * is none. */
static bool find_times(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                       const struct out_stage_view *view, double *times, uint32_t count, double *squares)
{
  const struct callsig_stage_stats *stats = &view->stage->stats;
  const uint32_t failed = (uint32_t)((double)stats->num_failures / (double)stats->num_tasks * count);
  const uint32_t succeeded = count - failed;
  const double tick = pipeline->tick > 0 ? pipeline->tick : 1;
  if (succeeded > 0 && !out_histogram_quantiles(&view->stage->times, times, succeeded))
    return false;
  if (succeeded > 1 && warms_up(bottleneck, view) && times[succeeded - 1] * tick >= WARM * bottleneck->warm_time)
    times[succeeded - 1] = times[succeeded - 2];
  for (uint32_t i = succeeded; i < count; i++)
    times[i] = stats->failed_time / (double)stats->num_failures / tick;
  *squares = normalise(times, count);
  return *squares >= 0;
}

/* The distribution of the times of a group's tasks, each stage's by its part of the whole. `explained` of its squares
 * of the differences from the mean is in factors already. False when memory is short. */
static bool find_distribution(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                              double explained, struct base_arena *memory, struct out_network_station *station,
                              struct out_model_station *meaning)
{
  const struct out_thread_group *group = &meaning->group;
  const uint32_t count = (uint32_t)fmin(MOST_TIMES, (double)station->expected);
  double *sums = base_arena_alloc(memory, (count + 1u) * sizeof *sums);
  double *times = base_arena_alloc(memory, (count + 1u) * sizeof *times);
  uint64_t random = 1;
  double all = 0, squares;
  if (!sums || !times)
    return false;
  for (uint32_t i = 0; i < group->count; i++) {
    const double own = own_time(bottleneck, group->members[i]);
    all += own;
    if (own > 0 && !find_times(pipeline, bottleneck, group->members[i], times, count, &squares))
      return true;
    /* Long tasks of one are not those of another. */
    if (i > 0)
      out_network_shuffle(&random, times, count);
    for (uint32_t j = 0; j < count && own > 0; j++)
      sums[j] += own * times[j];
  }
  squares = all > 0 ? normalise(sums, count) : -1;
  if (squares < 0)
    return true;
  station->times = sums;
  station->num_times = count;
  station->spread = squares > explained ? sqrt(1 - explained / squares) : 0;
  meaning->doubt = station->spread * sqrt(squares / (double)group->members[0]->stage->stats.num_tasks);
  return true;
}

bool out_model_times(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                     const struct out_busy_slots *slots, struct out_model *model, struct out_network_station *station,
                     struct out_model_station *meaning)
{
  const struct out_thread_group *group = &meaning->group;
  find_parts(bottleneck, meaning);
  station->between = find_between(pipeline, group, &meaning->untold);
  for (uint32_t i = 0; i < group->count; i++)
    if (warms_up(bottleneck, group->members[i]))
      station->first = out_model_number(bottleneck->warm_time * model->share);
  double explained = group->count > 1 ? 0 : find_slow_servers(bottleneck, group->members[0], station);
  if (slots->works && bottleneck->phases.count > 0 &&
      !find_levels(bottleneck, group, slots, &model->memory, station, &explained))
    return false;
  return find_distribution(pipeline, bottleneck, explained, &model->memory, station, meaning);
}
