/* Keeps the times in which nothing is recorded, in as many places as there are. */
#include "profiler/session/pauses.h"

#include "format/pauses.h"
#include "format/recording.h"
#include "profiler/base/clock.h"
#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"

_Static_assert(sizeof(struct fmt_rec_pauses) <= 4096, "it fits a page of small records");

/* NULL while nothing has paused, unless `make`, or when there is no space. Under pauses_lock. */
static struct fmt_rec_pauses *pauses_record(bool make)
{
  struct fmt_rec_header *header = prof_process.header;
  if (header->pauses || !make)
    return (struct fmt_rec_pauses *)header->pauses;
  struct fmt_rec_pauses *pauses = prof_record_small(sizeof *pauses);
  if (!pauses) {
    prof_count_loss(FMT_LOSS_NO_SPACE, 1);
    return NULL;
  }
  pauses->tag = (struct fmt_rec_tag){FMT_TAG_PAUSES, sizeof *pauses};
  __atomic_store_n(&header->pauses, (uintptr_t)pauses, __ATOMIC_RELEASE);
  return pauses;
}

/* Readers see an odd number meanwhile. */
static void begin_change(struct fmt_rec_pauses *pauses)
{
  __atomic_store_n(&pauses->sequence, pauses->sequence + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_change(struct fmt_rec_pauses *pauses)
{
  __atomic_store_n(&pauses->sequence, pauses->sequence + 1, __ATOMIC_RELEASE);
}

/* Of all neighbours those that span the least time become one. */
static void make_room(struct fmt_rec_pauses *pauses)
{
  struct fmt_rec_pause *list = pauses->list;
  uint32_t at = 0;
  for (uint32_t i = 1; i + 1 < pauses->count; i++)
    if (list[i + 1].until - list[i].from < list[at + 1].until - list[at].from)
      at = i;
  list[at].until = list[at + 1].until;
  list[at].ticks += list[at + 1].ticks;
  pauses->count--;
  for (uint32_t i = at + 1; i < pauses->count; i++)
    list[i] = list[i + 1];
}

static void add(struct fmt_rec_pauses *pauses, uint64_t until)
{
  const uint64_t from = pauses->since;
  pauses->since = 0;
  if (until <= from)
    return;
  if (pauses->count == FMT_PAUSES)
    make_room(pauses);
  pauses->list[pauses->count++] = (struct fmt_rec_pause){.from = from, .until = until, .ticks = until - from};
}

static bool has_wall_clock(void)
{
  const uint32_t clock = prof_process.settings.clock;
  return clock != FMT_CLOCK_INJECTED && clock != FMT_CLOCK_CPU;
}

static void note(bool paused, uint64_t now)
{
  prof_lock(&prof_process.pauses_lock);
  struct fmt_rec_pauses *pauses = pauses_record(paused);
  if (pauses && paused != (pauses->since != 0)) {
    begin_change(pauses);
    if (paused)
      pauses->since = now;
    else
      add(pauses, now);
    end_change(pauses);
  }
  prof_unlock(&prof_process.pauses_lock);
}

void prof_pauses_note(bool paused)
{
  if (!has_wall_clock())
    return;
  const uint64_t now = prof_clock_now();
  note(paused, now);
  if (!paused)
    __atomic_store_n(&prof_process.resumed_ticks, now, __ATOMIC_RELAXED);
}

void prof_pauses_begin(uint64_t since)
{
  if (has_wall_clock())
    note(true, since);
}

void prof_pauses_clear(uint64_t now)
{
  prof_lock(&prof_process.pauses_lock);
  struct fmt_rec_pauses *pauses = pauses_record(false);
  if (pauses) {
    begin_change(pauses);
    pauses->count = 0;
    pauses->since = pauses->since ? now : 0;
    end_change(pauses);
  }
  prof_unlock(&prof_process.pauses_lock);
}
