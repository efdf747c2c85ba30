/*
 * Lets one call of libcallsig-mpi fail: of memory, of files, or of MPI. Loaded before it, in one rank of a job.
 *
 * FAULT_RANK is the rank; FAULT the number of the call, 0 for none; FAULT_LOG a file that gets how many there were, and
 * which it was that failed. The program's own calls of MPI go through the library as well, and are let be.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FAILED = 16 }; /* an error of MPI that is none of those that the library knows */

static uintptr_t low, high; /* the library's code */
static long wanted = -1, count;
static const char *failed = "none";
static bool is_ending;

static int look(struct dl_phdr_info *info, size_t size, void *unused)
{
  (void)size;
  (void)unused;
  if (!strstr(info->dlpi_name, "/libcallsig-mpi-"))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
      low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      high = low + info->dlpi_phdr[i].p_memsz;
    }
  return 1;
}

__attribute__((constructor)) static void begin(void)
{
  const char *rank = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  const char *of = getenv("FAULT_RANK"), *number = getenv("FAULT");
  if (rank && of && number && strcmp(rank, of) == 0 && dl_iterate_phdr(look, NULL))
    wanted = atol(number);
}

__attribute__((destructor)) static void end(void)
{
  const char *log = getenv("FAULT_LOG");
  FILE *file = wanted >= 0 && log ? fopen(log, "w") : NULL;
  if (file) {
    fprintf(file, "%ld %s\n", count, failed);
    fclose(file);
  }
}

/* Is this the call, made from `from`? */
static bool fails(const void *from, const char *name)
{
  if (wanted < 0 || (uintptr_t)from < low || (uintptr_t)from >= high)
    return false;
  if (__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != wanted)
    return false;
  failed = name;
  return true;
}

#define FAILS(name) fails(__builtin_return_address(0), #name)

/* ------------------------------------------------------------------------------------------------------------------ */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static void *no_memory(void)
{
  errno = ENOMEM;
  return NULL;
}

void *malloc(size_t size)
{
  return FAILS(malloc) ? no_memory() : __libc_malloc(size);
}
void *calloc(size_t number, size_t size)
{
  return FAILS(calloc) ? no_memory() : __libc_calloc(number, size);
}
void *realloc(void *memory, size_t size)
{
  return FAILS(realloc) ? no_memory() : __libc_realloc(memory, size);
}

#define CALL(type, name, error, number, parameters, ...)                                                               \
  type name parameters                                                                                                 \
  {                                                                                                                    \
    if (FAILS(name)) {                                                                                                 \
      errno = error;                                                                                                   \
      return (type)-1;                                                                                                 \
    }                                                                                                                  \
    return (type)syscall(number, __VA_ARGS__);                                                                         \
  }
CALL(void *, mmap, ENOMEM, SYS_mmap, (void *at, size_t size, int may, int flags, int fd, off_t offset), at, size, may,
     flags, fd, offset)
CALL(int, open, EMFILE, SYS_openat, (const char *path, int flags, ...), AT_FDCWD, path, flags, 0600)
CALL(ssize_t, read, EIO, SYS_read, (int fd, void *to, size_t size), fd, to, size)
CALL(ssize_t, pread, EIO, SYS_pread64, (int fd, void *to, size_t size, off_t offset), fd, to, size, offset)
CALL(ssize_t, pwrite, ENOSPC, SYS_pwrite64, (int fd, const void *from, size_t size, off_t offset), fd, from, size,
     offset)
CALL(int, access, EIO, SYS_access, (const char *path, int how), path, how)
CALL(int, link, EIO, SYS_link, (const char *from, const char *to), from, to)
CALL(int, rename, EIO, SYS_rename, (const char *from, const char *to), from, to)
/* Standard error has what went wrong. */
ssize_t write(int fd, const void *from, size_t size)
{
  if (fd != STDERR_FILENO && FAILS(write)) {
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_write, fd, from, size);
}

#define NEXT(name) dlsym(RTLD_NEXT, #name)
void *opendir(const char *path)
{
  void *(*own)(const char *) = NEXT(opendir);
  return FAILS(opendir) ? no_memory() : own(path);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* A function of MPI, whose arguments are numbers and addresses, up to nine. */
#define MPI(name, when)                                                                                                \
  int name(long a, long b, long c, long d, long e, long f, long g, long h, long i)                                     \
  {                                                                                                                    \
    int (*own)(long, long, long, long, long, long, long, long, long) = NEXT(name);                                     \
    return (when) && FAILS(name) ? FAILED : own(a, b, c, d, e, f, g, h, i);                                            \
  }
MPI(PMPI_Comm_idup, is_ending = true)
MPI(PMPI_Isend, is_ending)
MPI(PMPI_Irecv, is_ending)
MPI(PMPI_Iallreduce, is_ending)
MPI(PMPI_Ialltoall, is_ending)
MPI(PMPI_Ibcast, is_ending)
MPI(PMPI_Igather, is_ending)
MPI(PMPI_Comm_get_attr, true)
MPI(PMPI_Comm_set_attr, true)
MPI(PMPI_Comm_create_keyval, true)
MPI(PMPI_Win_get_attr, true)
MPI(PMPI_Win_set_attr, true)
MPI(PMPI_Win_create_keyval, true)
MPI(PMPI_Comm_group, true)
MPI(PMPI_Group_translate_ranks, true)
MPI(PMPI_Group_size, true)
MPI(PMPI_Type_size_x, true)
MPI(PMPI_Get_elements_x, true)
MPI(PMPI_Topo_test, true)
MPI(PMPI_Cart_shift, true)
MPI(PMPI_Cartdim_get, true)
