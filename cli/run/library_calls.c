/* Library calls as rows: where they cannot be had. */
#include "cli/run/library_calls.h"

#include <errno.h>
#include <stddef.h>

int cli_library_calls_check(const struct cli_command *command, const char *globs, bool beside)
{
  if (globs == NULL)
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
