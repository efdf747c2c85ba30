/* Stamps and seals a run's recording when the program has ended. */
#include "cli/run/recording_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "callsig/stats.h"
#include "cli/run/child_files.h"
#include "format/recording.h"
#include "format/request.h"
#include "output/recording/seal.h"

/* Now, on the recording's clock. False for clocks that only the program itself could read. */
static bool read_clock(uint32_t clock, struct fmt_rec_clock_point *now)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  now->monotonic_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
  if (clock == FMT_CLOCK_MONOTONIC)
    now->ticks = now->monotonic_ns;
#if defined(__x86_64__)
  else if (clock == FMT_CLOCK_TSC)
    now->ticks = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  else if (clock == FMT_CLOCK_TSC)
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now->ticks));
#endif
  else
    return false;
  return true;
}

/* When a process, whose recording this is, executed another program that was recorded too. */
struct executed {
  const struct fmt_rec_header *header;
  struct fmt_rec_clock_point *when; /* the end that is known so far */
};

/* When the process began to record. */
static struct fmt_rec_clock_point begun_at(const struct fmt_rec_header *header)
{
  return header->begun.monotonic_ns != 0 ? header->begun : header->start;
}

static int look_for_executed(const struct cli_child_file *file, void *data)
{
  const struct executed *executed = data;
  const struct fmt_rec_header *header = file->header;
  const struct fmt_rec_clock_point begun = begun_at(header);
  if (header->run == executed->header->run && header->pid == executed->header->pid &&
      header->clock == executed->header->clock && begun.ticks >= begun_at(executed->header).ticks &&
      begun.ticks < executed->when->ticks)
    *executed->when = begun;
  return 0;
}

int cli_recording_stamp(const struct cli_recording_place *place, pid_t pid, int status)
{
  struct fmt_rec_header header, *mapped;
  int error = cli_recording_place_header(place, &header);
  if (error < 0)
    return error;
  if (header.version != FMT_RECORDING_VERSION || header.header_size < FMT_REC_HEADER_LEAST)
    return -EINVAL;
  if (header.pid != (uint32_t)pid)
    return -ESRCH;
  mapped = mmap(NULL, sizeof header, PROT_READ | PROT_WRITE, MAP_SHARED, place->fd, 0);
  if (mapped == MAP_FAILED)
    return -errno;

  struct fmt_rec_clock_point now;
  if (!(mapped->flags & FMT_REC_FINISHED) && read_clock(mapped->clock, &now)) {
    cli_child_files_each(place->path, look_for_executed, &(struct executed){&header, &now});
    /* An odd sequence was left by a process that was killed while it wrote: it is made even again. */
    uint32_t sequence = mapped->last_sequence | 1u;
    __atomic_store_n(&mapped->last_sequence, sequence, __ATOMIC_RELEASE);
    mapped->last = now;
    __atomic_store_n(&mapped->last_sequence, sequence + 1, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&mapped->exit_status, status, __ATOMIC_RELEASE);
  munmap(mapped, sizeof header);
  return 0;
}

bool cli_recording_is_full(const struct cli_recording_place *place)
{
  struct fmt_rec_header header;
  return cli_recording_place_header(place, &header) == 0 && header.flags & FMT_REC_FULL;
}

uint64_t cli_recording_whole_until(const struct cli_recording_place *place)
{
  struct fmt_rec_header header;
  if (cli_recording_place_header(place, &header) < 0)
    return UINT64_MAX;
  if (header.flags & FMT_REC_SCHEDULE || header.period != 0)
    return 0;
  if (header.switches == 0)
    return header.is_off ? 0 : UINT64_MAX;
  return header.switches == 1 && header.is_off ? header.switched_ns : 0;
}

bool cli_recording_was_never_on(const struct cli_recording_place *place)
{
  struct fmt_rec_header header;
  return cli_recording_place_header(place, &header) == 0 && header.is_off && header.taken >> FMT_REQUEST_SHIFT <= 1;
}

void cli_recording_seal(const struct cli_recording_place *place)
{
  if (cli_recording_is_full(place))
    out_seal_file(place->fd);
  else
    callsig_stats_seal(place->fd, place->path);
}
