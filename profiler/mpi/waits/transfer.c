/* A file on its way from one rank to another. */
#include "profiler/mpi/waits/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "profiler/mpi/waits/patience.h"

enum tag { TAG_WORD = 1, TAG_READY, TAG_CHUNK };

/* The word: the size of the chunk that comes, or one of these. */
enum transfer_end { END_NOTHING = 0, END_COMPLETE = -1, END_FAILED = -2 };

int mpi_line_send(const struct mpi_line *line, int to, int tag, const void *bytes, size_t size)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Isend(bytes, (int)size, MPI_BYTE, to, tag, line->communicator, &request) != MPI_SUCCESS)
    return -EPIPE;
  return mpi_wait(&request, line->patience, MPI_STATUS_IGNORE);
}

/* Begins to receive; to be ended by end_receive(). */
static int begin_receive(const struct mpi_line *line, int from, int tag, void *bytes, size_t size, MPI_Request *request)
{
  *request = MPI_REQUEST_NULL;
  return PMPI_Irecv(bytes, (int)size, MPI_BYTE, from, tag, line->communicator, request) == MPI_SUCCESS ? 0 : -EPIPE;
}

static int end_receive(const struct mpi_line *line, MPI_Request *request)
{
  const int error = mpi_wait(request, line->patience, MPI_STATUS_IGNORE);
  if (error == -ETIMEDOUT) {
    PMPI_Cancel(request);
    PMPI_Request_free(request);
  }
  return error;
}

int mpi_line_receive(const struct mpi_line *line, int from, int tag, void *bytes, size_t size)
{
  MPI_Request request;
  const int error = begin_receive(line, from, tag, bytes, size, &request);
  return error < 0 ? error : end_receive(line, &request);
}

int mpi_line_exchange(const struct mpi_line *line, int tag, int to, const void *out, size_t out_size, int from,
                      void *in, size_t in_size)
{
  MPI_Request request;
  int error = begin_receive(line, from, tag, in, in_size, &request);
  if (error < 0)
    return error;
  const int told = mpi_line_send(line, to, tag, out, out_size);
  error = end_receive(line, &request);
  return told < 0 ? told : error;
}

static int send_chunks(struct mpi_line *line, int to, int fd)
{
  for (;;) {
    const ssize_t got = read(fd, line->chunk, MPI_TRANSFER_CHUNK);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? -errno : 0;
    line->word = (int)got;
    int error = mpi_line_send(line, to, TAG_WORD, &line->word, sizeof line->word);
    if (error == 0)
      error = mpi_line_receive(line, to, TAG_READY, &line->ready, sizeof line->ready);
    if (error == 0)
      error = mpi_line_send(line, to, TAG_CHUNK, line->chunk, (size_t)got);
    if (error < 0)
      return error;
  }
}

int mpi_transfer_send(struct mpi_line *line, int to, const char *path)
{
  enum transfer_end end = END_NOTHING;
  int error = 0;
  if (path) {
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    error = fd < 0 ? -errno : send_chunks(line, to, fd);
    if (fd >= 0)
      close(fd);
    end = error == 0 ? END_COMPLETE : END_FAILED;
  }
  if (mpi_line_is_lost(error))
    return error;
  line->word = end;
  const int told = mpi_line_send(line, to, TAG_WORD, &line->word, sizeof line->word);
  return told < 0 ? told : error;
}

static int write_all(int fd, const char *bytes, size_t size)
{
  while (size > 0) {
    ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno != EINTR)
      return -errno;
    if (written > 0) {
      bytes += written;
      size -= (size_t)written;
    }
  }
  return 0;
}

/* The next chunk, of `size` bytes: it is waited for before the other side is told to send it. */
static int receive_chunk(struct mpi_line *line, int from, size_t size)
{
  MPI_Request request;
  int error = size <= MPI_TRANSFER_CHUNK ? begin_receive(line, from, TAG_CHUNK, line->chunk, size, &request) : -EPIPE;
  if (error < 0)
    return error;
  const int told = mpi_line_send(line, from, TAG_READY, &line->ready, sizeof line->ready);
  error = end_receive(line, &request);
  return told < 0 ? told : error;
}

int mpi_transfer_receive(struct mpi_line *line, int from, int fd, bool *is_file)
{
  int error = 0;
  *is_file = false;
  for (;;) {
    int lost = mpi_line_receive(line, from, TAG_WORD, &line->word, sizeof line->word);
    if (lost == 0 && line->word > 0)
      lost = receive_chunk(line, from, (size_t)line->word);
    if (lost < 0)
      return lost;
    if (line->word <= 0)
      break;
    if (fd >= 0 && error == 0)
      error = write_all(fd, line->chunk, (size_t)line->word);
  }
  *is_file = line->word == END_COMPLETE && error == 0 && fd >= 0;
  return error;
}
