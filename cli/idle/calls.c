/* Takes calls out of the processes of a run, and puts them back. */
#include "cli/idle/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cli/idle/processes.h"
#include "cli/idle/sleds.h"

/* A program that forks without end has always one more. */
#define ROUNDS 16

/* Who says how long calls may be taken out; NULL: they are put back. */
struct taking {
  bool (*goes_on)(const void *data);
  const void *data;
};

static int switch_process(const struct cli_recorded_process *process, const struct taking *taking)
{
  struct base_vector sleds = BASE_VECTOR_OF(struct cli_sled);
  const int file = open(process->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  int error = file < 0 ? -errno : cli_sleds_read(file, process->path, &sleds);
  if (error == 0 && sleds.count == 0)
    error = -ENODATA;
  if (error == 0)
    error = cli_sleds_switch(process->pid, &sleds, taking != NULL, taking != NULL ? taking->goes_on : NULL,
                             taking != NULL ? taking->data : NULL);
  if (file >= 0)
    close(file);
  base_vector_free(&sleds);
  /* It may have ended. */
  return error == -ENOENT || error == -ESRCH ? 0 : error;
}

/* Switches the process whose own recording began at `start`. */
static int switch_own(uint64_t run, uint64_t start, const struct taking *taking, pid_t *pid)
{
  struct base_vector processes = BASE_VECTOR_OF(struct cli_recorded_process), seen = BASE_VECTOR_OF(pid_t);
  int error = cli_recorded_processes_list(run, &seen, &processes);
  const struct cli_recorded_process *found = NULL;
  for (uint32_t i = 0; found == NULL && i < processes.count; i++) {
    const struct cli_recorded_process *process = base_vector_at(&processes, i);
    found = process->is_own && process->start == start ? process : NULL;
  }
  *pid = found != NULL ? found->pid : 0;
  if (error == 0)
    error = found != NULL ? switch_process(found, taking) : -EACCES;
  base_vector_free(&processes);
  base_vector_free(&seen);
  return error;
}

int cli_calls_take_out(uint64_t run, uint64_t start, bool (*goes_on)(const void *data), const void *data, pid_t *pid)
{
  const struct taking taking = {goes_on, data};
  return switch_own(run, start, &taking, pid);
}

int cli_calls_put_back(uint64_t run, uint64_t start)
{
  pid_t pid;
  return switch_own(run, start, NULL, &pid);
}

/* Puts back the calls of those processes that were not `seen` before, and adds them to `reached`. 1: there were some,
 * 0: there are none; or a negative errno. */
static int put_back_new(uint64_t run, bool children, struct base_vector *seen, struct base_vector *reached)
{
  struct base_vector processes = BASE_VECTOR_OF(struct cli_recorded_process);
  int error = cli_recorded_processes_list(run, seen, &processes);
  const uint32_t before = reached->count;
  for (uint32_t i = 0; i < processes.count; i++) {
    const struct cli_recorded_process *process = base_vector_at(&processes, i);
    if (children && process->is_own)
      continue;
    const int failed = switch_process(process, NULL);
    error = error < 0 || failed == -ENODATA ? error : failed;
    pid_t *added = base_vector_add(reached, 1);
    if (added == NULL) {
      error = -ENOMEM;
      break;
    }
    *added = process->pid;
  }
  base_vector_free(&processes);
  return error < 0 ? error : reached->count > before;
}

static int put_back(uint64_t run, bool children, struct base_vector *reached)
{
  struct base_vector seen = BASE_VECTOR_OF(pid_t);
  int found, error = 0;
  unsigned round = 0;
  do {
    found = put_back_new(run, children, &seen, reached);
    error = error < 0 || found >= 0 ? error : found;
  } while (found != 0 && ++round < ROUNDS);
  base_vector_free(&seen);
  return error == 0 && found > 0 ? -EAGAIN : error;
}

int cli_calls_put_back_all(uint64_t run, struct base_vector *reached)
{
  return put_back(run, false, reached);
}

int cli_calls_put_back_children(uint64_t run)
{
  struct base_vector reached = BASE_VECTOR_OF(pid_t);
  const int error = put_back(run, true, &reached);
  base_vector_free(&reached);
  return error;
}
