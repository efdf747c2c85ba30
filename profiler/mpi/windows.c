/* Windows of memory that ranks share: made, and what their ranks do to meet there. */
#include "profiler/mpi/windows.h"

#include <pthread.h>
#include <stddef.h>

#include "profiler/mpi/meeting.h"
#include "profiler/mpi/wrap.h"

static struct {
  pthread_once_t once;
  int keyval;
} known = {.once = PTHREAD_ONCE_INIT, .keyval = MPI_KEYVAL_INVALID};

static int forget(MPI_Win window, int keyval, void *facts, void *extra)
{
  (void)window;
  (void)keyval;
  (void)extra;
  mpi_comm_leave(facts);
  return MPI_SUCCESS;
}

static void make_keyval(void)
{
  if (PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget, &known.keyval, NULL) != MPI_SUCCESS)
    known.keyval = MPI_KEYVAL_INVALID;
}

struct mpi_comm_facts *mpi_window_facts(MPI_Win window)
{
  void *facts = NULL;
  int found = 0;
  if (window == MPI_WIN_NULL || known.keyval == MPI_KEYVAL_INVALID ||
      PMPI_Win_get_attr(window, known.keyval, &facts, &found) != MPI_SUCCESS || !found)
    return NULL;
  return facts;
}

int mpi_window_make(struct mpi_call call, MPI_Comm communicator, const MPI_Win *window)
{
  uint32_t number;
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const int result = mpi_meet_for(call, facts, &number);
  if (result != MPI_SUCCESS)
    return result;
  pthread_once(&known.once, make_keyval);
  struct mpi_comm_facts *own = mpi_comm_like(facts, number);
  if (known.keyval == MPI_KEYVAL_INVALID || PMPI_Win_set_attr(*window, known.keyval, own) != MPI_SUCCESS)
    mpi_comm_leave(own);
  return result;
}

/* A call of all ranks of a window. */
static int meet(struct mpi_call call, MPI_Win window, enum mpi_meeting_kind kind)
{
  struct mpi_comm_facts *facts = mpi_window_facts(window);
  /* They go with the window. */
  mpi_comm_use(facts);
  const int result = mpi_meet(call, facts, kind, -1, NULL);
  mpi_comm_leave(facts);
  return result;
}

/* One in which nobody is told of. */
static int touch(struct mpi_call call, MPI_Win window)
{
  mpi_call_among(&call, mpi_window_facts(window));
  return mpi_row(&call);
}

/* One that one other rank is told of. */
static int touch_one(struct mpi_call call, int rank, MPI_Win window)
{
  const struct mpi_comm_facts *facts = mpi_window_facts(window);
  call.peer = mpi_comm_peer(facts, rank);
  return touch(call, window);
}

MPI_WRAP(MPI_Win_create_dynamic, (MPI_Info, info), (MPI_Comm, communicator), (MPI_Win *, window))
{
  return mpi_window_make(MPI_CALL(MPI_Win_create_dynamic), a->communicator, a->window);
}

MPI_WRAP(MPI_Win_fence, (int, promises), (MPI_Win, window))
{
  return meet(MPI_CALL(MPI_Win_fence), a->window, MEETING_FENCE);
}

MPI_WRAP(MPI_Win_free, (MPI_Win *, window))
{
  return meet(MPI_CALL(MPI_Win_free), *a->window, MEETING_FENCE);
}

#define TOUCHES(name, ...)                                                                                             \
  MPI_WRAP(name, __VA_ARGS__)                                                                                          \
  {                                                                                                                    \
    return touch(MPI_CALL(name), a->window);                                                                           \
  }
TOUCHES(MPI_Win_start, (MPI_Group, group), (int, promises), (MPI_Win, window))
TOUCHES(MPI_Win_complete, (MPI_Win, window))
TOUCHES(MPI_Win_post, (MPI_Group, group), (int, promises), (MPI_Win, window))
TOUCHES(MPI_Win_wait, (MPI_Win, window))
TOUCHES(MPI_Win_test, (MPI_Win, window), (int *, flag))
TOUCHES(MPI_Win_sync, (MPI_Win, window))
TOUCHES(MPI_Win_lock_all, (int, promises), (MPI_Win, window))
TOUCHES(MPI_Win_unlock_all, (MPI_Win, window))
TOUCHES(MPI_Win_flush_all, (MPI_Win, window))
TOUCHES(MPI_Win_flush_local_all, (MPI_Win, window))

#define TOUCHES_ONE(name, ...)                                                                                         \
  MPI_WRAP(name, __VA_ARGS__)                                                                                          \
  {                                                                                                                    \
    return touch_one(MPI_CALL(name), a->rank, a->window);                                                              \
  }
TOUCHES_ONE(MPI_Win_lock, (int, type), (int, rank), (int, promises), (MPI_Win, window))
TOUCHES_ONE(MPI_Win_unlock, (int, rank), (MPI_Win, window))
TOUCHES_ONE(MPI_Win_flush, (int, rank), (MPI_Win, window))
TOUCHES_ONE(MPI_Win_flush_local, (int, rank), (MPI_Win, window))
