/* Runs a program beside its profiled run, and adds what was sampled to the recording. */
#include "cli/beside/beside.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/beside/known_modules.h"
#include "cli/beside/samples_record.h"
#include "cli/beside/second_run.h"
#include "cli/common/find_program.h"
#include "cli/common/subcommand.h"
#include "cli/run/elf_facts.h"
#include "cli/run/libraries.h"

extern char **environ;

/* A program that links the runtime does not record itself then. */
#define DISABLED "CALLSIG_DISABLED=1"

struct cli_beside {
  char path[PATH_MAX]; /* what is executed */
  bool is_other_build;
  char **environment; /* owned, and its strings */
  struct cli_run_files files;
};

/* A copy of the environment that says that the runtime records nothing. NULL when memory is short. */
static char **copy_environment(void)
{
  size_t count = 0, kept = 0;
  while (environ[count] != NULL)
    count++;
  char **copy = calloc(count + 2, sizeof *copy);
  bool complete = copy != NULL;
  for (size_t i = 0; complete && i < count; i++) {
    if (strncmp(environ[i], DISABLED, strlen(DISABLED) - 1) == 0)
      continue;
    copy[kept] = strdup(environ[i]);
    complete = copy[kept++] != NULL;
  }
  if (complete)
    complete = (copy[kept] = strdup(DISABLED)) != NULL;
  if (complete || copy == NULL)
    return copy;
  for (size_t i = 0; copy[i] != NULL; i++)
    free(copy[i]);
  free(copy);
  return NULL;
}

void cli_beside_free(struct cli_beside *beside)
{
  if (beside == NULL)
    return;
  for (size_t i = 0; beside->environment != NULL && beside->environment[i] != NULL; i++)
    free(beside->environment[i]);
  free(beside->environment);
  free(beside);
}

/* Whether the runtime is loaded with the ELF file at `path`, whoever starts it. Files that are none have no runtime,
 * and what else is wrong with them is for who starts them to say. */
static bool links_runtime(const char *path)
{
  struct cli_elf_facts facts;
  struct cli_libraries libraries = {0};
  if (cli_elf_facts_read(path, &facts) != 0)
    return false;
  bool found = facts.has_runtime;
  if (!found && facts.interpreter[0] != '\0' && cli_libraries_list(facts.interpreter, path, NULL, &libraries) == 0)
    for (size_t i = 0; i < libraries.count && !found; i++) {
      const char *slash = strrchr(libraries.paths[i], '/');
      const char *name = slash != NULL ? slash + 1 : libraries.paths[i];
      found = strncmp(name, "libcallsig.so", strlen("libcallsig.so")) == 0;
    }
  cli_libraries_free(&libraries);
  return found;
}

static int find_plain(struct cli_beside *beside, const char *program, const char *plain)
{
  int error = cli_find_program(plain != NULL ? plain : program, beside->path);
  if (error < 0 && plain != NULL)
    cli_error("run: --beside=%s: %s; name another build of %s", plain, strerror(-error), program);
  if (error < 0 || plain != NULL)
    return plain != NULL ? error : 0;
  if (!links_runtime(beside->path))
    return 0;
  cli_error("run: %s: links libcallsig, so that its hooks would run beside, too; name a build without: --beside=PLAIN",
            program);
  return -EINVAL;
}

int cli_beside_open(struct cli_beside **opened, const char *program, const char *plain)
{
  struct cli_beside *beside = calloc(1, sizeof *beside);
  *opened = NULL;
  if (beside != NULL)
    beside->environment = copy_environment();
  int error = beside != NULL && beside->environment != NULL ? 0 : -ENOMEM;
  if (error < 0)
    cli_error("run: out of memory");
  else
    error = find_plain(beside, program, plain);
  if (error < 0) {
    cli_beside_free(beside);
    return error;
  }
  beside->is_other_build = plain != NULL;
  cli_run_files_keep(&beside->files);
  *opened = beside;
  return 0;
}

static uint32_t flags_of(const struct cli_beside *beside, const struct cli_second_run *run, int status)
{
  return (beside->is_other_build ? FMT_SAMPLES_OTHER_BUILD : 0u) |
         (run->status != status ? FMT_SAMPLES_OTHER_STATUS : 0u) | (run->output_known ? FMT_SAMPLES_OUTPUT_KNOWN : 0u) |
         (run->output_differs ? FMT_SAMPLES_OTHER_OUTPUT : 0u) | (run->samples.in_kernel ? FMT_SAMPLES_KERNEL : 0u);
}

int cli_beside_run(struct cli_beside *beside, char **argv, const char *output, pid_t pid, int status)
{
  struct cli_second_run run = {0};
  struct cli_known_modules known;
  struct base_vector places = BASE_VECTOR_OF(struct cli_place);
  if (WIFSIGNALED(status)) {
    cli_error("run: a signal ended the program, so that it is not run beside: the times are those of this run");
    return -EINTR;
  }
  int error = cli_known_modules_read(&known, beside->path, output, pid);
  if (error == 0)
    error = cli_second_run(beside->path, argv, beside->environment, &beside->files, &known, &run);
  if (error == 0 && (error = cli_attribute_known(&run.samples, &known, &places)) == 0) {
    const struct cli_sampled_run sampled = {
        .program = beside->path, .used_ns = run.used_ns, .status = run.status, .flags = flags_of(beside, &run, status)};
    error = cli_samples_write(output, pid, &run.samples, &places, &sampled);
    if (error < 0)
      cli_error("run: %s: the samples cannot be added: %s", output, strerror(-error));
  }
  base_vector_free(&places);
  cli_known_modules_free(&known);
  cli_samples_free(&run.samples);
  return error;
}
