/*
 * Measures what a sample costs whoever is sampled: the interrupt, and what the kernel writes.
 *
 * On a virtual machine that is some 15 microseconds, a thirtieth of what lies between two samples. It is accounted to
 * the program, and is no time of it. Nothing tells of it later, so that it is measured before: a thread that does
 * nothing but read a clock sees each interrupt as a gap. Whatever else interrupts it is rarer than its samples are, and
 * the middle one of the gaps is a sample's: but for those in which others had the processor, which a busy machine has
 * as many of, and which are longer than what lies between two samples.
 */
#define _GNU_SOURCE
#include "cli/beside/sample_price.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/subcommand.h"

/* Samples that are taken: as many as the smallest ring holds, with their stacks. */
#define SAMPLES   15u
#define PERIOD_NS 100003u /* prime, as that of a run is */

/* A longer time between two readings is a gap: reading the clock takes some ten nanoseconds. */
#define GAP_NS   1000u
#define GAPS_MAX 64u

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

uint64_t cli_sample_price_of(uint64_t *gaps, uint32_t count, uint32_t samples)
{
  uint32_t short_ones = 0;
  for (uint32_t i = 0; i < count; i++)
    if (gaps[i] < PERIOD_NS)
      gaps[short_ones++] = gaps[i];
  if (short_ones < samples || short_ones == 0)
    return 0;
  qsort(gaps, short_ones, sizeof *gaps, compare);
  return gaps[short_ones / 2];
}

uint64_t cli_sample_price_within(uint64_t price, uint64_t period)
{
  if (price <= period / 2)
    return price;
  cli_error(
      "a sample seemed to take %llu microseconds, with %llu from one to the next: the machine is too busy to tell, "
      "and what samples take is left in the program's times",
      (unsigned long long)(price / 1000), (unsigned long long)(period / 1000));
  return 0;
}

/* Reads the clock for as long as so many samples take, and notes the gaps. How many there were. */
static uint32_t find_gaps(uint64_t gaps[GAPS_MAX])
{
  uint32_t count = 0;
  uint64_t spent = 0;
  for (uint64_t last = now_ns(); spent < (uint64_t)SAMPLES * PERIOD_NS && count < GAPS_MAX;) {
    const uint64_t now = now_ns(), gap = now - last;
    last = now;
    if (gap >= GAP_NS)
      gaps[count++] = gap;
    spent += gap < PERIOD_NS ? gap : 0;
  }
  return count;
}

uint64_t cli_sample_price(const struct perf_event_attr *event, size_t pages)
{
  struct perf_event_attr own = *event;
  const size_t size = (pages + 1) * (size_t)sysconf(_SC_PAGESIZE);
  uint64_t gaps[GAPS_MAX], price = 0;
  own.sample_period = PERIOD_NS;
  own.inherit = own.enable_on_exec = 0;
  own.disabled = 1;
  const int file = (int)syscall(SYS_perf_event_open, &own, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (file < 0)
    return 0;
  void *ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (ring != MAP_FAILED && ioctl(file, PERF_EVENT_IOC_ENABLE, 0) == 0) {
    const uint32_t count = find_gaps(gaps);
    ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
    price = cli_sample_price_within(cli_sample_price_of(gaps, count, SAMPLES / 2), event->sample_period);
  }
  if (ring != MAP_FAILED)
    munmap(ring, size);
  close(file);
  return price;
}
