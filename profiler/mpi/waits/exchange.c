/* In step k each rank gives to the one that is k behind it, and takes from the one that is k before. */
#include "profiler/mpi/waits/exchange.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "profiler/mpi/waits/patience.h"

enum tag { TAG_ROOM = 21, TAG_PARCEL };

/* Asks for what `from` has, as far as there is memory, and gives what `to` has memory for. */
static int step(struct mpi_line *line, int to, const struct mpi_parcel *parcel, int from, uint64_t size,
                mpi_take_fn *take, void *data)
{
  void *room = size && take ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
  const bool has_room = room != MAP_FAILED;
  const int asked = size ? from : MPI_PROC_NULL, asking = parcel->size ? to : MPI_PROC_NULL;
  line->own_word = has_room;
  line->other_word = 0;
  int error = mpi_line_exchange(line, TAG_ROOM, asked, &line->own_word, sizeof line->own_word, asking,
                                &line->other_word, sizeof line->other_word);
  if (error == 0)
    error = mpi_line_exchange(line, TAG_PARCEL, line->other_word ? asking : MPI_PROC_NULL, parcel->bytes, parcel->size,
                              has_room ? asked : MPI_PROC_NULL, room, has_room ? size : 0);
  if (error == 0 && has_room)
    take(data, from, room, size);
  /* Where a rank did not answer MPI may write there yet. */
  if (has_room && !mpi_line_is_lost(error))
    munmap(room, size);
  return error;
}

int mpi_exchange(struct mpi_line *line, const struct mpi_parcel *parcels, uint64_t *numbers, mpi_take_fn *take,
                 void *data)
{
  MPI_Request request;
  uint64_t *given = numbers, *taken = numbers + line->size;
  for (int i = 0; i < line->size; i++)
    given[i] = parcels[i].size;
  if (PMPI_Ialltoall(given, 1, MPI_UINT64_T, taken, 1, MPI_UINT64_T, line->communicator, &request) != MPI_SUCCESS)
    return -EPIPE;
  int error = mpi_wait(&request, line->patience, MPI_STATUS_IGNORE);
  if (error < 0)
    return error;
  if (take && parcels[line->rank].size)
    take(data, line->rank, parcels[line->rank].bytes, parcels[line->rank].size);
  for (int i = 1; error == 0 && i < line->size; i++) {
    const int to = (int)(((int64_t)line->rank + i) % line->size),
              from = (int)(((int64_t)line->rank - i + line->size) % line->size);
    if (given[to] || taken[from])
      error = step(line, to, &parcels[to], from, taken[from], take, data);
  }
  return error;
}

void mpi_exchange_release(void *memory, int error)
{
  if (!mpi_line_is_lost(error))
    free(memory);
}
