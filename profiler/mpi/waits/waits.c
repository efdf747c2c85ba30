/* The waits, told to the runtime, which makes rows of them. */
#include "profiler/mpi/waits/waits.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "callsig/callsig.h"
#include "profiler/mpi/waits/replay.h"

/* The runtime may be linked into the program, preloaded or absent. */
extern __typeof__(callsig_call_waited) callsig_call_waited __attribute__((weak));
extern __typeof__(callsig_counter_add) callsig_counter_add __attribute__((weak));
extern __typeof__(callsig_level_set) callsig_level_set __attribute__((weak));

/* What a call waited for. One that sends and receives may have ended without the other side's receive, and never
 * without its send: where both came at about the same time, as those of one call do, it is the sender that was late. */
static unsigned wait_of(const struct mpi_pause *pause)
{
  const bool is_sender = pause->wait == WAIT_LATE_RECEIVER && !pause->least && pause->sender_us > 0 &&
                         pause->sender_us * UINT64_C(1000) + 1000 >= (pause->until - pause->enter) / 10 * 9;
  return is_sender ? WAIT_LATE_SENDER : pause->wait;
}

/* Takes the waits off the calls' times. */
static void tell(const struct mpi_waits *waits)
{
  uint64_t unknown, lost;
  const uint32_t pauses = mpi_log_pauses(&unknown);
  for (uint32_t i = 0; i < pauses; i++) {
    const struct mpi_pause *pause = mpi_log_pause_at(i);
    if (!pause->row)
      continue;
    if (!pause->until)
      unknown++;
    else if (pause->until > pause->enter && callsig_call_waited(pause->row, wait_of(pause) - pause->first_wait,
                                                                pause->enter, pause->until - pause->enter) == -ESTALE)
      unknown++;
    if (pause->came_last)
      (void)callsig_call_waited(pause->row, WAIT_CAME_LAST - pause->first_wait, pause->enter, 0);
  }
  (void)mpi_log_events(&lost);
  unknown = lost > unknown ? lost : unknown;
  (void)mpi_log_meetings(&lost);
  unknown = lost > unknown ? lost : unknown;
  (void)mpi_log_locks(&lost);
  unknown = lost > unknown ? lost : unknown;
  if (unknown > 0 && callsig_counter_add)
    (void)callsig_counter_add("MPI calls whose waits are not known", unknown);
  if (waits->clock.error > 0 && callsig_level_set) {
    (void)callsig_level_set("MPI clock error, ns", (int64_t)waits->clock.error);
    (void)callsig_level_set("MPI clock drift, ns a second", (int64_t)(waits->clock.drift * 1e9));
  }
}

int mpi_waits_find(struct mpi_line *line)
{
  const size_t ranks = (size_t)line->size;
  struct mpi_waits waits = {.line = line,
                            .parcels = calloc(ranks, sizeof *waits.parcels),
                            .numbers = calloc(ranks, 2 * sizeof *waits.numbers)};
  bool all = false;
  int error = mpi_waits_all_say(line, waits.parcels && waits.numbers && callsig_call_waited, &all);
  if (all) {
    error = mpi_host_clock_find(line, (int *)(void *)waits.numbers, &waits.clock);
    if (error == 0)
      error = mpi_waits_of_messages(&waits);
    if (error == 0)
      error = mpi_waits_of_meetings(&waits);
    if (error == 0)
      error = mpi_waits_of_locks(&waits);
    if (error == 0)
      tell(&waits);
  }
  free(waits.parcels);
  mpi_exchange_release(waits.numbers, error);
  return error;
}
