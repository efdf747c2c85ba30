/* Finds processes of a run that have no recording yet, by what the kernel tells of all processes. */
#include "cli/run/coming_processes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/maps_line.h"
#include "cli/common/process_recording.h"
#include "cli/run/child_files.h"
#include "cli/run/elf_facts.h"

static FILE *open_file_of(const char *pid, const char *what)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%.20s/%s", pid, what);
  return fopen(path, "re");
}

/* Was it started by the run's program, directly or not? */
static bool is_of_run(const char *pid, uint64_t run)
{
  char wanted[48], *variable = NULL;
  size_t room = 0;
  bool found = false;
  snprintf(wanted, sizeof wanted, "CALLSIG_RUN=%" PRIu64, run);
  FILE *environment = open_file_of(pid, "environ");
  while (environment != NULL && !found && getdelim(&variable, &room, '\0', environment) > 0)
    found = strcmp(variable, wanted) == 0;
  free(variable);
  if (environment != NULL)
    fclose(environment);
  return found;
}

/* Is `path` that of a recording of the run, whether the file is still there or not? Takes the mark of one that is not
 * off. */
static bool is_recording_of(const struct cli_recording_place *place, char *path)
{
  static const char deleted[] = " (deleted)";
  const char *base = strrchr(place->path, '/') + 1;
  const size_t folder = (size_t)(base - place->path);
  const size_t length = strlen(path);
  if (length >= sizeof deleted && strcmp(path + length + 1 - sizeof deleted, deleted) == 0)
    path[length + 1 - sizeof deleted] = '\0';
  return strncmp(path, place->path, folder) == 0 &&
         (strcmp(path + folder, base) == 0 || cli_child_files_is_name(path + folder, base));
}

/* Has it a recording of the run mapped? It is that of the process that it was forked from, where it has none itself. */
static bool is_child(const char *pid, const struct cli_recording_place *place)
{
  char *line = NULL, path[PATH_MAX];
  size_t room = 0;
  bool found = false;
  FILE *maps = open_file_of(pid, "maps");
  while (maps != NULL && !found && getline(&line, &room, maps) > 0)
    found = cli_maps_line_path((pid_t)strtol(pid, NULL, 10), line, path) && is_recording_of(place, path);
  free(line);
  if (maps != NULL)
    fclose(maps);
  return found;
}

static bool is_instrumented(const char *pid)
{
  char path[64];
  struct cli_elf_facts facts;
  snprintf(path, sizeof path, "/proc/%.20s/exe", pid);
  return cli_elf_facts_read(path, &facts) == 0 && (facts.has_sleds || facts.imports_hook || facts.defines_hook);
}

static int add(struct cli_coming_processes *coming, uint32_t pid)
{
  uint32_t *more = realloc(coming->pids, (coming->count + 1u) * sizeof *more);
  if (more == NULL)
    return -ENOMEM;
  more[coming->count++] = pid;
  coming->pids = more;
  return 0;
}

int cli_coming_processes_list(const struct cli_recording_place *place, struct cli_coming_processes *coming)
{
  char recording[PATH_MAX];
  int error = 0;
  *coming = (struct cli_coming_processes){0};
  DIR *processes = opendir("/proc");
  for (struct dirent *entry; processes != NULL && error == 0 && (entry = readdir(processes)) != NULL;) {
    const char *pid = entry->d_name;
    if (isdigit((unsigned char)pid[0]) && is_of_run(pid, place->run) &&
        cli_process_recording(pid, recording) == -ENOENT && (is_instrumented(pid) || is_child(pid, place)))
      error = add(coming, cli_process_number_inside(strtoul(pid, NULL, 10)));
  }
  if (processes != NULL)
    closedir(processes);
  return error;
}

void cli_coming_processes_remove(struct cli_coming_processes *coming, uint32_t pid)
{
  unsigned kept = 0;
  for (unsigned i = 0; i < coming->count; i++)
    if (coming->pids[i] != pid)
      coming->pids[kept++] = coming->pids[i];
  coming->count = kept;
}

void cli_coming_processes_free(struct cli_coming_processes *coming)
{
  free(coming->pids);
  *coming = (struct cli_coming_processes){0};
}
