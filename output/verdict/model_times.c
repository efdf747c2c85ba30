/* Finds how long the tasks of a stage take in a simulation. */
#include "output/verdict/model_times.h"

#define MOST_TIMES 4096.0
#define PACED      0.02 /* of a server's time: what it waits between tasks counts */
#define WARM       0.90 /* of the first task's time: a time that is its */

enum { LEVELS = 64 };

static bool warms_up(const struct out_bottleneck *bottleneck, const struct out_stage_view *view)
{
  return bottleneck->warm == view && view->stage->stats.num_tasks > 1;
}

/* The time of all tasks, but for a first one that warms up. */
static double own_time(const struct out_bottleneck *bottleneck, const struct out_stage_view *view)
{
  const struct out_stage *stage = view->stage;
  const double inclusive = stage->stats.total_time + stage->stats.failed_time;
  const double own = stage->work.known ? fmin(stage->work.own, inclusive) : inclusive;
  return out_model_number(own - (warms_up(bottleneck, view) ? bottleneck->warm_time : 0));
}

/* What a task does with its time. Where it is not known and there are few processors, it is taken to compute. */
static void find_parts(const struct out_bottleneck *bottleneck, const struct out_stage_view *view,
                       struct out_model_station *meaning)
{
  const double tasks = (double)view->stage->stats.num_tasks - (warms_up(bottleneck, view) ? 1 : 0);
  const double mean = own_time(bottleneck, view) / tasks;
  const struct out_task_shares unknown = {.cpu = bottleneck->processors > 0 ? 1 : 0};
  const struct out_task_shares *shares = view->shares.known ? &view->shares : &unknown;
  meaning->computes = mean * shares->cpu;
  meaning->ready = mean * shares->ready;
  meaning->waits = fmax(0, mean - meaning->computes - meaning->ready);
}

/* The seconds that a server waits before each task, and that neither work nor a queue explains. */
static double find_between(const struct callsig_pipeline *pipeline, const struct out_stage_view *view)
{
  const struct out_stage *stage = view->stage;
  if (pipeline->steps > 0 || stage->last_ticks <= stage->first_ticks)
    return 0;
  double there = view->replicas * (double)(stage->last_ticks - stage->first_ticks) * pipeline->tick;
  if (stage->work.known)
    there = fmin(there, stage->work.lifetime);
  const double inclusive = stage->stats.total_time + stage->stats.failed_time;
  const double own = stage->work.known ? fmin(stage->work.own, inclusive) : inclusive;
  const double left = out_model_number(there - own - stage->get_wait - stage->put_wait);
  return left >= PACED * there ? left / (double)stage->stats.num_tasks : 0;
}

/* Of the slots that belong to a phase: tasks, and what they took. */
static void sum_phase(const struct out_busy_slots *slots, const struct out_task_work *work,
                      const struct base_vector *phases, uint32_t number, double *tasks, double *own)
{
  const struct out_phase *phase = base_vector_at(phases, number);
  *tasks = *own = 0;
  for (unsigned i = 0; i < FMT_TASK_SLOTS; i++) {
    const double middle = (i + 0.5) * slots->slot - slots->begin;
    if ((number == 0 || middle >= phase->from) && (number + 1 == phases->count || middle < phase->until)) {
      *tasks += (double)work->slots[i].tasks;
      *own += (double)work->slots[i].own;
    }
  }
}

/* The means of parts of the time in which another stage bounds, as factors of equal parts of the tasks. `*explained`
 * gets how much of the squares of the differences from the mean they are, a task. False when memory is short. */
static bool find_levels(const struct out_bottleneck *bottleneck, const struct out_stage_view *view,
                        const struct out_busy_slots *slots, struct base_arena *memory,
                        struct out_network_station *station, double *explained)
{
  const struct out_task_work *work = &slots->works[view - bottleneck->views];
  const struct base_vector *phases = &bottleneck->phases;
  double *levels = base_arena_alloc(memory, LEVELS * sizeof *levels);
  double all = 0, all_own = 0, before = 0, tasks, own;
  if (!levels)
    return false;
  for (uint32_t i = 0; i < phases->count; i++) {
    sum_phase(slots, work, phases, i, &tasks, &own);
    all += tasks;
    all_own += own;
  }
  for (unsigned i = 0; i < LEVELS; i++)
    levels[i] = 1;
  for (uint32_t i = 0; i < phases->count && all > 0 && all_own > 0; i++) {
    sum_phase(slots, work, phases, i, &tasks, &own);
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

/* The distribution of its tasks' times: that of its successes, and of failures the mean. `explained` of its squares of
 * the differences from the mean is in factors already. False when memory is short. */
static bool find_distribution(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                              const struct out_stage_view *view, double explained, struct base_arena *memory,
                              struct out_network_station *station)
{
  const struct callsig_stage_stats *stats = &view->stage->stats;
  const uint32_t count = (uint32_t)fmin(MOST_TIMES, (double)station->expected);
  const uint32_t failed = (uint32_t)((double)stats->num_failures / (double)stats->num_tasks * count);
  const uint32_t succeeded = count - failed;
  const double tick = pipeline->tick > 0 ? pipeline->tick : 1;
  double *times = base_arena_alloc(memory, (count + 1u) * sizeof *times);
  if (!times)
    return false;
  if (succeeded > 0 && !out_histogram_quantiles(&view->stage->times, times, succeeded))
    return true;
  if (succeeded > 1 && warms_up(bottleneck, view) && times[succeeded - 1] * tick >= WARM * bottleneck->warm_time)
    times[succeeded - 1] = times[succeeded - 2];
  for (uint32_t i = succeeded; i < count; i++)
    times[i] = stats->failed_time / (double)stats->num_failures / tick;
  const double squares = normalise(times, count);
  if (squares < 0)
    return true;
  station->times = times;
  station->num_times = count;
  station->spread = squares > explained ? sqrt(1 - explained / squares) : 0;
  return true;
}

bool out_model_times(const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                     const struct out_stage_view *view, const struct out_busy_slots *slots, struct out_model *model,
                     struct out_network_station *station, struct out_model_station *meaning)
{
  find_parts(bottleneck, view, meaning);
  station->between = find_between(pipeline, view);
  if (warms_up(bottleneck, view))
    station->first = out_model_number(bottleneck->warm_time * model->share);
  double explained = find_slow_servers(bottleneck, view, station);
  if (slots->works && bottleneck->phases.count > 0 &&
      !find_levels(bottleneck, view, slots, &model->memory, station, &explained))
    return false;
  return find_distribution(pipeline, bottleneck, view, explained, &model->memory, station);
}
