/* Requests: waited for, tested, started and freed. */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/requests.h"

/* Requests that are handed to a call which takes those that are done, and room for their statuses. */
#define FEW 32
struct set {
  struct mpi_open_request *few[FEW];
  MPI_Status few_statuses[FEW];
  struct mpi_open_request **open; /* NULL: there is no memory, and what is done is not seen */
  MPI_Status *statuses;
  void *allocated;
  int count;
};

/* `given`: where the program wants the statuses, or MPI_STATUSES_IGNORE. */
static void look_up(struct set *set, int count, const MPI_Request *requests, MPI_Status *given)
{
  const size_t number = count > 0 ? (size_t)count : 0;
  set->allocated = NULL;
  set->count = count;
  set->open = set->few;
  set->statuses = given != MPI_STATUSES_IGNORE ? given : set->few_statuses;
  if (number > FEW) {
    set->allocated = malloc(number * (sizeof(MPI_Status) + sizeof *set->open));
    set->open = set->allocated ? set->allocated : NULL;
    if (given == MPI_STATUSES_IGNORE)
      set->statuses = set->allocated ? (MPI_Status *)(void *)(set->open + number) : MPI_STATUSES_IGNORE;
  }
  for (size_t i = 0; set->open && i < number; i++)
    set->open[i] = mpi_request_look_up(requests[i]);
}

/* Request number `request` of the set is done, with status number `status`. */
static void done(struct set *set, int request, int status, struct mpi_call *call)
{
  if (!set->open)
    return;
  mpi_request_done(set->open[request], &set->statuses[status], call);
  set->open[request] = NULL;
}

/* All of the set were waited for, and `result` is MPI's own. Where some of them failed each status tells how that went.
 */
static void all_done(struct set *set, int result, struct mpi_call *call)
{
  int class = MPI_SUCCESS;
  if (result != MPI_SUCCESS && (PMPI_Error_class(result, &class) != MPI_SUCCESS || class != MPI_ERR_IN_STATUS))
    return;
  for (int i = 0; set->open && i < set->count; i++) {
    const int error = class == MPI_ERR_IN_STATUS ? set->statuses[i].MPI_ERROR : MPI_SUCCESS;
    if (error == MPI_ERR_PENDING)
      continue;
    if (error == MPI_SUCCESS)
      mpi_request_done(set->open[i], &set->statuses[i], call);
    else
      mpi_request_failed(set->open[i], error, &set->statuses[i], call);
    set->open[i] = NULL;
  }
}

/* What is not done is still open. */
static void let_go(struct set *set)
{
  for (int i = 0; set->open && i < set->count; i++)
    mpi_request_still_open(set->open[i]);
  free(set->allocated);
}

/* Makes the call for so many requests. `is_blocking`: it may wait for what they are of. */
static int ask(struct mpi_call *call, int count, bool is_blocking)
{
  call->count = count;
  if (is_blocking)
    mpi_call_waits(call, MPI_WAITS_FOR_REQUEST);
  return mpi_row(call);
}

MPI_WRAP(MPI_Wait, (MPI_Request *, request), (MPI_Status *, status))
{
  MPI_Status own;
  struct mpi_open_request *open = mpi_request_look_up(*a->request);
  struct mpi_call call = MPI_CALL(MPI_Wait);
  if (a->status == MPI_STATUS_IGNORE)
    a->status = &own;
  const int result = ask(&call, 1, true);
  if (result == MPI_SUCCESS)
    mpi_request_done(open, a->status, &call);
  else if (mpi_message_is_taken(result))
    mpi_request_failed(open, result, a->status, &call);
  else
    mpi_request_still_open(open);
  return result;
}

MPI_WRAP(MPI_Test, (MPI_Request *, request), (int *, flag), (MPI_Status *, status))
{
  MPI_Status own;
  struct mpi_open_request *open = mpi_request_look_up(*a->request);
  struct mpi_call call = MPI_CALL(MPI_Test);
  if (a->status == MPI_STATUS_IGNORE)
    a->status = &own;
  const int result = ask(&call, 1, false);
  if (result == MPI_SUCCESS && *a->flag)
    mpi_request_done(open, a->status, &call);
  else
    mpi_request_still_open(open);
  return result;
}

/* All of the requests are asked for at once. `flag`: whether they are done, NULL: they are when the call has ended. */
static int ask_for_all(struct mpi_call call, struct set *set, const int *flag)
{
  const int result = ask(&call, set->count, !flag);
  if (result != MPI_SUCCESS || !flag || *flag)
    all_done(set, result, &call);
  let_go(set);
  return result;
}

#define REQUESTS (int, count), (MPI_Request *, requests)

MPI_WRAP(MPI_Waitall, REQUESTS, (MPI_Status *, statuses))
{
  struct set set;
  look_up(&set, a->count, a->requests, a->statuses);
  a->statuses = set.statuses;
  return ask_for_all(MPI_CALL(MPI_Waitall), &set, NULL);
}

MPI_WRAP(MPI_Testall, REQUESTS, (int *, flag), (MPI_Status *, statuses))
{
  struct set set;
  look_up(&set, a->count, a->requests, a->statuses);
  a->statuses = set.statuses;
  return ask_for_all(MPI_CALL(MPI_Testall), &set, a->flag);
}

/* One of them, number *index; `flag` as above. Its status is the set's first. */
static int ask_for_any(struct mpi_call call, struct set *set, const int *index, const int *flag)
{
  const int result = ask(&call, set->count, !flag);
  if (result == MPI_SUCCESS && (!flag || *flag) && *index != MPI_UNDEFINED)
    done(set, *index, 0, &call);
  let_go(set);
  return result;
}

/* Looks the requests up for a call that gives one status, into the program's place or the set's. */
static MPI_Status *look_up_for_one(struct set *set, int count, const MPI_Request *requests, MPI_Status *given)
{
  look_up(set, count, requests, MPI_STATUSES_IGNORE);
  set->statuses = given == MPI_STATUS_IGNORE ? set->few_statuses : given;
  return set->statuses;
}

MPI_WRAP(MPI_Waitany, REQUESTS, (int *, index), (MPI_Status *, status))
{
  struct set set;
  a->status = look_up_for_one(&set, a->count, a->requests, a->status);
  return ask_for_any(MPI_CALL(MPI_Waitany), &set, a->index, NULL);
}

MPI_WRAP(MPI_Testany, REQUESTS, (int *, index), (int *, flag), (MPI_Status *, status))
{
  struct set set;
  a->status = look_up_for_one(&set, a->count, a->requests, a->status);
  return ask_for_any(MPI_CALL(MPI_Testany), &set, a->index, a->flag);
}

/* Those that are done: *done_count of them, of these numbers. */
static int ask_for_some(struct mpi_call call, struct set *set, const int *done_count, const int *indices,
                        bool is_blocking)
{
  const int result = ask(&call, set->count, is_blocking);
  for (int i = 0; result == MPI_SUCCESS && *done_count != MPI_UNDEFINED && i < *done_count; i++)
    done(set, indices[i], i, &call);
  let_go(set);
  return result;
}

#define SOME(name, is_blocking)                                                                                        \
  MPI_WRAP(name, REQUESTS, (int *, done_count), (int *, indices), (MPI_Status *, statuses))                            \
  {                                                                                                                    \
    struct set set;                                                                                                    \
    look_up(&set, a->count, a->requests, a->statuses);                                                                 \
    a->statuses = set.statuses;                                                                                        \
    return ask_for_some(MPI_CALL(name), &set, a->done_count, a->indices, is_blocking);                                 \
  }
SOME(MPI_Waitsome, true)
SOME(MPI_Testsome, false)

/* ------------------------------------------------------------------------------------------------------------------ */

MPI_WRAP(MPI_Start, (MPI_Request *, request))
{
  struct mpi_call call = MPI_CALL(MPI_Start);
  const int result = ask(&call, 1, false);
  if (result == MPI_SUCCESS)
    mpi_request_started(*a->request, call.enter);
  return result;
}

MPI_WRAP(MPI_Startall, REQUESTS)
{
  struct mpi_call call = MPI_CALL(MPI_Startall);
  const int result = ask(&call, a->count, false);
  for (int i = 0; result == MPI_SUCCESS && i < a->count; i++)
    mpi_request_started(a->requests[i], call.enter);
  return result;
}

MPI_EXPORTED int MPI_Cancel(MPI_Request *request)
{
  mpi_request_cancelled(*request);
  return PMPI_Cancel(request);
}

MPI_EXPORTED int MPI_Request_free(MPI_Request *request)
{
  mpi_request_forget(*request);
  return PMPI_Request_free(request);
}
