/* Samples a program while it runs, in a thread of its own. */
#include "cli/beside/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "cli/beside/perf_rings.h"
#include "cli/beside/stops.h"

/* A prime number of nanoseconds, so that it is in step with little: about 2000 samples a second. With 4000, what they
 * take where caches are cold, and is not measured, was a tenth of zstd's time. */
#define PERIOD_NS 499979u

/* The kernel's samples are fetched so often. At one look in so many they are shifted: that interrupts all processors,
 * and took 3 % of Lua's time when each look did so. */
#define LOOK_NS       5000000
#define LOOKS_A_SHIFT 8

struct cli_sampler {
  struct cli_perf_rings *rings; /* NULL: the kernel denies them, and `stops` are used */
  struct cli_stops *stops;
  struct cli_sampled_recording recording; /* zeroes: none */
  struct cli_samples samples;
  pthread_t thread;
  bool has_thread;
  pid_t pid;
  atomic_bool ended;
  int error;
};

int cli_sampler_open(struct cli_sampler **opened, const struct cli_sampled_recording *recording,
                     const struct cli_profiled *profiled)
{
  struct cli_sampler *sampler = calloc(1, sizeof *sampler);
  *opened = sampler;
  int error = sampler == NULL ? -ENOMEM : cli_samples_init(&sampler->samples);
  if (error == 0)
    error = cli_perf_rings_open(&sampler->rings, PERIOD_NS, profiled);
  if (error != 0 && error != -ENOMEM && recording == NULL)
    error = cli_stops_open(&sampler->stops, profiled);
  if (error == 0 && recording != NULL)
    sampler->recording = *recording;
  if (error == 0)
    return 0;
  if (sampler != NULL) {
    cli_samples_free(&sampler->samples);
    free(sampler);
  }
  *opened = NULL;
  return error;
}

/* When recording ended is asked after the moment up to which samples are taken: it did not end before without being
 * seen. */
static int drain(struct cli_sampler *sampler, uint64_t at)
{
  const struct cli_sampled_recording *recording = &sampler->recording;
  const struct cli_perf_looked looked = {
      .pid = sampler->pid,
      .at = at,
      .recorded = recording->until != NULL ? recording->until(recording->data) : UINT64_MAX,
      .unrecorded = recording->until != NULL ? &sampler->samples.unrecorded : NULL,
  };
  return cli_perf_rings_drain(sampler->rings, &looked, &sampler->samples);
}

static void *sample_by_rings(void *data)
{
  struct cli_sampler *sampler = data;
  const struct timespec pause = {.tv_nsec = LOOK_NS};
  for (unsigned looks = 0; sampler->error == 0 && !sampler->ended; looks++) {
    if (looks % LOOKS_A_SHIFT == 0)
      cli_perf_rings_shift(sampler->rings);
    nanosleep(&pause, NULL);
    sampler->error = drain(sampler, cli_perf_rings_now());
  }
  return NULL;
}

static void *sample_by_stops(void *data)
{
  struct cli_sampler *sampler = data;
  int error = 0;
  while (error == 0 && !sampler->ended)
    error = cli_stops_look(sampler->stops, sampler->pid, &sampler->samples);
  sampler->error = error == -ESRCH ? 0 : error;
  return NULL;
}

int cli_sampler_start(struct cli_sampler *sampler, pid_t pid)
{
  sigset_t all, before;
  sampler->pid = pid;
  /* Signals are for the thread that hands them on. */
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  sampler->error =
      -pthread_create(&sampler->thread, NULL, sampler->rings != NULL ? sample_by_rings : sample_by_stops, sampler);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sampler->has_thread = sampler->error == 0;
  return sampler->error;
}

void cli_sampler_stop(struct cli_sampler *sampler)
{
  sampler->ended = true;
  if (sampler->has_thread)
    pthread_join(sampler->thread, NULL);
  sampler->has_thread = false;
}

/* What the kernel's samples stand for. */
static void count_by_rings(const struct cli_perf_rings *rings, const struct cli_used *used, struct cli_samples *samples)
{
  struct cli_kernel_counts counts;
  cli_perf_rings_count(rings, &counts);
  samples->method = FMT_SAMPLES_PERF;
  samples->lost = cli_lost_samples(&counts, used, samples);
  samples->period_ns = cli_sample_period(&counts, used, samples);
  samples->price_ns = counts.price_ns;
  samples->in_kernel = counts.in_kernel;
  samples->lost_programs = counts.lost_records > (counts.lost_samples != UINT64_MAX ? counts.lost_samples : 0);
  const uint64_t waited_ns = cli_waited_ns(&counts, samples);
  samples->lost_waits = waited_ns > samples->waited_ns;
  samples->waited_ns = waited_ns;
}

int cli_sampler_close(struct cli_sampler *sampler, const struct cli_used *used, struct cli_samples *samples)
{
  int error = sampler->error;
  if (error == 0 && sampler->rings != NULL)
    error = drain(sampler, UINT64_MAX);
  *samples = sampler->samples;
  if (sampler->rings != NULL) {
    count_by_rings(sampler->rings, used, samples);
  } else {
    samples->method = FMT_SAMPLES_STOPS;
    samples->period_ns = cli_stops_period(sampler->stops);
    samples->in_kernel = true;
  }
  cli_samples_sort(samples);
  cli_perf_rings_close(sampler->rings);
  cli_stops_close(sampler->stops);
  free(sampler);
  return error;
}
