/* What `callsig run --mpi` does around a rank. */
#include "cli/run/mpi_job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/install_paths.h"
#include "cli/common/subcommand.h"
#include "cli/run/mpi_end.h"
#include "format/hash.h"
#include "format/mpi_state.h"

/* The MPIs whose binary interfaces there is a library for, by what programs name of them. */
static const struct {
  const char *name, *soname, *library;
} known[] = {
    {"Open MPI", "libmpi.so.40", "libcallsig-mpi-openmpi.so"},
    {"MPICH", "libmpich.so.12", "libcallsig-mpi-mpich.so"},
};

enum { KNOWN_COUNT = sizeof known / sizeof *known };

/* The number of the MPI that is among the libraries, or -1. */
static int find_known(const struct cli_libraries *libraries)
{
  for (size_t i = 0; i < libraries->count; i++) {
    const char *slash = strrchr(libraries->paths[i], '/');
    for (int j = 0; slash != NULL && j < KNOWN_COUNT; j++)
      if (strcmp(slash + 1, known[j].soname) == 0)
        return j;
  }
  return -1;
}

int cli_mpi_find(const char *image, const struct cli_libraries *libraries, struct cli_mpi_job *job)
{
  struct cli_install_paths paths;
  const int number = find_known(libraries);
  if (number < 0) {
    cli_error("run: --mpi: %s is linked to neither %s of %s nor %s of %s: leave --mpi out", image, known[0].soname,
              known[0].name, known[1].soname, known[1].name);
    return -ENOENT;
  }
  int error = cli_install_paths_find(&paths);
  if (error < 0)
    return error;
  int length = snprintf(job->library, sizeof job->library, "%s/%s", paths.lib, known[number].library);
  if (length >= 0 && (size_t)length < sizeof job->library && access(job->library, R_OK) == 0)
    return 0;
  cli_error("run: --mpi: %s is a program of %s, and %s/%s is not there: build callsig where %s's development files are",
            image, known[number].name, paths.lib, known[number].library, known[number].name);
  return -ENOENT;
}

/* FOLDER/.BASE.RUN.WORD beside the recording. False: that is too long. */
static bool name_beside(const struct cli_recording_place *place, const char *word, char out[PATH_MAX])
{
  const char *base = strrchr(place->path, '/') + 1;
  int length = snprintf(out, PATH_MAX, "%.*s.%s.%llu.%s", (int)(base - place->path), place->path, base,
                        (unsigned long long)place->run, word);
  return length > 0 && length < PATH_MAX;
}

static const char *const words[] = {FMT_MPI_STATE, FMT_MPI_OWN, FMT_MPI_PEER, FMT_MPI_NODE};
enum { WORD_COUNT = sizeof words / sizeof *words };

/* Is it ".BASE.RUN.WORD" of any run? */
static bool is_part(const char *name, const char *base)
{
  const size_t length = strlen(base);
  if (name[0] != '.' || strncmp(name + 1, base, length) != 0 || name[length + 1] != '.')
    return false;
  const char *run = name + length + 2;
  const size_t digits = strspn(run, "0123456789");
  for (int i = 0; digits > 0 && run[digits] == '.' && i < WORD_COUNT; i++)
    if (strcmp(run + digits + 1, words[i]) == 0)
      return true;
  return false;
}

/* Removes what earlier runs left beside the recording: a launcher kills its ranks and their `callsig run` alike. The
 * place is this run's, so that nobody works on them any more. */
static void remove_older_parts(const char *recording)
{
  char folder[PATH_MAX];
  const char *base = strrchr(recording, '/') + 1;
  snprintf(folder, sizeof folder, "%.*s", (int)(base - recording), recording);
  DIR *listing = opendir(folder);
  for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;)
    if (is_part(entry->d_name, base))
      unlinkat(dirfd(listing), entry->d_name, 0);
  if (listing != NULL)
    closedir(listing);
}

/* What this machine is known by: its name, and since when it runs. 0: that cannot be read. */
static uint64_t mark_of_machine(void)
{
  struct utsname names;
  char mark[sizeof names.nodename + 64] = "";
  if (uname(&names) != 0)
    return 0;
  const size_t length = strlen(names.nodename);
  memcpy(mark, names.nodename, length);
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t size = fd >= 0 ? read(fd, mark + length, sizeof mark - length) : -1;
  if (fd >= 0)
    close(fd);
  return size > 0 ? fmt_hash(mark, length + (size_t)size) : 0;
}

/* Writes that the rank has begun, and on which machine. 0, or a negative errno. */
static int write_begun(int fd)
{
  char begun[FMT_MPI_MACHINE_OFFSET + sizeof(uint64_t)] = {FMT_MPI_BEGUN};
  const uint64_t mark = mark_of_machine();
  memcpy(begun + FMT_MPI_MACHINE_OFFSET, &mark, sizeof mark);
  const ssize_t written = write(fd, begun, sizeof begun);
  return written == (ssize_t)sizeof begun ? 0 : written < 0 ? -errno : -ENOSPC;
}

int cli_mpi_begin(struct cli_mpi_job *job, const struct cli_recording_place *place, const struct fmt_rank *rank)
{
  char state[PATH_MAX], suffix[PATH_MAX] = "";
  job->joined[0] = '\0';
  if (rank->source == NULL)
    return 0;
  fmt_rank_name(rank, suffix, sizeof suffix);
  const int length = (int)(strlen(place->path) - strlen(suffix));
  snprintf(job->joined, sizeof job->joined, "%.*s", length, place->path);
  /* Each looks: where rank 0 alone gave up, MPI_Init would keep the others waiting. */
  int error = cli_recording_make_way(job->joined, rank->number == 0);
  if (error < 0)
    return error;
  remove_older_parts(place->path);
  /* Beside FILE: no rank has come to its end before all have begun. */
  if (rank->number == 0)
    remove_older_parts(job->joined);
  if (!name_beside(place, FMT_MPI_STATE, state))
    error = -ENAMETOOLONG;
  int fd = error == 0 ? open(state, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
  if (error == 0)
    error = fd < 0 ? -errno : write_begun(fd);
  if (fd >= 0)
    close(fd);
  if (error < 0)
    cli_error("run: --mpi: %s: how far the rank comes cannot be written beside it: %s", place->path, strerror(-error));
  return error;
}

/* Reads what the library left. 0 or a negative errno. */
static int read_left(const char *path, char *state, struct fmt_mpi_whole *whole)
{
  *state = 0;
  *whole = (struct fmt_mpi_whole){0};
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return -errno;
  ssize_t size = pread(fd, state, 1, 0);
  if (size == 1)
    size = pread(fd, whole, sizeof *whole, FMT_MPI_WHOLE_OFFSET);
  const int error = size < 0 ? -errno : 0;
  if (size != (ssize_t)sizeof *whole)
    whole->ranks = 0;
  close(fd);
  return error;
}

/* What the library left; 0: nothing can be read. A network file system that has failed once may not when the file is
 * opened anew, and a rank that stays away leaves another's part of the whole behind. */
static char read_state(const struct cli_recording_place *place, struct fmt_mpi_whole *whole)
{
  char path[PATH_MAX], state = 0;
  *whole = (struct fmt_mpi_whole){0};
  if (!name_beside(place, FMT_MPI_STATE, path))
    return 0;
  int error = read_left(path, &state, whole);
  if (error == -EIO || error == -ESTALE)
    error = read_left(path, &state, whole);
  if (error < 0 && error != -ENOENT)
    cli_error("run: --mpi: %s: %s: what ranks did after MPI_Finalize is in their own recordings alone", path,
              strerror(-error));
  return state;
}

/* FILE becomes what the ranks have recorded until their end. */
static void complete(const struct cli_mpi_job *job, const struct cli_recording_place *place,
                     const struct fmt_rank *rank, const struct fmt_mpi_whole *whole)
{
  struct cli_mpi_end end = {.joined = job->joined,
                            .recording = place->path,
                            .rank = rank->number,
                            .ranks = whole->ranks,
                            .folds = whole->folds};
  if (name_beside(place, FMT_MPI_OWN, end.own) && name_beside(place, FMT_MPI_PEER, end.peer))
    cli_mpi_end_complete(&end);
}

static void remove_parts(const struct cli_recording_place *place)
{
  char path[PATH_MAX];
  for (int i = 0; i < WORD_COUNT; i++)
    if (name_beside(place, words[i], path))
      unlink(path);
}

void cli_mpi_end(struct cli_mpi_job *job, const struct cli_recording_place *place, const struct fmt_rank *rank,
                 const char *shown, int status)
{
  char how[64];
  if (job->joined[0] == '\0')
    return;
  job->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (job->signal)
    snprintf(how, sizeof how, "was ended by signal %d", job->signal);
  else
    snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(status));
  struct fmt_mpi_whole whole;
  switch (read_state(place, &whole)) {
  case FMT_MPI_DONE:
    if (whole.ranks > 0)
      complete(job, place, rank, &whole);
    break;
  case FMT_MPI_ABORTED:
    break;
  case FMT_MPI_JOINING:
    cli_error(
        "rank %u %s while the ranks' recordings were put together: %s is not complete, what the rank recorded is in %s",
        rank->number, how, job->joined, shown);
    break;
  default:
    cli_error("rank %u %s without MPI_Finalize: what it recorded is in %s alone", rank->number, how, shown);
    break;
  }
  remove_parts(place);
}

void cli_mpi_leave(const struct cli_mpi_job *job)
{
  sigset_t mask;
  if (job->signal == 0)
    return;
  /* A core of this command would tell nothing of the program. */
  prctl(PR_SET_DUMPABLE, 0);
  signal(job->signal, SIG_DFL);
  sigemptyset(&mask);
  sigaddset(&mask, job->signal);
  sigprocmask(SIG_UNBLOCK, &mask, NULL);
  raise(job->signal);
}
