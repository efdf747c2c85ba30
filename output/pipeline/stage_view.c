/* Finds how a stage's replicas spend their time, and the queues around it. */
#include "output/pipeline/stage_view.h"

#include <math.h>
#include <string.h>

#include "output/pipeline/bottleneck.h"
#include "output/pipeline/rings.h"
#include "output/pipeline/threads_seen.h"

#define WAITS        0.10 /* of its time: a stage is starved or blocked */
#define CONCERN      0.05 /* of its tasks failed */
#define CRITICAL     0.20
#define PAUSES       3.0  /* p90 over the median */
#define FAR_ABOVE    10.0 /* times the median: a task that pauses */
#define PAUSE_TIME   0.20 /* of its time is in tasks that pause */
#define ENOUGH_TASKS 20   /* for a median to mean anything */
#define AGGREGATES   1.5  /* items in for each item out */
#define FEWER        0.95 /* of what its concurrency allows: its threads had no more time */
#define EXCEEDS      1.05 /* of its time is work and waits: some of it is both */
#define FEW_TASKS    2    /* a stage that had no more, beside one that had ... */
#define MANY_TASKS   20   /* ... as many, is none that items go through */
#define FINISHED     0.05 /* of the window is left when its last task ends */

bool out_queue_is_occupied(const struct callsig_queue_stats *queue)
{
  return queue->occupancy_rate >= OUT_OCCUPIED;
}

/* The first queue at or behind a place. Queues are sorted. */
static uint32_t lower_bound(const struct callsig_pipeline *pipeline, unsigned number, unsigned index)
{
  uint32_t low = 0, high = pipeline->queues.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(pipeline, middle)->stats;
    if (queue->pipeline < number || (queue->pipeline == number && queue->index < index))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static const struct callsig_queue_stats *queue_at(const struct callsig_pipeline *pipeline, uint32_t index,
                                                  unsigned number)
{
  if (index >= pipeline->queues.count)
    return NULL;
  const struct callsig_queue_stats *queue = &out_pipeline_queue_at(pipeline, index)->stats;
  return queue->pipeline == number ? queue : NULL;
}

/* Items do not come to a stage, or go on, by a queue that closes a ring; and how many are in one whose other end is
 * elsewhere is not known, unless it keeps what puts into it waiting. */
static bool is_between(const struct callsig_queue_stats *queue)
{
  const bool kept = queue->num_items == 0 && queue->put_time >= WAITS * queue->elapsed;
  return !(out_ring_items(queue) > 0) && (!out_queue_is_one_sided(queue) || kept);
}

static const struct callsig_queue_stats *if_between(const struct callsig_queue_stats *queue)
{
  return queue && is_between(queue) ? queue : NULL;
}

static const struct callsig_queue_stats *queue_named(const struct callsig_pipeline *pipeline, const char *label)
{
  for (uint32_t i = 0; i < pipeline->queues.count; i++) {
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(pipeline, i)->stats;
    if (strcmp(queue->label, label) == 0)
      return queue;
  }
  return NULL;
}

/* The queues that its threads were seen to use most: that are its own, or run other stages (`shared`) and then use one
 * queue each way, and not the same for both: that is between these stages. False: none was seen. */
static bool find_seen_queues(const struct callsig_pipeline *pipeline, uint32_t number, bool shared,
                             struct out_stage_view *view)
{
  uint64_t gets = 0, puts = 0;
  unsigned got = 0, put = 0;
  bool seen = false;
  for (uint32_t i = 0; i < pipeline->links.count; i++) {
    const struct out_link *link = base_vector_at(&pipeline->links, i);
    if (link->stage != number || link->shared != shared)
      continue;
    seen |= link->gets + link->puts > 0;
    const struct callsig_queue_stats *queue = queue_named(pipeline, link->queue);
    if (!queue || !is_between(queue))
      continue;
    got += link->gets > 0;
    put += link->puts > 0;
    if (link->gets > gets) {
      gets = link->gets;
      view->input = queue;
    }
    if (link->puts > puts) {
      puts = link->puts;
      view->output = queue;
    }
  }
  view->shared = shared && seen;
  if (shared && (got > 1 || put > 1 || (view->input && view->input == view->output))) {
    view->input = view->output = NULL;
    return false;
  }
  return seen;
}

/* Does a thread that runs tasks of the stage run those of others, too? */
static bool shares_thread(const struct callsig_pipeline *pipeline, uint32_t number)
{
  const struct out_replica *mine = NULL;
  for (uint32_t i = 0; i < pipeline->replicas.count && !mine; i++) {
    const struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    mine = replica->stage == number && !replica->folded ? replica : NULL;
  }
  for (uint32_t i = 0; i < pipeline->replicas.count && mine; i++) {
    const struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    if (replica->tid == mine->tid && replica->stage != number && !replica->folded)
      return true;
  }
  return false;
}

static bool has_links(const struct callsig_pipeline *pipeline, uint32_t number)
{
  for (uint32_t i = 0; i < pipeline->links.count; i++)
    if (((const struct out_link *)base_vector_at(&pipeline->links, i))->stage == number)
      return true;
  return false;
}

/* Was all that was taken from a queue, or put into it, seen to be by the threads of other stages alone? Threads that
 * have ended are told together: what they did may have been for any stage that they ran. */
static bool is_of_others(const struct callsig_pipeline *pipeline, uint32_t number,
                         const struct callsig_queue_stats *queue, bool takes)
{
  uint64_t seen = 0;
  for (uint32_t i = 0; queue && i < pipeline->links.count; i++) {
    const struct out_link *link = base_vector_at(&pipeline->links, i);
    const uint64_t times = takes ? link->gets : link->puts;
    if (times == 0 || strcmp(link->queue, queue->label) != 0)
      continue;
    if (link->stage == number)
      return false;
    seen += times;
  }
  return seen > 0 && seen >= (takes ? queue->num_items : queue->puts);
}

/* By their places, where nothing was seen: the queue of its own index is behind it, the one before that is before it.
 */
static void find_queues(const struct callsig_pipeline *pipeline, uint32_t number, struct out_stage_view *view)
{
  const struct callsig_stage_stats *stats = &view->stage->stats;
  if (find_seen_queues(pipeline, number, false, view) || find_seen_queues(pipeline, number, true, view))
    return;
  /* What is called directly by other stages, from threads without a queue, has none. */
  if (pipeline->links.count > 0 && !has_links(pipeline, number) && shares_thread(pipeline, number))
    return;
  uint32_t at = lower_bound(pipeline, stats->pipeline, stats->index);
  if (at > 0)
    view->input = if_between(queue_at(pipeline, at - 1, stats->pipeline));
  view->output = if_between(queue_at(pipeline, at, stats->pipeline));
  if (view->output && view->output->index != stats->index)
    view->output = NULL;
  if (is_of_others(pipeline, number, view->input, true))
    view->input = NULL;
  if (is_of_others(pipeline, number, view->output, false))
    view->output = NULL;
}

/* Threads that are there all the time are all there are. Others may be made as items come: they are too few where items
 * wait for them. */
static bool are_all(const struct out_threads_seen *seen, const struct out_stage_view *view)
{
  return (seen->count > 0 || seen->folded) && (seen->is_steady || (view->input && out_queue_is_occupied(view->input)));
}

/* How many tasks the stage worked on at a time: what it was opened with, unless there were fewer threads, or more time
 * was worked than that. Where a thread has several tasks open at a time, as in an event loop, it is not threads that
 * limit how many: they take more time, all in all, than there was. From the seconds that threads waited those are taken
 * that helped out alone. */
static void find_replicas(const struct callsig_pipeline *pipeline, const struct out_window *window, double work,
                          struct out_stage_view *view, double *get_wait, double *put_wait)
{
  const struct callsig_stage_stats *stats = &view->stage->stats;
  const double declared = stats->concurrency, most = declared * window->seconds;
  view->replicas = declared;
  view->available = view->thread_time = most;
  if (window->seconds <= 0)
    return;
  const struct out_threads_seen seen = out_threads_seen(pipeline, view->number, window);
  const double available = seen.is_steady ? seen.count * window->seconds + seen.others_worked : seen.available;
  const bool overlap = !seen.folded && stats->total_time + stats->failed_time > EXCEEDS * available;
  view->threads = seen.count;
  *get_wait = fmax(0, *get_wait - seen.others_got);
  *put_wait = fmax(0, *put_wait - seen.others_put);
  view->thread_time = fmax(most, seen.available);
  if (are_all(&seen, view) && available < FEWER * most && work <= available && !overlap) {
    view->available = view->thread_time = available;
    view->replicas = fmin(declared, fmax(1, ceil(available / window->seconds - 0.05)));
    view->varies = !seen.is_steady && !seen.folded;
    view->fewer = true;
  }
  const double used = ceil(work / window->seconds - 0.05);
  if (used > view->replicas) {
    view->replicas = used;
    view->available = used * window->seconds;
  }
}

/* What threads wait is part of their time. More than what work leaves of it is either of more threads than work at a
 * time, or was counted twice, as where the runtime of an earlier version saw a program begin to put before its task. */
static void cut_waits(struct out_stage_view *view)
{
  const double waits = view->get_wait + view->put_wait, left = fmax(0, 1 - view->busy);
  if (waits <= left || waits <= 0)
    return;
  view->waits_exceed = (view->busy + waits) * view->available > EXCEEDS * view->thread_time;
  view->get_wait *= left / waits;
  view->put_wait *= left / waits;
}

static void find_pauses(const struct out_stage *stage, double tick, struct out_stage_view *view)
{
  const struct callsig_stage_stats *stats = &stage->stats;
  uint64_t count;
  double ticks;
  if (out_stage_successes(stats) < ENOUGH_TASKS || stats->p50_time <= 0)
    return;
  out_histogram_above(&stage->times, FAR_ABOVE * stats->p50_time / tick, &count, &ticks);
  view->pause_tasks = (double)count / (double)out_stage_successes(stats);
  view->pause_time = fmin(1, ticks * tick / fmax(stats->total_time, 1e-12));
  view->pauses = stats->p90_time >= PAUSES * stats->p50_time ||
                 (count > 1 && view->busy >= WAITS && view->pause_time >= PAUSE_TIME);
}

static void find_failures(struct out_stage_view *view, const struct out_window *window)
{
  const struct callsig_stage_stats *stats = &view->stage->stats;
  if (stats->num_tasks > 0)
    view->failure_rate = (double)stats->num_failures / (double)stats->num_tasks;
  if (stats->num_failures > 0)
    view->failed_mean = stats->failed_time / (double)stats->num_failures;
  if (window->seconds > 0)
    view->failures_per_second = (double)stats->num_failures / window->seconds;
  view->failures = view->failure_rate > CRITICAL  ? OUT_FAILURES_CRITICAL
                   : view->failure_rate > CONCERN ? OUT_FAILURES_CONCERN
                                                  : OUT_FAILURES_FEW;
}

void out_stage_view_fill(const struct callsig_pipeline *pipeline, uint32_t number, const struct out_window *window,
                         struct out_stage_view *view)
{
  const struct out_stage *stage = out_pipeline_stage_at(pipeline, number);
  const struct callsig_stage_stats *stats = &stage->stats;
  view->stage = stage;
  view->number = number;
  find_queues(pipeline, number, view);
  const double inclusive = stats->total_time + stats->failed_time;
  const double work = stage->work.known ? fmin(stage->work.own, inclusive) : inclusive;
  double get_wait = stage->get_wait, put_wait = stage->put_wait;
  find_replicas(pipeline, window, work, view, &get_wait, &put_wait);
  const double available = view->available;
  view->at_once = window->seconds > 0 ? available / window->seconds : view->replicas;
  if (available > 0) {
    view->get_wait = get_wait / available;
    view->put_wait = put_wait / available;
    /* A program may wait inside its tasks, whose times then hold the wait: work is what is left. */
    const double left = stage->work.known ? 1 : 1 - view->get_wait - view->put_wait;
    view->busy = fmax(0, fmin(work / available, left));
    cut_waits(view);
  }
  view->shares = out_task_shares(&stage->work);
  view->waits = out_stage_waits(pipeline, number);
  if (view->shares.known)
    out_waits_weigh(&view->waits, 1 - view->shares.waiting);
  if (out_waits_tell(&view->waits))
    view->lock = out_stage_waits_lock(pipeline, number, &view->waits);
  if (out_waits_tell(&view->waits))
    view->condition = out_waits_share(&view->waits, FMT_WAIT_CONDITION);
  if (view->shares.known) {
    view->lock = fmin(view->lock, view->shares.waiting);
    view->condition = fmin(view->condition, view->shares.waiting - view->lock);
  }
  if (stats->num_tasks > 0)
    view->mean = inclusive / (double)stats->num_tasks;
  if (view->mean > 0)
    view->rate = view->at_once / view->mean;
  find_failures(view, window);
  find_pauses(stage, pipeline->tick, view);
  view->aggregates = view->input && view->output && view->output->puts > 0 &&
                     (double)view->input->num_items >= AGGREGATES * (double)view->output->puts;
}

/* The share of the window that is left when the stage's last task ends, of one that ended long before the others: the
 * last stage is behind them by what is on its way. */
static double find_ended(const struct callsig_pipeline *pipeline, const struct out_window *window,
                         const struct out_stage_view *view)
{
  const struct out_stage *stage = view->stage;
  if (stage->stats.num_tasks == 0 || stage->stats.open > 0 || stage->last_ticks <= window->first ||
      stage->last_ticks >= window->last)
    return 0;
  const double left = out_pipeline_recorded(pipeline, stage->last_ticks, window->last);
  const double share = left / fmax(window->seconds, 1e-12);
  return share > FINISHED && left > FAR_ABOVE * view->mean ? fmin(1, share) : 0;
}

/* A wait counts when it ends, so that a thread which waits for good has none: time that nothing accounts for is put
 * down to the queue that explains it. */
static enum out_stage_state find_state(const struct out_stage_view *view)
{
  double starved = view->get_wait, blocked = view->put_wait;
  double unexplained = fmax(0, 1 - view->busy - starved - blocked - view->ended);
  if (view->input && !out_queue_is_occupied(view->input))
    starved += unexplained;
  else if (view->output && out_queue_is_occupied(view->output))
    blocked += unexplained;
  /* One that waited long before it ended did not end early by itself. */
  if (view->ended > fmax(starved, blocked))
    return OUT_STAGE_FINISHED;
  if (fmax(starved, blocked) >= WAITS)
    return starved >= blocked ? OUT_STAGE_STARVED : OUT_STAGE_BLOCKED;
  return view->busy >= OUT_OCCUPIED ? OUT_STAGE_BUSY : OUT_STAGE_IDLE;
}

void out_stage_view_judge(const struct callsig_pipeline *pipeline, const struct out_window *window,
                          struct out_stage_view *view)
{
  view->ended = find_ended(pipeline, window, view);
  view->state = find_state(view);
  if (view->state == OUT_STAGE_FINISHED)
    view->finished = (double)(view->stage->last_ticks - window->first) * pipeline->tick;
}

bool out_bottleneck_counts(const struct out_bottleneck *bottleneck, const struct out_stage_view *view)
{
  if (out_stage_begun(view) > FEW_TASKS)
    return true;
  for (uint32_t i = 0; i < bottleneck->count; i++)
    if (out_stage_begun(&bottleneck->views[i]) >= MANY_TASKS)
      return false;
  return out_stage_begun(view) > 0;
}
