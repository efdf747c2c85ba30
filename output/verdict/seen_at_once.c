/* Finds how many tasks a stage was seen to be able to do: by how shortly after one another they ended, and by how many
 * were at work at once. */
#include "output/verdict/seen_at_once.h"

#include <math.h>

#include "output/verdict/model_times.h"

#define ENOUGH     30u  /* ends behind one another */
#define FAILED_FEW 0.05 /* of its tasks: their times are not in the histogram */
#define APART      2.0  /* times as wide as what tasks take: what lies between their ends */
#define BUCKET     0.03 /* of a time: so wide is its bucket */
#define NOT_MORE   0.05 /* tasks at once: by so many they are not one more */

/* In permille: from which rank to which most of the values lie. */
enum { LOW = 100, HIGH = 900 };

static double percentile(const struct out_histogram *histogram, unsigned permille)
{
  return out_histogram_percentile(histogram, permille, 0, INFINITY);
}

static double width(const struct out_histogram *histogram)
{
  return percentile(histogram, HIGH) - percentile(histogram, LOW);
}

/* The seconds of a task, at most, in which it has what others of its stage need, too. INFINITY: that was not seen. */
static double alone_at_most(const struct out_stage *stage, double tick)
{
  const struct callsig_stage_stats *stats = &stage->stats;
  const double differ = width(&stage->times) + BUCKET * percentile(&stage->times, HIGH);
  if (out_histogram_total(&stage->gaps) < ENOUGH ||
      (double)stats->num_failures > FAILED_FEW * (double)stats->num_tasks || width(&stage->gaps) < APART * differ)
    return INFINITY;
  return out_model_number((percentile(&stage->gaps, LOW) + differ) * tick);
}

/* Does it matter what tasks wait for inside of them? Where it is not known whether they wait it does. */
static bool waits_inside(const struct out_model_station *station)
{
  for (uint32_t i = 0; i < station->group.count; i++)
    if (!station->group.members[i]->shares.known)
      return true;
  return station->waits >= OUT_MODEL_WAITS_INSIDE * (station->computes + station->ready + station->waits);
}

void out_seen_at_once(const struct callsig_pipeline *pipeline, double window, struct out_model_station *station)
{
  const struct out_thread_group *group = &station->group;
  const double rate = (double)group->members[0]->stage->stats.num_tasks / window;
  const double task = station->computes + station->ready + station->waits;
  double alone = 0;
  /* What threads wait for between tasks may be one thing for all of them, and shows in no task. */
  station->divides = station->untold < OUT_MODEL_UNKNOWN;
  for (uint32_t i = 0; i < group->count; i++) {
    alone = fmax(alone, alone_at_most(group->members[i]->stage, pipeline->tick));
    station->divides = station->divides && isfinite(alone);
  }
  alone = fmin(alone, task);
  station->most = fmax(1, 1 / fmax(alone * rate, 1e-9));
  station->counted = waits_inside(station);
  if (!station->counted)
    return;
  /* There may be just as many of what they wait for as were at work at once, which were so many on average. */
  const double at_once = fmax(task * rate, 1e-9);
  station->most = fmin(station->most, fmax(1, ceil(at_once - NOT_MORE) / at_once));
}
