/* Library calls as rows: where they cannot be had. */
#include "cli/run/library_calls.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/glob_file.h"

/* The globs, one a line, of the functions whose calls are counted; and, set, that what is asked the allocator for is.
 */
#define GLOBS "CALLSIG_LIBRARY_CALLS"
#define ALLOC "CALLSIG_ALLOC"
/* Until a function is called for the first time its slot leads to the dynamic linker, which would fill it after the
 * runtime has: with this variable set, all of them are filled before any code runs. */
#define BIND "LD_BIND_NOW"

int cli_library_calls_add(struct cli_library_calls *calls, bool is_alloc, const char *glob)
{
  calls->alloc = calls->alloc || glob == NULL;
  /* The runtime counts the others of its kind with malloc. */
  return cli_glob_add(&calls->globs, is_alloc ? "malloc" : glob != NULL ? glob : "*");
}

static bool is_set(const char *variable)
{
  const char *value = cli_environment(variable);
  return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

bool cli_library_calls_wanted(const struct cli_library_calls *calls)
{
  return calls->globs != NULL || is_set(GLOBS) || is_set(ALLOC);
}

int cli_library_calls_set(const struct cli_library_calls *calls)
{
  if (calls->globs == NULL)
    return 0;
  if (setenv(GLOBS, calls->globs, 1) != 0 || setenv(BIND, "1", 1) != 0 || (calls->alloc && setenv(ALLOC, "1", 1) != 0))
    return -errno;
  return 0;
}

int cli_library_calls_check(const struct cli_command *command, const struct cli_library_calls *calls, bool beside)
{
  if (calls->globs == NULL)
    return CLI_EXIT_OK;
#ifndef __x86_64__
  return cli_usage_error(command, "--library-calls: x86-64 alone has them");
#endif
  if (beside)
    return cli_usage_error(command, "--beside shows the times of a run without library calls: give one of the two");
  return CLI_EXIT_OK;
}

int cli_library_calls_refuse(const struct cli_profiled_program *program)
{
  if (!program->facts.defines_hook)
    return 0;
  cli_error("run: %s: the runtime is linked into it, and calls libraries through the same slots: link it with "
            "libcallsig.so to have library calls counted",
            program->image);
  return -EINVAL;
}
