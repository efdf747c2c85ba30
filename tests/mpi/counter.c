/*
 * A second tool for what callsig counts of MPI: a library of its own that is loaded in its place, and shares nothing
 * with it. Each rank prints, when it ends, how often it called what, by the other side's place beside it, and how many
 * bytes that were.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { NAMES = 128, PENDING = 64 };

static struct line {
  char name[40], peer[12];
  long long calls, bytes;
} lines[NAMES];
static MPI_Request pending[PENDING]; /* of receives */
static struct {
  MPI_Request request;
  int count, rank, is_receive;
  MPI_Datatype type;
  MPI_Comm communicator;
} kept[8];
static int kept_count;

static void add(const char *name, const char *peer, long long calls, long long bytes)
{
  for (int i = 0; i < NAMES; i++) {
    if (lines[i].name[0] == '\0') {
      strcpy(lines[i].name, name);
      strcpy(lines[i].peer, peer);
    }
    if (strcmp(lines[i].name, name) == 0 && strcmp(lines[i].peer, peer) == 0) {
      lines[i].calls += calls;
      lines[i].bytes += bytes;
      return;
    }
  }
}

static const char *place(MPI_Comm communicator, int other)
{
  int me, size;
  PMPI_Comm_rank(communicator, &me);
  PMPI_Comm_size(communicator, &size);
  if (other == MPI_ANY_SOURCE)
    return "any_source";
  if (other == MPI_PROC_NULL)
    return "none";
  if (other == me)
    return "self";
  const int ahead = (other - me + size) % size;
  return ahead == 1 ? "next" : ahead == size - 1 ? "previous" : "other";
}

static long long size_of(long long count, MPI_Datatype type)
{
  int size;
  PMPI_Type_size(type, &size);
  return count * size;
}

static int members(MPI_Comm communicator)
{
  int size;
  PMPI_Comm_size(communicator, &size);
  return size;
}

static int is_me(MPI_Comm communicator, int root)
{
  int me;
  PMPI_Comm_rank(communicator, &me);
  return me == root;
}

static long long got(const MPI_Status *status)
{
  int bytes;
  PMPI_Get_count(status, MPI_BYTE, &bytes);
  return bytes;
}

static void expect(MPI_Request request)
{
  int i = 0;
  while (pending[i] != MPI_REQUEST_NULL && pending[i] != (MPI_Request)0)
    i++;
  pending[i] = request;
}

static void arrived(MPI_Request request, const MPI_Status *status)
{
  for (int i = 0; request != MPI_REQUEST_NULL && i < PENDING; i++) {
    if (pending[i] == request) {
      pending[i] = MPI_REQUEST_NULL;
      add("MPI_Irecv", "bytes", 0, got(status));
      return;
    }
  }
  for (int i = 0; i < kept_count; i++)
    if (kept[i].request == request && kept[i].is_receive)
      add("MPI_Start", "bytes", 0, got(status));
}

#define SEND(name)                                                                                                     \
  int name(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)                                          \
  {                                                                                                                    \
    add(#name, place(c, to), 1, 0);                                                                                    \
    add(#name, "bytes", 0, to == MPI_PROC_NULL ? 0 : size_of(n, t));                                                   \
    return P##name(b, n, t, to, tag, c);                                                                               \
  }
SEND(MPI_Send)
SEND(MPI_Ssend)
#define ISEND(name)                                                                                                    \
  int name(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)                          \
  {                                                                                                                    \
    add(#name, place(c, to), 1, 0);                                                                                    \
    add(#name, "bytes", 0, size_of(n, t));                                                                             \
    return P##name(b, n, t, to, tag, c, r);                                                                            \
  }
ISEND(MPI_Isend)
ISEND(MPI_Issend)
int MPI_Recv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *s)
{
  MPI_Status own;
  const int result = PMPI_Recv(b, n, t, from, tag, c, &own);
  add("MPI_Recv", place(c, from), 1, 0);
  add("MPI_Recv", "bytes", 0, got(&own));
  if (s != MPI_STATUS_IGNORE)
    *s = own;
  return result;
}
int MPI_Irecv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r)
{
  add("MPI_Irecv", place(c, from), 1, 0);
  const int result = PMPI_Irecv(b, n, t, from, tag, c, r);
  expect(*r);
  return result;
}
int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int to, int tag, void *b2, int n2, MPI_Datatype t2, int from,
                 int tag2, MPI_Comm c, MPI_Status *s)
{
  MPI_Status own;
  const int result = PMPI_Sendrecv(b, n, t, to, tag, b2, n2, t2, from, tag2, c, &own);
  add("MPI_Sendrecv", place(c, to), 1, 0);
  add("MPI_Sendrecv", "bytes", 0, size_of(n, t) + got(&own));
  if (s != MPI_STATUS_IGNORE)
    *s = own;
  return result;
}
int MPI_Probe(int from, int tag, MPI_Comm c, MPI_Status *s)
{
  add("MPI_Probe", place(c, from), 1, 0);
  return PMPI_Probe(from, tag, c, s);
}
int MPI_Send_init(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)
{
  const int result = PMPI_Send_init(b, n, t, to, tag, c, r);
  add("MPI_Send_init", place(c, to), 1, 0);
  kept[kept_count].request = *r;
  kept[kept_count].count = n;
  kept[kept_count++].type = t;
  return result;
}
int MPI_Recv_init(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r)
{
  const int result = PMPI_Recv_init(b, n, t, from, tag, c, r);
  add("MPI_Recv_init", place(c, from), 1, 0);
  kept[kept_count].request = *r;
  kept[kept_count++].is_receive = 1;
  return result;
}
int MPI_Startall(int n, MPI_Request *r)
{
  add("MPI_Startall", "", 1, 0);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < kept_count; j++)
      if (kept[j].request == r[i] && !kept[j].is_receive)
        add("MPI_Start", "bytes", 0, size_of(kept[j].count, kept[j].type));
  return PMPI_Startall(n, r);
}
int MPI_Wait(MPI_Request *r, MPI_Status *s)
{
  MPI_Status own;
  MPI_Request before = *r;
  const int result = PMPI_Wait(r, &own);
  add("MPI_Wait", "", 1, 0);
  arrived(before, &own);
  if (s != MPI_STATUS_IGNORE)
    *s = own;
  return result;
}
int MPI_Test(MPI_Request *r, int *flag, MPI_Status *s)
{
  add("MPI_Test", "", 1, 0);
  return PMPI_Test(r, flag, s);
}
int MPI_Waitall(int n, MPI_Request *r, MPI_Status *s)
{
  MPI_Request before[8];
  MPI_Status own[8];
  memcpy(before, r, (size_t)n * sizeof *r);
  const int result = PMPI_Waitall(n, r, own);
  add("MPI_Waitall", "", 1, 0);
  for (int i = 0; i < n; i++)
    arrived(before[i], &own[i]);
  if (s != MPI_STATUSES_IGNORE)
    memcpy(s, own, (size_t)n * sizeof *s);
  return result;
}
int MPI_Waitany(int n, MPI_Request *r, int *index, MPI_Status *s)
{
  MPI_Request before[8];
  memcpy(before, r, (size_t)n * sizeof *r);
  const int result = PMPI_Waitany(n, r, index, s);
  add("MPI_Waitany", "", 1, 0);
  arrived(before[*index], s);
  return result;
}
int MPI_Waitsome(int n, MPI_Request *r, int *done, int *indices, MPI_Status *s)
{
  MPI_Request before[8];
  memcpy(before, r, (size_t)n * sizeof *r);
  const int result = PMPI_Waitsome(n, r, done, indices, s);
  add("MPI_Waitsome", "", 1, 0);
  for (int i = 0; i < *done; i++)
    arrived(before[indices[i]], &s[i]);
  return result;
}

#define TOGETHER(name, parameters, arguments, sent)                                                                    \
  int name parameters                                                                                                  \
  {                                                                                                                    \
    add(#name, "", 1, 0);                                                                                              \
    add(#name, "bytes", 0, sent);                                                                                      \
    return P##name arguments;                                                                                          \
  }
#define D MPI_Datatype
TOGETHER(MPI_Barrier, (MPI_Comm c), (c), 0)
TOGETHER(MPI_Ibarrier, (MPI_Comm c, MPI_Request *r), (c, r), 0)
TOGETHER(MPI_Bcast, (void *b, int n, D t, int root, MPI_Comm c), (b, n, t, root, c), size_of(n, t))
TOGETHER(MPI_Reduce, (const void *b, void *i, int n, D t, MPI_Op o, int root, MPI_Comm c), (b, i, n, t, o, root, c),
         size_of(n, t))
TOGETHER(MPI_Allreduce, (const void *b, void *i, int n, D t, MPI_Op o, MPI_Comm c), (b, i, n, t, o, c), size_of(n, t))
TOGETHER(MPI_Iallreduce, (const void *b, void *i, int n, D t, MPI_Op o, MPI_Comm c, MPI_Request *r),
         (b, i, n, t, o, c, r), size_of(n, t))
TOGETHER(MPI_Scan, (const void *b, void *i, int n, D t, MPI_Op o, MPI_Comm c), (b, i, n, t, o, c), size_of(n, t))
TOGETHER(MPI_Exscan, (const void *b, void *i, int n, D t, MPI_Op o, MPI_Comm c), (b, i, n, t, o, c), size_of(n, t))
TOGETHER(MPI_Gather, (const void *b, int n, D t, void *i, int m, D u, int root, MPI_Comm c),
         (b, n, t, i, m, u, root, c), size_of(n, t))
TOGETHER(MPI_Gatherv, (const void *b, int n, D t, void *i, const int *m, const int *p, D u, int root, MPI_Comm c),
         (b, n, t, i, m, p, u, root, c), size_of(n, t))
TOGETHER(MPI_Scatter, (const void *b, int n, D t, void *i, int m, D u, int root, MPI_Comm c),
         (b, n, t, i, m, u, root, c), is_me(c, root) ? size_of((long long)n *members(c), t) : size_of(m, u))
TOGETHER(MPI_Allgather, (const void *b, int n, D t, void *i, int m, D u, MPI_Comm c), (b, n, t, i, m, u, c),
         size_of(n, t))
TOGETHER(MPI_Allgatherv, (const void *b, int n, D t, void *i, const int *m, const int *p, D u, MPI_Comm c),
         (b, n, t, i, m, p, u, c), size_of(n, t))
TOGETHER(MPI_Alltoall, (const void *b, int n, D t, void *i, int m, D u, MPI_Comm c), (b, n, t, i, m, u, c),
         size_of((long long)n *members(c), t))
TOGETHER(MPI_Reduce_scatter_block, (const void *b, void *i, int n, D t, MPI_Op o, MPI_Comm c), (b, i, n, t, o, c),
         size_of((long long)n *members(c), t))
TOGETHER(MPI_Comm_split, (MPI_Comm c, int color, int key, MPI_Comm *made), (c, color, key, made), 0)
TOGETHER(MPI_Comm_dup, (MPI_Comm c, MPI_Comm *made), (c, made), 0)

static long long sum_of(const int *counts, MPI_Comm c, D t)
{
  long long sum = 0;
  for (int i = 0; i < members(c); i++)
    sum += counts[i];
  return size_of(sum, t);
}
TOGETHER(MPI_Scatterv, (const void *b, const int *n, const int *p, D t, void *i, int m, D u, int root, MPI_Comm c),
         (b, n, p, t, i, m, u, root, c), is_me(c, root) ? sum_of(n, c, t) : size_of(m, u))
TOGETHER(MPI_Alltoallv,
         (const void *b, const int *n, const int *p, D t, void *i, const int *m, const int *q, D u, MPI_Comm c),
         (b, n, p, t, i, m, q, u, c), sum_of(n, c, t))
TOGETHER(MPI_Reduce_scatter, (const void *b, void *i, const int *n, D t, MPI_Op o, MPI_Comm c), (b, i, n, t, o, c),
         sum_of(n, c, t))

int MPI_Init_thread(int *count, char ***words, int required, int *provided)
{
  add("MPI_Init_thread", "", 1, 0);
  return PMPI_Init_thread(count, words, required, provided);
}

int MPI_Finalize(void)
{
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < NAMES && lines[i].name[0]; i++)
    printf("counted %d %s %s %lld %lld\n", rank, lines[i].name, lines[i].peer[0] ? lines[i].peer : "-", lines[i].calls,
           lines[i].bytes);
  printf("counted %d MPI_Finalize - 1 0\n", rank);
  fflush(stdout);
  return PMPI_Finalize();
}
