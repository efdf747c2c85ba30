/*
 * A file on its way from one rank to another: before each chunk a word that it comes, or how it went. A chunk is sent
 * when the other side said that it waits for it, so that nobody has a large message under way that nobody takes, and
 * each side waits for so long.
 */
#ifndef CALLSIG_PROFILER_MPI_TRANSFER_H
#define CALLSIG_PROFILER_MPI_TRANSFER_H

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What ranks speak over. It has to stay where it is for as long as MPI runs, and so do `chunk` and what is sent or
 * received, once a call said -ETIMEDOUT: the other side may answer yet. */
struct mpi_line {
  MPI_Comm communicator;    /* nobody else's; it returns errors */
  int rank, size;           /* of this process, in it */
  int patience;             /* seconds for which another rank's next message is waited for */
  char *chunk;              /* MPI_TRANSFER_CHUNK bytes */
  int word;                 /* what is said of the next chunk ... */
  char ready;               /* ... and answered */
  int own_word, other_word; /* what ranks tell each other by themselves, or all together */
  uint64_t number;          /* that is told to others */
};

#define MPI_TRANSFER_CHUNK ((size_t)1 << 20)

/* Sends `size` bytes, or receives them. 0; -EPIPE: MPI failed; -ETIMEDOUT: the other side did not answer. */
int mpi_line_send(const struct mpi_line *line, int to, int tag, const void *bytes, size_t size);
int mpi_line_receive(const struct mpi_line *line, int from, int tag, void *bytes, size_t size);

/* Both at once, where `to` and `from` may be MPI_PROC_NULL. 0, -EPIPE or -ETIMEDOUT. */
int mpi_line_exchange(const struct mpi_line *line, int tag, int to, const void *out, size_t out_size, int from,
                      void *in, size_t in_size);

/* Sends the file `path` (NULL: there is none) to rank `to`. 0; -EPIPE: MPI failed; -ETIMEDOUT: the other side did not
 * answer; or another negative errno after the other side was told. */
int mpi_transfer_send(struct mpi_line *line, int to, const char *path);

/* Receives what rank `from` sends into `fd`, which may be -1: it is received and dropped. *is_file: there was one, and
 * it is complete. 0; -EPIPE: MPI failed; -ETIMEDOUT: the other side did not answer; or the negative errno of writing,
 * after all was received. */
int mpi_transfer_receive(struct mpi_line *line, int from, int fd, bool *is_file);

/* Is the other side not to be spoken with any more? */
static inline bool mpi_line_is_lost(int error)
{
  return error == -EPIPE || error == -ETIMEDOUT;
}

#endif
