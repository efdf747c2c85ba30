/* Bounds the probability of a mean. */
#include "output/recording/chance.h"

#include <errno.h>
#include <math.h>

struct out_values out_values_new(void)
{
  return (struct out_values){.list = BASE_VECTOR_OF(struct out_value)};
}

void out_values_free(struct out_values *values)
{
  base_vector_free(&values->list);
}

struct adding {
  struct out_values *values;
  double unit;
  int result;
};

static void add_value(void *data, double middle, uint64_t count)
{
  struct adding *adding = data;
  struct out_value *added = adding->result == 0 ? base_vector_add(&adding->values->list, 1) : NULL;
  if (!added) {
    adding->result = -ENOMEM;
    return;
  }
  *added = (struct out_value){.value = middle * adding->unit, .count = (double)count};
  adding->values->count += added->count;
  adding->values->sum += added->count * added->value;
}

int out_values_add(struct out_values *values, const struct out_histogram *histogram, double unit)
{
  struct adding adding = {.values = values, .unit = unit};
  out_histogram_values(histogram, add_value, &adding);
  return adding.result;
}

static const struct out_value *value_at(const struct out_values *values, uint32_t number)
{
  return base_vector_at(&values->list, number);
}

static double largest(const struct out_values *values)
{
  double most = 0;
  for (uint32_t i = 0; i < values->list.count; i++)
    most = fmax(most, value_at(values, i)->value);
  return most;
}

/* The values weighed by exp(slope x value): their mean, and the logarithm of the mean weight above that of `largest`.
 */
static double tilted_mean(const struct out_values *values, double slope, double most, double *log_weight)
{
  double weight = 0, sum = 0;
  for (uint32_t i = 0; i < values->list.count; i++) {
    const struct out_value *value = value_at(values, i);
    const double part = value->count * exp(slope * (value->value - most));
    weight += part;
    sum += part * value->value;
  }
  *log_weight = log(weight / values->count);
  return sum / weight;
}

double out_values_chance(const struct out_values *values, double count, double mean)
{
  enum { STEPS = 200 };
  const double most = largest(values);
  double low = 0, high = INFINITY, slope = values->sum > 0 ? values->count / values->sum : 0, log_weight = 0;
  if (values->count <= 0 || slope <= 0 || mean <= values->sum / values->count)
    return 1;
  /* No mean is above the largest value but by what buckets are rounded. */
  mean = fmin(mean, most);
  /* The slope with which the mean is the one that was seen gives the least bound; it grows with it. */
  for (unsigned i = 0; i < STEPS && slope * most < 1e6; i++) {
    if (tilted_mean(values, slope, most, &log_weight) < mean)
      low = slope;
    else
      high = slope;
    slope = isinf(high) ? 2 * slope : (low + high) / 2;
  }
  tilted_mean(values, slope, most, &log_weight);
  return fmin(1, exp(count * (log_weight + slope * (most - mean))));
}
