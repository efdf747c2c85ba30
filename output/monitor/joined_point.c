/* Joins rows of a database to points. */
#include "output/monitor/joined_point.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Which of a row's times are means, and what they are weighted by. */
static double weight_of(bool is_queue, const struct out_interval_row *row, unsigned mean)
{
  if (!is_queue)
    return row->counts[0] - row->counts[1];
  return mean == 0 ? row->counts[1] : row->counts[0];
}

static unsigned means_of(bool is_queue)
{
  return is_queue ? 2 : 1;
}

/* A histogram that cannot be read, or of another resolution, leaves the percentiles to the rows. */
static int add_histograms(struct out_joined_point *joined, const struct out_interval_row *row)
{
  if (!(row->tick > 0) || (joined->rows > 0 && row->tick != joined->sum.tick)) {
    joined->exact = false;
    return 0;
  }
  for (unsigned i = 0; i < means_of(joined->is_queue) && joined->exact; i++) {
    int result = out_histogram_decode(&joined->histograms[i], row->histograms[i], row->sizes[i]);
    if (result == -ENOMEM)
      return result;
    joined->exact = result == 0;
  }
  return 0;
}

int out_joined_point_add(struct out_joined_point *joined, const struct out_interval_row *row)
{
  struct out_interval_row *sum = &joined->sum;
  if (joined->rows == 0) {
    *sum = (struct out_interval_row){.from = row->from, .tick = row->tick};
    joined->only = *row;
    joined->exact = true;
    joined->weights[0] = joined->weights[1] = 0;
  }
  int result = add_histograms(joined, row);
  joined->rows++;
  sum->until = row->until;
  sum->elapsed += row->elapsed;
  sum->occupancy += row->occupancy * row->elapsed;
  for (unsigned i = 0; i < 2; i++)
    sum->counts[i] += row->counts[i];
  for (unsigned i = 0; i < means_of(joined->is_queue); i++) {
    const double weight = weight_of(joined->is_queue, row, i);
    joined->weights[i] += weight;
    if (weight > 0)
      sum->times[i] += weight * row->times[i];
  }
  for (unsigned i = means_of(joined->is_queue); i < OUT_MOST_TIMES; i++)
    sum->times[i] = joined->rows == 1 || row->times[i] > sum->times[i] ? row->times[i] : sum->times[i];
  return result;
}

/* Without a task or wait there is no time, whatever the row says. */
static double percentile(const struct out_joined_point *joined, unsigned histogram, unsigned permille, unsigned time)
{
  uint64_t low, high;
  if (!(joined->weights[histogram] > 0))
    return NAN;
  if (joined->rows == 1 || !joined->exact || !out_histogram_range(&joined->histograms[histogram], &low, &high))
    return joined->sum.times[time];
  return out_histogram_percentile(&joined->histograms[histogram], permille, (double)low, (double)high) *
         joined->sum.tick;
}

static double share(double part, double whole)
{
  return whole > 0 ? part / whole : NAN;
}

/* Of one row as it is there; without a task or wait there is none. */
static double mean(const struct out_joined_point *joined, unsigned which)
{
  if (joined->rows == 1)
    return joined->weights[which] > 0 ? joined->only.times[which] : NAN;
  return share(joined->sum.times[which], joined->weights[which]);
}

static void put_stage(const struct out_joined_point *joined, double *values)
{
  const struct out_interval_row *sum = &joined->sum;
  values[OUT_STAGE_TASKS] = sum->counts[0];
  values[OUT_STAGE_FAILED] = sum->counts[1];
  values[OUT_STAGE_RATE] = share(sum->counts[0], sum->elapsed);
  values[OUT_STAGE_FAILURE_RATE] = share(sum->counts[1], sum->counts[0]);
  values[OUT_STAGE_AVE] = mean(joined, 0);
  values[OUT_STAGE_P50] = percentile(joined, 0, 500, 1);
  values[OUT_STAGE_P90] = percentile(joined, 0, 900, 2);
  values[OUT_STAGE_P99] = percentile(joined, 0, 990, 3);
  values[OUT_STAGE_BUSY_SHARE] = NAN;
}

static void put_queue(const struct out_joined_point *joined, double *values)
{
  const struct out_interval_row *sum = &joined->sum;
  values[OUT_QUEUE_ITEMS] = sum->counts[0];
  values[OUT_QUEUE_QPS] = share(sum->counts[0], sum->elapsed);
  values[OUT_QUEUE_OCCUPANCY] = joined->rows == 1 ? joined->only.occupancy : share(sum->occupancy, sum->elapsed);
  values[OUT_QUEUE_AVE_PUT] = mean(joined, 0);
  values[OUT_QUEUE_P90_PUT] = percentile(joined, 0, 900, 2);
  values[OUT_QUEUE_P99_PUT] = percentile(joined, 0, 990, 3);
  values[OUT_QUEUE_AVE_GET] = mean(joined, 1);
  values[OUT_QUEUE_P90_GET] = percentile(joined, 1, 900, 4);
  values[OUT_QUEUE_P99_GET] = percentile(joined, 1, 990, 5);
}

int out_joined_point_end(struct out_joined_point *joined, struct out_series *series)
{
  if (joined->rows == 0)
    return 0;
  struct out_point *point = base_vector_add(&series->points, 1);
  if (!point)
    return -ENOMEM;
  *point = (struct out_point){.from = joined->sum.from, .until = joined->sum.until};
  if (joined->is_queue)
    put_queue(joined, point->values);
  else
    put_stage(joined, point->values);
  series->intervals += joined->rows;
  out_joined_point_free(joined);
  joined->rows = 0;
  return 0;
}

void out_joined_point_free(struct out_joined_point *joined)
{
  for (unsigned i = 0; i < 2; i++) {
    out_histogram_free(&joined->histograms[i]);
    joined->histograms[i] = (struct out_histogram){0};
  }
}
