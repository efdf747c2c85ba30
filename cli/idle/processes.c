/* Finds the processes that have a run's recordings mapped. */
#include "cli/idle/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/maps_line.h"
#include "cli/common/process_recording.h"

/* The regular file that a line of the process's maps tells of, shared. False: it is of none. */
static bool take_shared_file(pid_t pid, const char *line, char name[PATH_MAX])
{
  struct stat status;
  const char *access = strchr(line, ' ');
  return access != NULL && access[4] == 's' && cli_maps_line_path(pid, line, name) && lstat(name, &status) == 0 &&
         S_ISREG(status.st_mode);
}

/* Is the process one of this program, which looks into a recording? */
static bool is_of_callsig(pid_t pid)
{
  struct stat its, own;
  char name[64];
  snprintf(name, sizeof name, "/proc/%ld/exe", (long)pid);
  return stat(name, &its) == 0 && stat("/proc/self/exe", &own) == 0 && its.st_dev == own.st_dev &&
         its.st_ino == own.st_ino;
}

/* Takes what a line of /proc/PID/maps has mapped, if that is a recording of the run, and nearer to the process than
 * what was taken before: its own, or the one that was begun last. True when it is its own. */
static bool take_line(const char *line, uint64_t run, struct cli_recorded_process *process)
{
  struct fmt_rec_header header;
  char name[PATH_MAX];
  if (!take_shared_file(process->pid, line, name) || !cli_recording_header(name, &header) || header.run != run)
    return false;
  const bool is_own = header.pid == cli_process_number_inside((unsigned long)process->pid);
  if (is_own || process->path[0] == '\0' || cli_recording_began(&header) > process->start) {
    strcpy(process->path, name);
    process->start = cli_recording_began(&header);
  }
  process->is_own |= is_own;
  return is_own;
}

/* Fills process->path, "" where it goes by no recording of the run. */
static void look_at(uint64_t run, struct cli_recorded_process *process)
{
  char *line = NULL, name[64];
  size_t room = 0;
  snprintf(name, sizeof name, "/proc/%ld/maps", (long)process->pid);
  FILE *maps = fopen(name, "re");
  bool is_own = false;
  while (maps != NULL && !is_own && getline(&line, &room, maps) > 0)
    is_own = take_line(line, run, process);
  free(line);
  if (maps != NULL)
    fclose(maps);
  if (process->path[0] != '\0' && is_of_callsig(process->pid))
    process->path[0] = '\0';
}

static bool is_to_be_seen(int folder, const char *name)
{
  struct stat status;
  return isdigit((unsigned char)name[0]) && fstatat(folder, name, &status, 0) == 0 &&
         (geteuid() == 0 || status.st_uid == geteuid());
}

static int compare(const void *one, const void *other)
{
  const pid_t a = *(const pid_t *)one, b = *(const pid_t *)other;
  return (a > b) - (a < b);
}

/* Adds the process, which `list` has not seen yet, if it goes by one of the recordings. */
static int add(uint64_t run, pid_t pid, struct base_vector *seen, struct base_vector *processes)
{
  struct cli_recorded_process process = {.pid = pid};
  pid_t *number = base_vector_add(seen, 1);
  if (number == NULL)
    return -ENOMEM;
  *number = pid;
  look_at(run, &process);
  if (process.path[0] == '\0')
    return 0;
  struct cli_recorded_process *added = base_vector_add(processes, 1);
  if (added == NULL)
    return -ENOMEM;
  *added = process;
  return 0;
}

int cli_recorded_processes_list(uint64_t run, struct base_vector *seen, struct base_vector *processes)
{
  const uint32_t known = seen->count;
  int error = 0;
  DIR *folder = opendir("/proc");
  if (folder == NULL)
    return -errno;
  for (const struct dirent *entry; error == 0 && (entry = readdir(folder)) != NULL;) {
    const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (is_to_be_seen(dirfd(folder), entry->d_name) &&
        (known == 0 || bsearch(&pid, seen->data, known, sizeof pid, compare) == NULL))
      error = add(run, pid, seen, processes);
  }
  closedir(folder);
  if (seen->count > 0)
    qsort(seen->data, seen->count, sizeof(pid_t), compare);
  return error;
}
