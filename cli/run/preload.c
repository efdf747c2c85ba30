/* Makes the linker load the runtime into what is started. */
#include "cli/run/preload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/subcommand.h"

int cli_preload(const char *first, const char *runtime)
{
  if (strpbrk(runtime, " :") != NULL) {
    cli_error("run: %s: LD_PRELOAD cannot hold a path with a space or a colon; install callsig elsewhere", runtime);
    return -EINVAL;
  }
  const char *existing = getenv("LD_PRELOAD");
  char *list = NULL;
  if (existing == NULL)
    existing = "";
  if (asprintf(&list, "%s%s%s%s%s", first != NULL ? first : "", first != NULL ? ":" : "", runtime,
               existing[0] != '\0' ? ":" : "", existing) < 0)
    return -ENOMEM;
  int error = setenv("LD_PRELOAD", list, 1) == 0 ? 0 : -errno;
  free(list);
  return error;
}
