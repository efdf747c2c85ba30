/* Windows of memory that ranks share: made, and what their ranks do to meet there. */
#include "profiler/mpi/windows.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "profiler/mpi/meeting.h"
#include "profiler/mpi/wrap.h"

static struct {
  pthread_once_t once;
  int keyval;
} known = {.once = PTHREAD_ONCE_INIT, .keyval = MPI_KEYVAL_INVALID};

static void give_up(struct mpi_window *known_window)
{
  while (known_window->held) {
    struct mpi_held *held = known_window->held;
    known_window->held = held->next;
    free(held);
  }
  mpi_ranks_forget(&known_window->started);
  mpi_ranks_forget(&known_window->posted);
  pthread_mutex_destroy(&known_window->lock);
  mpi_comm_leave(known_window->facts);
  free(known_window);
}

static int forget(MPI_Win window, int keyval, void *known_window, void *extra)
{
  (void)window;
  (void)keyval;
  (void)extra;
  if (known_window)
    give_up(known_window);
  return MPI_SUCCESS;
}

static void make_keyval(void)
{
  if (PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget, &known.keyval, NULL) != MPI_SUCCESS)
    known.keyval = MPI_KEYVAL_INVALID;
}

struct mpi_window *mpi_window_of(MPI_Win window)
{
  void *found_window = NULL;
  int found = 0;
  if (window == MPI_WIN_NULL || known.keyval == MPI_KEYVAL_INVALID ||
      PMPI_Win_get_attr(window, known.keyval, &found_window, &found) != MPI_SUCCESS || !found)
    return NULL;
  return found_window;
}

struct mpi_comm_facts *mpi_window_facts(MPI_Win window)
{
  const struct mpi_window *of = mpi_window_of(window);
  return of ? of->facts : NULL;
}

void mpi_ranks_forget(struct mpi_ranks *ranks)
{
  free(ranks->ranks);
  *ranks = (struct mpi_ranks){.count = 0};
}

/* What is to be known of it, where its ranks are; NULL: there is no memory. */
static struct mpi_window *make_known(const struct mpi_comm_facts *facts, uint32_t number)
{
  struct mpi_window *made = calloc(1, sizeof *made);
  struct mpi_comm_facts *own = made ? mpi_comm_like(facts, number) : NULL;
  if (!own) {
    free(made);
    return NULL;
  }
  made->facts = own;
  pthread_mutex_init(&made->lock, NULL);
  return made;
}

int mpi_window_make(struct mpi_call call, MPI_Comm communicator, const MPI_Win *window)
{
  uint32_t number;
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const int result = mpi_meet_for(call, facts, &number);
  if (result != MPI_SUCCESS)
    return result;
  pthread_once(&known.once, make_keyval);
  struct mpi_window *made = make_known(facts, number);
  if (made && (known.keyval == MPI_KEYVAL_INVALID || PMPI_Win_set_attr(*window, known.keyval, made) != MPI_SUCCESS))
    give_up(made);
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

MPI_WRAP(MPI_Win_sync, (MPI_Win, window))
{
  struct mpi_call call = MPI_CALL(MPI_Win_sync);
  mpi_call_among(&call, mpi_window_facts(a->window));
  return mpi_row(&call);
}
