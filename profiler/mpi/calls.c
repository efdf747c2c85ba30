/*
 * What a program calls of MPI that is defined here: each does its work and calls MPI's own by its name in the profiling
 * interface, PMPI_*.
 */
#include <errno.h>
#include <mpi.h>
#include <stddef.h>

#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/communicators.h"
#include "profiler/mpi/parts.h"
#include "profiler/mpi/reduce.h"
#include "profiler/mpi/waits/message.h"

#define EXPORTED __attribute__((visibility("default")))

/* Between MPI_Init and MPI_Finalize, where MPI may be called. */
static int is_running(void)
{
  int begun = 0, ended = 0;
  return PMPI_Initialized(&begun) == MPI_SUCCESS && begun && PMPI_Finalized(&ended) == MPI_SUCCESS && !ended;
}

/* What follows MPI's own initialisation. */
static void begin(void)
{
  const int saved = errno;
  if (is_running())
    mpi_reduce_begin();
  errno = saved;
}

/* What begins MPI, by its own function `run`, as a row. */
static int begin_by(enum mpi_function function, int (*run)(void *), void *arguments)
{
  struct mpi_call call = mpi_call_of(function, run, arguments);
  const int result = mpi_row(&call);
  begin();
  return result;
}

struct words {
  int *count;
  char ***words;
  int required, *provided;
};

static int init(void *data)
{
  const struct words *words = data;
  return PMPI_Init(words->count, words->words);
}

static int init_thread(void *data)
{
  const struct words *words = data;
  return PMPI_Init_thread(words->count, words->words, words->required, words->provided);
}

EXPORTED int MPI_Init(int *count, char ***words)
{
  return begin_by(OF_MPI_Init, init, &(struct words){.count = count, .words = words});
}

EXPORTED int MPI_Init_thread(int *count, char ***words, int required, int *provided)
{
  return begin_by(OF_MPI_Init_thread, init_thread,
                  &(struct words){.count = count, .words = words, .required = required, .provided = provided});
}

/* What it takes to put the recordings together is no time of the program's own functions. */
static int finalize(void *unused)
{
  (void)unused;
  const int saved = errno;
  mpi_reduce();
  errno = saved;
  return PMPI_Finalize();
}

EXPORTED int MPI_Finalize(void)
{
  if (!is_running())
    return PMPI_Finalize();
  struct mpi_call call = mpi_call_of(OF_MPI_Finalize, finalize, NULL);
  mpi_call_among(&call, mpi_comm_facts(MPI_COMM_WORLD));
  return mpi_row(&call);
}

EXPORTED int MPI_Abort(MPI_Comm communicator, int code)
{
  struct mpi_parts parts;
  const int saved = errno;
  int rank = 0;
  if (is_running() && PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && mpi_parts_find(&parts, rank)) {
    mpi_message("rank %d called MPI_Abort: the ranks' recordings are not put together in %s: each is in %s.rankN", rank,
                parts.joined, parts.joined);
    mpi_parts_tell(&parts, FMT_MPI_ABORTED);
  }
  errno = saved;
  return PMPI_Abort(communicator, code);
}

/* Fortran's. Its initialisation has to be its own library's, which has more to do than MPI_Init(). */
extern void pmpi_init_(MPI_Fint *error) __attribute__((weak));
extern void pmpi_init_thread_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error) __attribute__((weak));

struct fortran_init {
  const MPI_Fint *required;
  MPI_Fint *provided, *error;
};

static int fortran_init(void *data)
{
  const struct fortran_init *a = data;
  if (pmpi_init_)
    pmpi_init_(a->error);
  else
    *a->error = PMPI_Init(NULL, NULL);
  return *a->error;
}

static int fortran_init_thread(void *data)
{
  const struct fortran_init *a = data;
  int level = 0;
  if (pmpi_init_thread_) {
    pmpi_init_thread_(a->required, a->provided, a->error);
  } else {
    *a->error = PMPI_Init_thread(NULL, NULL, *a->required, &level);
    *a->provided = level;
  }
  return *a->error;
}

EXPORTED void mpi_init_(MPI_Fint *error);
EXPORTED void mpi_init_(MPI_Fint *error)
{
  (void)begin_by(OF_MPI_Init, fortran_init, &(struct fortran_init){.error = error});
}

EXPORTED void mpi_init_thread_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error);
EXPORTED void mpi_init_thread_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error)
{
  (void)begin_by(OF_MPI_Init_thread, fortran_init_thread,
                 &(struct fortran_init){.required = required, .provided = provided, .error = error});
}

/* Whose binding calls PMPI_Finalize() itself. */
EXPORTED void mpi_finalize_(MPI_Fint *error);
EXPORTED void mpi_finalize_(MPI_Fint *error)
{
  *error = MPI_Finalize();
}
