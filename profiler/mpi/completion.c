/* Requests: waited for, tested, started and freed. */
#include <mpi.h>
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

MPI_CLOSURE(MPI_Wait, MPI_Request *request; MPI_Status * status;, a->request, a->status)
MPI_EXPORTED int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
  MPI_Status own;
  struct mpi_open_request *open = mpi_request_look_up(*request);
  struct MPI_Wait_arguments a = {request, status == MPI_STATUS_IGNORE ? &own : status};
  struct mpi_call call = mpi_call_of(OF_MPI_Wait, run_MPI_Wait, &a);
  call.count = 1;
  int result = mpi_row(&call);
  if (result == MPI_SUCCESS)
    mpi_request_done(open, a.status, &call);
  else if (mpi_message_is_taken(result))
    mpi_request_failed(open, result, a.status, &call);
  else
    mpi_request_still_open(open);
  return result;
}

MPI_CLOSURE(MPI_Test, MPI_Request *request; int *flag; MPI_Status * status;, a->request, a->flag, a->status)
MPI_EXPORTED int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  MPI_Status own;
  struct mpi_open_request *open = mpi_request_look_up(*request);
  struct MPI_Test_arguments a = {request, flag, status == MPI_STATUS_IGNORE ? &own : status};
  struct mpi_call call = mpi_call_of(OF_MPI_Test, run_MPI_Test, &a);
  call.count = 1;
  int result = mpi_row(&call);
  if (result == MPI_SUCCESS && *flag)
    mpi_request_done(open, a.status, &call);
  else
    mpi_request_still_open(open);
  return result;
}

MPI_CLOSURE(MPI_Waitall, int count; MPI_Request * requests; MPI_Status * statuses;, a->count, a->requests, a->statuses)
MPI_EXPORTED int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
  struct set set;
  look_up(&set, count, requests, statuses);
  struct MPI_Waitall_arguments a = {count, requests, set.statuses};
  struct mpi_call call = mpi_call_of(OF_MPI_Waitall, run_MPI_Waitall, &a);
  call.count = count;
  int result = mpi_row(&call);
  all_done(&set, result, &call);
  let_go(&set);
  return result;
}

MPI_CLOSURE(MPI_Testall, int count; MPI_Request * requests; int *flag; MPI_Status * statuses;
            , a->count, a->requests, a->flag, a->statuses)
MPI_EXPORTED int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
  struct set set;
  look_up(&set, count, requests, statuses);
  struct MPI_Testall_arguments a = {count, requests, flag, set.statuses};
  struct mpi_call call = mpi_call_of(OF_MPI_Testall, run_MPI_Testall, &a);
  call.count = count;
  int result = mpi_row(&call);
  if (result != MPI_SUCCESS || *flag)
    all_done(&set, result, &call);
  let_go(&set);
  return result;
}

MPI_CLOSURE(MPI_Waitany, int count; MPI_Request * requests; int *index; MPI_Status * status;
            , a->count, a->requests, a->index, a->status)
MPI_EXPORTED int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
  struct set set;
  look_up(&set, count, requests, MPI_STATUSES_IGNORE);
  struct MPI_Waitany_arguments a = {count, requests, index, status == MPI_STATUS_IGNORE ? set.few_statuses : status};
  struct mpi_call call = mpi_call_of(OF_MPI_Waitany, run_MPI_Waitany, &a);
  call.count = count;
  int result = mpi_row(&call);
  set.statuses = a.status;
  if (result == MPI_SUCCESS && *index != MPI_UNDEFINED)
    done(&set, *index, 0, &call);
  let_go(&set);
  return result;
}

MPI_CLOSURE(MPI_Testany, int count; MPI_Request * requests; int *index; int *flag; MPI_Status * status;
            , a->count, a->requests, a->index, a->flag, a->status)
MPI_EXPORTED int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
  struct set set;
  look_up(&set, count, requests, MPI_STATUSES_IGNORE);
  struct MPI_Testany_arguments a = {count, requests, index, flag,
                                    status == MPI_STATUS_IGNORE ? set.few_statuses : status};
  struct mpi_call call = mpi_call_of(OF_MPI_Testany, run_MPI_Testany, &a);
  call.count = count;
  int result = mpi_row(&call);
  set.statuses = a.status;
  if (result == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED)
    done(&set, *index, 0, &call);
  let_go(&set);
  return result;
}

#define SOME(name)                                                                                                     \
  MPI_CLOSURE(name, int count; MPI_Request * requests; int *done; int *indices; MPI_Status * statuses;                 \
              , a->count, a->requests, a->done, a->indices, a->statuses)                                               \
  MPI_EXPORTED int name(int count, MPI_Request *requests, int *done_count, int *indices, MPI_Status *statuses)         \
  {                                                                                                                    \
    struct set set;                                                                                                    \
    look_up(&set, count, requests, statuses);                                                                          \
    struct name##_arguments a = {count, requests, done_count, indices, set.statuses};                                  \
    struct mpi_call call = mpi_call_of(OF_##name, run_##name, &a);                                                     \
    call.count = count;                                                                                                \
    int result = mpi_row(&call);                                                                                       \
    for (int i = 0; result == MPI_SUCCESS && *done_count != MPI_UNDEFINED && i < *done_count; i++)                     \
      done(&set, indices[i], i, &call);                                                                                \
    let_go(&set);                                                                                                      \
    return result;                                                                                                     \
  }
SOME(MPI_Waitsome)
SOME(MPI_Testsome)

/* ------------------------------------------------------------------------------------------------------------------ */

MPI_CLOSURE(MPI_Start, MPI_Request *request;, a->request)
MPI_EXPORTED int MPI_Start(MPI_Request *request)
{
  struct MPI_Start_arguments a = {request};
  struct mpi_call call = mpi_call_of(OF_MPI_Start, run_MPI_Start, &a);
  call.count = 1;
  int result = mpi_row(&call);
  if (result == MPI_SUCCESS)
    mpi_request_started(*request, call.enter);
  return result;
}

MPI_CLOSURE(MPI_Startall, int count; MPI_Request * requests;, a->count, a->requests)
MPI_EXPORTED int MPI_Startall(int count, MPI_Request *requests)
{
  struct MPI_Startall_arguments a = {count, requests};
  struct mpi_call call = mpi_call_of(OF_MPI_Startall, run_MPI_Startall, &a);
  call.count = count;
  int result = mpi_row(&call);
  for (int i = 0; result == MPI_SUCCESS && i < count; i++)
    mpi_request_started(requests[i], call.enter);
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
