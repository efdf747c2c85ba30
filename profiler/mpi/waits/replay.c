/* What was found out, noted with the call that waited. */
#include "profiler/mpi/waits/replay.h"

#include <errno.h>
#include <mpi.h>

#include "profiler/mpi/waits/patience.h"

int mpi_waits_all_say(struct mpi_line *line, bool says, bool *all)
{
  MPI_Request request;
  line->own_word = says;
  if (PMPI_Iallreduce(&line->own_word, &line->other_word, 1, MPI_INT, MPI_LAND, line->communicator, &request) !=
      MPI_SUCCESS)
    return -EPIPE;
  const int error = mpi_wait(&request, line->patience, MPI_STATUS_IGNORE);
  *all = error == 0 && line->other_word;
  return error;
}

void mpi_waits_note(const struct mpi_waits *waits, uint32_t pause, uint64_t time, unsigned wait)
{
  if (pause == MPI_NOT_LOGGED)
    return;
  struct mpi_pause *noted = mpi_log_pause_at(pause);
  uint64_t until = mpi_host_clock_own(&waits->clock, time);
  /* What was ready before is no wait; what seems to be ready afterwards differs by the clocks' error. */
  until = until < noted->enter ? noted->enter : until > noted->exit ? noted->exit : until;
  const uint64_t us = (until - noted->enter) / 1000;
  if (wait == WAIT_LATE_SENDER && us > noted->sender_us)
    noted->sender_us = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
  if (noted->until && (noted->least ? until >= noted->until : until <= noted->until))
    return;
  noted->until = until;
  noted->wait = (uint8_t)wait;
}
