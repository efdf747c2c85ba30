/*
 * The clocks that ticks may come from.
 */
#include "profiler/base/clock.h"

#include <time.h>

#include "format/recording.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/kernel_clock.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"

static uint64_t nanoseconds(const struct timespec *time)
{
  return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/* By a system call: a handler that interrupts a hook is known by where the hook is, which has to be in this library. */
static uint64_t read_clock(clockid_t clock)
{
  struct timespec now = {0, 0};
  PROF_SYSCALL2(SYS_clock_gettime, clock, &now);
  return nanoseconds(&now);
}

uint64_t prof_monotonic_ns(void)
{
  return read_clock(CLOCK_MONOTONIC);
}

uint64_t prof_realtime_ns(void)
{
  return read_clock(CLOCK_REALTIME);
}

uint64_t prof_clock_read(void)
{
  switch (prof_process.settings.clock) {
  case FMT_CLOCK_CPU:
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
  case FMT_CLOCK_INJECTED:
    return prof_process.clock(prof_process.clock_data);
  default:
    return prof_kernel_monotonic_ns(); /* at every call */
  }
}

uint64_t prof_clock_shared(void)
{
  return prof_process.settings.clock == FMT_CLOCK_CPU ? prof_monotonic_ns() : prof_clock_now();
}

/* Both clocks at once: of some readings the one in which they were closest. */
static struct fmt_rec_clock_point read_both(void)
{
  struct fmt_rec_clock_point best = {0, 0};
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0; i < 5; i++) {
    uint64_t before = prof_time_stamp(), ns = prof_monotonic_ns(), apart = prof_time_stamp() - before;
    if (apart < least) {
      least = apart;
      best = (struct fmt_rec_clock_point){before + apart / 2, ns};
    }
  }
  return best;
}

struct fmt_rec_clock_point prof_clock_point(void)
{
  if (prof_process.settings.clock == FMT_CLOCK_TSC)
    return read_both();
  return (struct fmt_rec_clock_point){prof_clock_now(), prof_monotonic_ns()};
}

/* Ticks of the time stamp counter in a second, from `start` on, measured to some ten thousandths where the processor
 * does not tell; 0: it cannot be measured. */
static uint64_t time_stamp_hz(struct fmt_rec_clock_point start)
{
  const uint64_t least_ns = 100000, second = 1000000000, told = prof_time_stamp_hz();
  if (told)
    return told;
  struct fmt_rec_clock_point end;
  do
    end = read_both();
  while (end.monotonic_ns - start.monotonic_ns < least_ns);
  /* A counter that began again, or went far ahead, as the machine slept or moved meanwhile, tells nothing. */
  const uint64_t ticks = end.ticks - start.ticks, passed = end.monotonic_ns - start.monotonic_ns, most = 64;
  if (end.ticks <= start.ticks || ticks / most > passed)
    return 0;
  uint64_t shift = 0;
  while (ticks >> shift >> 33)
    shift++;
  return (ticks >> shift) * second / (passed >> shift);
}

void prof_clock_measure(struct prof_process *process)
{
  if (process->settings.clock != FMT_CLOCK_TSC)
    return;
  if (!process->counter_khz)
    process->counter_khz = (uint32_t)(time_stamp_hz(process->header->start) / 1000);
  process->header->counter_khz = process->counter_khz;
}

static uint64_t ticks_in_second(void)
{
  switch (prof_process.settings.clock) {
  case FMT_CLOCK_TSC:
    return time_stamp_hz(read_both());
  case FMT_CLOCK_INJECTED:
    return prof_process.clock_hz;
  default:
    return 1000000000;
  }
}

uint64_t prof_clock_ticks(uint64_t ns)
{
  const uint64_t second = 1000000000, most = UINT64_C(1) << 34; /* a second of so many ticks does not overflow below */
  if (ns == 0)
    return 0;
  uint64_t hz = ticks_in_second(), whole = ns / second, part = ns % second;
  if (hz && whole > (UINT64_MAX - hz) / hz)
    return UINT64_MAX - 1;
  return whole * hz + (hz < most ? part * hz / second : hz / second * part);
}

uint64_t prof_clock_cpu_of(uint32_t tid)
{
  /* As the kernel numbers them: the scheduler's clock of one thread. */
  const long thread_clock = (long)(~(uint64_t)tid << 3 | 6);
  struct timespec cpu = {0};
  PROF_SYSCALL2(SYS_clock_gettime, thread_clock, &cpu);
  return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

uint64_t prof_clock_ticks_passed(uint64_t ns)
{
  const uint32_t khz = prof_process.counter_khz, million = 1000000;
  if (prof_process.settings.clock != FMT_CLOCK_TSC)
    return ns;
  return ns / million * khz + ns % million * khz / million;
}

uint64_t prof_clock_timeline_min(void)
{
  const struct prof_settings *settings = &prof_process.settings;
  return settings->timeline ? prof_clock_ticks(settings->timeline_min_ns) : UINT64_MAX;
}

uint32_t prof_clock_wall(void)
{
  return prof_time_stamp_invariant() ? FMT_CLOCK_TSC : FMT_CLOCK_MONOTONIC;
}

void prof_stamp_start(void)
{
  struct fmt_rec_header *header = prof_process.header;
  uint32_t sequence;
  do {
    sequence = __atomic_load_n(&header->last_sequence, __ATOMIC_RELAXED) & ~1u;
  } while (!__atomic_compare_exchange_n(&header->last_sequence, &sequence, sequence + 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED));
  header->start = prof_clock_point();
  header->last = header->start;
  __atomic_store_n(&header->last_sequence, sequence + 2, __ATOMIC_RELEASE);
}

void prof_stamp_last(void)
{
  struct fmt_rec_header *header = prof_process.header;
  if (!header || prof_process.settings.clock == FMT_CLOCK_INJECTED)
    return;
  uint32_t sequence = __atomic_load_n(&header->last_sequence, __ATOMIC_RELAXED);
  if (sequence & 1 || !__atomic_compare_exchange_n(&header->last_sequence, &sequence, sequence + 1, false,
                                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  header->last.ticks = prof_clock_now();
  header->last.monotonic_ns = prof_kernel_monotonic_ns(); /* not by a system call: at every new edge */
  __atomic_store_n(&header->last_sequence, sequence + 2, __ATOMIC_RELEASE);
}
