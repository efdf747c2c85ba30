/* Finds out by what the kernel counted what its samples stand for. */
#include "cli/beside/sample_period.h"

#include <math.h>

static uint64_t of_program(const struct cli_samples *samples)
{
  return samples->total + samples->others + samples->later;
}

static double part(uint64_t some, uint64_t all)
{
  return all > 0 ? (double)some / (double)all : 0;
}

/* Where user code alone is sampled, the time in the kernel is counted, and no sample is due in it. */
uint64_t cli_lost_samples(const struct cli_kernel_counts *counts, const struct cli_used *used,
                          const struct cli_samples *samples)
{
  if (counts->lost_samples != UINT64_MAX || counts->lost_records == 0)
    return counts->lost_samples != UINT64_MAX ? counts->lost_samples : 0;
  const uint64_t all_ns = used->user + used->system;
  const double sampled = counts->in_kernel || all_ns == 0 ? 1 : part(used->user, all_ns);
  const double due = (double)counts->counted_ns * sampled / (double)counts->period_ns;
  const double missed = fmax(due - (double)(of_program(samples) + samples->sampler), 0);
  return (uint64_t)fmin(missed, (double)counts->lost_records);
}

/* The threads that take the samples inherit the events, too: their part is told by their samples. Those that were lost
 * were as likely of any kind, of this process's too: the others stand for their time. */
uint64_t cli_sample_period(const struct cli_kernel_counts *counts, const struct cli_used *used,
                           const struct cli_samples *samples)
{
  const uint64_t program = of_program(samples), taken = program + samples->sampler;
  const double counted = taken > 0 ? (double)counts->counted_ns * part(program, taken) : 0;
  const double more = counted > 0 ? fmax((double)(used->user + used->system) / counted, 1) : 1;
  const double lost = taken > 0 ? part(taken + samples->lost, taken) : 1;
  /* A sample takes less than half of what lies between two. */
  return (uint64_t)(((double)counts->period_ns * more - (double)counts->price_ns) * lost);
}

/* A wait counts when it is over, so that each record that is lost loses one: they are as long as the others. */
uint64_t cli_waited_ns(const struct cli_kernel_counts *counts, const struct cli_samples *samples)
{
  const uint64_t lost = counts->lost_records > samples->lost ? counts->lost_records - samples->lost : 0;
  return (uint64_t)((double)samples->waited_ns *
                    (counts->switches > 0 ? part(counts->switches + lost, counts->switches) : 1));
}
