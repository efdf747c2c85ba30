/* The files of a rank, and the command that makes one recording of two. */
#include "profiler/mpi/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/hidden_command.h"
#include "profiler/mpi/waits/message.h"

/* The runtime may be linked into the program, preloaded or absent. */
extern __typeof__(callsig_path) callsig_path __attribute__((weak));

/* FOLDER/.BASE.RUN.WORD beside `path`. */
static bool name_beside(char out[PATH_MAX], const char *path, const char *run, const char *word)
{
  const char *slash = strrchr(path, '/');
  const int folder = slash ? (int)(slash - path) + 1 : 0;
  int length = snprintf(out, PATH_MAX, "%.*s.%s.%s.%s", folder, path, path + folder, run, word);
  return length > 0 && length < PATH_MAX;
}

/* FILE of FILE.rankN, where N is the rank. */
static bool name_joined(char out[PATH_MAX], const char *path, int rank)
{
  char suffix[24];
  const size_t tail = (size_t)snprintf(suffix, sizeof suffix, ".rank%d", rank), length = strlen(path);
  if (length <= tail || length >= PATH_MAX || strcmp(path + length - tail, suffix) != 0 ||
      path[length - tail - 1] == '/')
    return false;
  memcpy(out, path, length - tail);
  out[length - tail] = '\0';
  return true;
}

bool mpi_parts_find(struct mpi_parts *parts, int rank)
{
  *parts = (struct mpi_parts){0};
  /* A runtime that is linked into the program statically may not be seen from here: its recording is where it was to be
   * made. */
  const char *output = secure_getenv("CALLSIG_OUTPUT");
  parts->recording = callsig_path ? callsig_path() : output;
  const char *path = parts->recording ? parts->recording : output;
  const char *run = secure_getenv("CALLSIG_RUN");
  char number[24];
  if (!path)
    return false;
  if (!run || strspn(run, "0123456789") != strlen(run)) {
    snprintf(number, sizeof number, "%ld", (long)getpid());
    run = number;
  }
  return name_joined(parts->joined, path, rank) && name_beside(parts->own, path, run, FMT_MPI_OWN) &&
         name_beside(parts->peer, path, run, FMT_MPI_PEER) && name_beside(parts->state, path, run, FMT_MPI_STATE);
}

/* The rank of which `name` is the file that tells how far it came, in a job whose FILE has the name `base`, and the
 * number of its run; -1: of none. */
static long rank_of_state(const char *name, const char *base, uint64_t *number_of_run)
{
  const size_t length = strlen(base);
  static const char marks[] = ".rank";
  if (*name != '.' || strncmp(name + 1, base, length) != 0 || strncmp(name + 1 + length, marks, sizeof marks - 1) != 0)
    return -1;
  const char *number = name + length + sizeof marks, *run = number + strspn(number, "0123456789");
  if (run == number || run - number > 9 || *run != '.')
    return -1;
  char *word;
  *number_of_run = strtoull(run + 1, &word, 10);
  return strcmp(word, "." FMT_MPI_STATE) == 0 ? strtol(number, NULL, 10) : -1;
}

/* The folder of FILE, and FILE's name in it. */
static const char *folder_of(const struct mpi_parts *parts, char folder[PATH_MAX])
{
  const char *slash = strrchr(parts->joined, '/'), *base = slash ? slash + 1 : parts->joined;
  snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(base - parts->joined) : 1, slash ? parts->joined : ".");
  return base;
}

/* Does the file tell that its rank takes part? */
static bool takes_part(int folder, const char *name)
{
  char state = 0;
  const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return false;
  if (read(fd, &state, 1) != 1)
    state = 0;
  close(fd);
  return state == FMT_MPI_RUNNING || state == FMT_MPI_JOINING;
}

int mpi_parts_started(const struct mpi_parts *parts, int size, bool taking_part, uint8_t *seen)
{
  char folder[PATH_MAX];
  const char *base = folder_of(parts, folder);
  uint64_t run;
  memset(seen, 0, ((size_t)size + 7) / 8);
  if (access(parts->state, F_OK) != 0)
    return -ENOENT;
  DIR *files = opendir(folder);
  if (!files)
    return -errno;
  int count = 0;
  for (const struct dirent *file; (file = readdir(files)) != NULL;) {
    const long rank = rank_of_state(file->d_name, base, &run);
    if (rank < 0 || rank >= size || seen[rank / 8] >> rank % 8 & 1 ||
        (taking_part && !takes_part(dirfd(files), file->d_name)))
      continue;
    seen[rank / 8] = (uint8_t)(seen[rank / 8] | 1u << rank % 8);
    count++;
  }
  closedir(files);
  return count;
}

void mpi_parts_runs(const struct mpi_parts *parts, int size, uint64_t *runs)
{
  char folder[PATH_MAX];
  const char *base = folder_of(parts, folder);
  uint64_t run;
  memset(runs, 0, (size_t)size * sizeof *runs);
  DIR *files = opendir(folder);
  if (!files)
    return;
  for (const struct dirent *file; (file = readdir(files)) != NULL;) {
    const long rank = rank_of_state(file->d_name, base, &run);
    if (rank >= 0 && rank < size)
      runs[rank] = run;
  }
  closedir(files);
}

uint64_t mpi_parts_machine(const struct mpi_parts *parts, int rank, uint64_t run)
{
  char recording[PATH_MAX], number[24], path[PATH_MAX];
  uint64_t mark = 0;
  snprintf(number, sizeof number, "%llu", (unsigned long long)run);
  const int length = snprintf(recording, sizeof recording, "%s.rank%d", parts->joined, rank);
  if (run == 0 || length < 0 || length >= PATH_MAX || !name_beside(path, recording, number, FMT_MPI_STATE))
    return 0;
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0 && pread(fd, &mark, sizeof mark, FMT_MPI_MACHINE_OFFSET) != (ssize_t)sizeof mark)
    mark = 0;
  if (fd >= 0)
    close(fd);
  return mark;
}

/* `callsig merge [--fold-ranks] -o TO A [B]`, which the program does not see. */
static int merge(const struct mpi_parts *parts, const char *to, const char *a, const char *b)
{
  const char *command = secure_getenv("CALLSIG_COMMAND");
  if (!command || !*command)
    command = CALLSIG_COMMAND_PATH;
  const char *const apart[] = {command, "merge", "-o", to, "--", a, b, NULL};
  const char *const folded[] = {command, "merge", "--fold-ranks", "-o", to, "--", a, b, NULL};
  const char *const *arguments = parts->folds ? folded : apart;
  const struct prof_hidden hidden = {.arguments = arguments, .path = secure_getenv("PATH"), .environment = environ};
  sigset_t all, before;
  int error;
  /* By the system call: a program may have functions of its own by these names. */
  memset(&all, 0xff, sizeof all);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, (size_t)8);
  enum prof_hidden_end end = prof_hidden_run(&hidden, &error);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, (size_t)8);
  switch (end) {
  case PROF_HIDDEN_DONE:
    return 0;
  case PROF_HIDDEN_FAILED:
    mpi_message("%s: '%s merge' failed: run 'callsig merge -o OUT' on the ranks' own recordings to see why", a,
                command);
    break;
  case PROF_HIDDEN_NOT_RUN:
    mpi_message("%s: '%s merge' cannot be run: %s: set CALLSIG_COMMAND", a, command, strerror(-error));
    break;
  case PROF_HIDDEN_NO_MEMORY:
  case PROF_HIDDEN_NO_PROCESS:
    mpi_message("%s: no process can be started to merge it: %s", a, strerror(-error));
    break;
  }
  return error;
}

/* Makes the file new, empty and private. */
static int make(const char *path)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  return fd >= 0 ? fd : -errno;
}

int mpi_parts_begin(struct mpi_parts *parts)
{
  struct stat status;
  if (!parts->recording)
    return 0;
  if (lstat(parts->own, &status) == 0) {
    mpi_message("%s: exists, so that the ranks' recordings cannot be put together there", parts->own);
    return -EEXIST;
  }
  int error = merge(parts, parts->own, parts->recording, NULL);
  /* Where the program waits for all children itself, nobody but the file tells how it went. */
  if (error == 0 && (lstat(parts->own, &status) != 0 || !S_ISREG(status.st_mode))) {
    mpi_message("%s: '%s' was not made of it", parts->recording, parts->own);
    error = -EIO;
  }
  parts->has_own = error == 0;
  return error;
}

int mpi_parts_receive(const struct mpi_parts *parts)
{
  return make(parts->peer);
}

int mpi_parts_join(struct mpi_parts *parts)
{
  if (parts->has_own) {
    int error = merge(parts, parts->own, parts->own, parts->peer);
    unlink(parts->peer);
    return error;
  }
  if (rename(parts->peer, parts->own) != 0) {
    int error = errno;
    mpi_message("%s: %s", parts->own, strerror(error));
    unlink(parts->peer);
    return -error;
  }
  parts->has_own = true;
  return 0;
}

int mpi_parts_place(struct mpi_parts *parts)
{
  if (!parts->has_own)
    return 0;
  /* What somebody else laid there meanwhile stays. */
  if (syscall(SYS_renameat2, AT_FDCWD, parts->own, AT_FDCWD, parts->joined, 1 /* RENAME_NOREPLACE */) == 0) {
    parts->has_own = false;
    return 0;
  }
  /* Not every file system can do that in one step. */
  if (errno == EINVAL && link(parts->own, parts->joined) == 0)
    return 0;
  int error = errno;
  mpi_message("%s: the ranks' recordings cannot be put together there: %s; each rank's own has all", parts->joined,
              strerror(error));
  return -error;
}

void mpi_parts_end(struct mpi_parts *parts)
{
  if (parts->has_own)
    unlink(parts->own);
  parts->has_own = false;
}

/* Writes into the file of the rank's state. */
static void write_state(const struct mpi_parts *parts, const void *bytes, size_t size, off_t offset)
{
  int fd = open(parts->state, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    /* A program that was started by itself has none. */
    if (errno != ENOENT)
      mpi_message("%s: %s", parts->state, strerror(errno));
    return;
  }
  /* A state that cannot be written reads as one that was not reached, of which `callsig run` speaks. */
  if (pwrite(fd, bytes, size, offset) != (ssize_t)size)
    mpi_message("%s: %s", parts->state, strerror(errno));
  close(fd);
}

void mpi_parts_tell_whole(const struct mpi_parts *parts, int size)
{
  const struct fmt_mpi_whole whole = {.ranks = (uint32_t)size, .folds = parts->folds};
  write_state(parts, &whole, sizeof whole, FMT_MPI_WHOLE_OFFSET);
}

void mpi_parts_tell(const struct mpi_parts *parts, enum fmt_mpi_state state)
{
  const char byte = (char)state;
  write_state(parts, &byte, 1, 0);
}
