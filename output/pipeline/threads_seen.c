/* Counts the threads of a stage, and how long they were there. */
#include "output/pipeline/threads_seen.h"

#include <math.h>

#include "output/pipeline/stage_view.h"

#define HARDLY 0.10 /* of what each thread did in the mean: a thread that is none of the stage's */
#define LATE   0.10 /* of the window: a thread that came so late, or left so early, was not there all the time */

/* What the threads of a stage did in the mean. */
struct mean {
  unsigned threads;
  double tasks, own;
};

static struct mean mean_of(const struct callsig_pipeline *pipeline, uint32_t number)
{
  struct mean mean = {0};
  for (uint32_t i = 0; i < pipeline->replicas.count; i++) {
    const struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    if (replica->stage != number || out_replica_is_idle(replica))
      continue;
    mean.threads++;
    mean.tasks += (double)replica->tasks;
    mean.own += fmax(0, replica->own_time);
  }
  if (mean.threads > 0) {
    mean.tasks /= mean.threads;
    mean.own /= mean.threads;
  }
  return mean;
}

/* One with a task that is open may be at its first; one that waits to get items is there for them. Recordings of
 * earlier versions do not tell what a thread worked. */
static bool did_hardly_any(const struct callsig_pipeline *pipeline, const struct out_replica *replica,
                           const struct mean *mean)
{
  return !replica->is_open && replica->own_time >= 0 && replica->got < HARDLY * pipeline->recorded &&
         (double)replica->tasks < HARDLY * mean->tasks && replica->own_time < HARDLY * mean->own;
}

struct out_threads_seen out_threads_seen(const struct callsig_pipeline *pipeline, uint32_t number,
                                         const struct out_window *window)
{
  const struct out_stage *stage = out_pipeline_stage_at(pipeline, number);
  const struct mean mean = mean_of(pipeline, number);
  const double late = LATE * (double)(window->last - window->first);
  struct out_threads_seen seen = {.is_steady = true};
  for (uint32_t i = 0; i < pipeline->replicas.count; i++) {
    const struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    if (replica->stage != number || out_replica_is_idle(replica))
      continue;
    seen.folded |= replica->folded;
    if (replica->folded) {
      /* Its waits are those of all stages' threads that were folded. */
      seen.available += fmax(0, replica->own_time) + fmin(replica->waited, stage->get_wait + stage->put_wait);
      continue;
    }
    if (did_hardly_any(pipeline, replica, &mean)) {
      seen.available += fmax(0, replica->own_time);
      seen.others_worked += fmax(0, replica->own_time);
      seen.others_got += replica->got;
      seen.others_put += replica->waited - replica->got;
      continue;
    }
    const uint64_t from = replica->thread_start > window->first ? replica->thread_start : window->first;
    const uint64_t end = replica->thread_end ? replica->thread_end : window->last;
    const uint64_t until = end < window->last ? end : window->last;
    seen.count++;
    seen.available += out_pipeline_recorded(pipeline, from, until);
    seen.is_steady &= (double)(from - window->first) <= late &&
                      (until >= stage->last_ticks || (double)(stage->last_ticks - until) <= late);
  }
  if (seen.folded) {
    seen.is_steady = false;
    seen.count = 0;
  }
  return seen;
}

double out_threads_there(const struct callsig_pipeline *pipeline, uint32_t number, uint64_t from, uint64_t until)
{
  const struct mean mean = mean_of(pipeline, number);
  const double whole = out_pipeline_recorded(pipeline, from, until);
  double there = 0;
  for (uint32_t i = 0; i < pipeline->replicas.count && whole > 0; i++) {
    const struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    if (replica->stage != number || out_replica_is_idle(replica) || did_hardly_any(pipeline, replica, &mean))
      continue;
    const uint64_t begin = replica->thread_start > from ? replica->thread_start : from;
    const uint64_t end = replica->thread_end && replica->thread_end < until ? replica->thread_end : until;
    there += out_pipeline_recorded(pipeline, begin, end) / whole;
  }
  return there;
}
