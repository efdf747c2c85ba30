/* Calls that make communicators of others. */
#include <mpi.h>

#include "profiler/mpi/meeting.h"

MPI_CLOSURE(MPI_Comm_dup, MPI_Comm communicator; MPI_Comm * made;, a->communicator, a->made)
MPI_EXPORTED int MPI_Comm_dup(MPI_Comm communicator, MPI_Comm *made)
{
  struct MPI_Comm_dup_arguments a = {communicator, made};
  return mpi_meet_to_make(mpi_call_of(OF_MPI_Comm_dup, run_MPI_Comm_dup, &a), communicator, made);
}

MPI_CLOSURE(MPI_Comm_split, MPI_Comm communicator; int color; int key; MPI_Comm * made;
            , a->communicator, a->color, a->key, a->made)
MPI_EXPORTED int MPI_Comm_split(MPI_Comm communicator, int color, int key, MPI_Comm *made)
{
  struct MPI_Comm_split_arguments a = {communicator, color, key, made};
  return mpi_meet_to_make(mpi_call_of(OF_MPI_Comm_split, run_MPI_Comm_split, &a), communicator, made);
}

MPI_CLOSURE(MPI_Comm_split_type, MPI_Comm communicator; int type; int key; MPI_Info info; MPI_Comm * made;
            , a->communicator, a->type, a->key, a->info, a->made)
MPI_EXPORTED int MPI_Comm_split_type(MPI_Comm communicator, int type, int key, MPI_Info info, MPI_Comm *made)
{
  struct MPI_Comm_split_type_arguments a = {communicator, type, key, info, made};
  return mpi_meet_to_make(mpi_call_of(OF_MPI_Comm_split_type, run_MPI_Comm_split_type, &a), communicator, made);
}

MPI_CLOSURE(MPI_Comm_create, MPI_Comm communicator; MPI_Group group; MPI_Comm * made;
            , a->communicator, a->group, a->made)
MPI_EXPORTED int MPI_Comm_create(MPI_Comm communicator, MPI_Group group, MPI_Comm *made)
{
  struct MPI_Comm_create_arguments a = {communicator, group, made};
  return mpi_meet_to_make(mpi_call_of(OF_MPI_Comm_create, run_MPI_Comm_create, &a), communicator, made);
}
