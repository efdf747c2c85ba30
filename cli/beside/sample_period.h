/* What samples stand for that the kernel took, and how many it took and had no room for. */
#ifndef CALLSIG_CLI_BESIDE_SAMPLE_PERIOD_H
#define CALLSIG_CLI_BESIDE_SAMPLE_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/beside/samples.h"
#include "cli/beside/used_time.h"

/* What the kernel counted, of all processors. The rings also hold records of threads that are switched and of code that
 * is mapped, and what is told of a ring that was full is how many of all kinds had no room. */
struct cli_kernel_counts {
  uint64_t period_ns;    /* from one sample to the next */
  uint64_t price_ns;     /* of a sample */
  uint64_t counted_ns;   /* CPU time during which sampling was on, of what takes the samples, too */
  uint64_t lost_records; /* of all kinds */
  uint64_t lost_samples; /* of them; UINT64_MAX: a kernel before 6.0 does not tell */
  uint64_t switches;     /* records of threads that were switched, as far as they had room */
  bool in_kernel;        /* what the kernel did was sampled, too */
};

/* How many of the records that were lost were samples. Where the kernel does not tell, they are as many as there is CPU
 * time for that no sample stands for. */
uint64_t cli_lost_samples(const struct cli_kernel_counts *counts, const struct cli_used *used,
                          const struct cli_samples *samples);

/* The program's CPU time that a sample stands for, in nanoseconds, of which it has `used` so much; samples->lost is
 * known. What it used while sampling paused is shared out, as is that for which samples were lost, and what its samples
 * took is left out. */
uint64_t cli_sample_period(const struct cli_kernel_counts *counts, const struct cli_used *used,
                           const struct cli_samples *samples);

/* How long threads waited, where samples->waited_ns is that of the records which had room. */
uint64_t cli_waited_ns(const struct cli_kernel_counts *counts, const struct cli_samples *samples);

#endif
