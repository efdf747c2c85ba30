/* The logs: arrays that are mapped at their greatest size, of which pages are taken when they are first written. */
#include "profiler/mpi/waits/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "profiler/mpi/waits/message.h"

/* Entries of each log, CALLSIG_MPI_LOG. */
enum { DEFAULT_ENTRIES = 1 << 20, MOST_ENTRIES = 1 << 24 };

struct log {
  char *entries;
  size_t size; /* of one */
  uint64_t used;
};

static struct {
  pthread_once_t once;
  uint64_t most;
  struct log pauses, events, meetings, locks;
} logs = {.once = PTHREAD_ONCE_INIT,
          .pauses.size = sizeof(struct mpi_pause),
          .events.size = sizeof(struct mpi_event),
          .meetings.size = sizeof(struct mpi_meeting),
          .locks.size = sizeof(struct mpi_lock)};

static uint64_t entries_asked_for(void)
{
  const char *value = secure_getenv("CALLSIG_MPI_LOG");
  char *end;
  if (!value || !*value)
    return DEFAULT_ENTRIES;
  const long entries = strtol(value, &end, 10);
  if (*end == '\0' && entries >= 0 && entries <= MOST_ENTRIES)
    return (uint64_t)entries;
  mpi_message("CALLSIG_MPI_LOG=%s is no number of calls from 0 to %d: it is taken for %d", value, MOST_ENTRIES,
              DEFAULT_ENTRIES);
  return DEFAULT_ENTRIES;
}

static bool map(struct log *log)
{
  void *mapped =
      mmap(NULL, logs.most * log->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return false;
  log->entries = mapped;
  return true;
}

static void begin(void)
{
  const int saved = errno;
  logs.most = entries_asked_for();
  if (logs.most > 0 && (!map(&logs.pauses) || !map(&logs.events) || !map(&logs.meetings) || !map(&logs.locks)))
    logs.most = 0;
  errno = saved;
}

static uint32_t next(struct log *log, uint32_t count)
{
  pthread_once(&logs.once, begin);
  const uint64_t number = __atomic_fetch_add(&log->used, count, __ATOMIC_RELAXED);
  return number + count <= logs.most ? (uint32_t)number : MPI_NOT_LOGGED;
}

static uint32_t used(const struct log *log, uint64_t *lost)
{
  const uint64_t count = __atomic_load_n(&log->used, __ATOMIC_RELAXED);
  *lost = count > logs.most ? count - logs.most : 0;
  return (uint32_t)(count - *lost);
}

uint32_t mpi_log_pause(void)
{
  return next(&logs.pauses, 1);
}

uint32_t mpi_log_event(uint32_t count)
{
  return next(&logs.events, count);
}

uint32_t mpi_log_meeting(void)
{
  return next(&logs.meetings, 1);
}

uint32_t mpi_log_lock(void)
{
  return next(&logs.locks, 1);
}

struct mpi_pause *mpi_log_pause_at(uint32_t number)
{
  return (struct mpi_pause *)(void *)logs.pauses.entries + number;
}

struct mpi_event *mpi_log_event_at(uint32_t number)
{
  return (struct mpi_event *)(void *)logs.events.entries + number;
}

struct mpi_meeting *mpi_log_meeting_at(uint32_t number)
{
  return (struct mpi_meeting *)(void *)logs.meetings.entries + number;
}

struct mpi_lock *mpi_log_lock_at(uint32_t number)
{
  return (struct mpi_lock *)(void *)logs.locks.entries + number;
}

uint32_t mpi_log_pauses(uint64_t *lost)
{
  return used(&logs.pauses, lost);
}

uint32_t mpi_log_events(uint64_t *lost)
{
  return used(&logs.events, lost);
}

uint32_t mpi_log_meetings(uint64_t *lost)
{
  return used(&logs.meetings, lost);
}

uint32_t mpi_log_locks(uint64_t *lost)
{
  return used(&logs.locks, lost);
}
