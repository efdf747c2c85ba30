/* Ignores SIGXFSZ for this command, and not for programs that it starts. */
#include "cli/common/file_limit.h"

#include <stdbool.h>
#include <stddef.h>

/* It was at its default: where the command was started with it ignored, programs find it so, too. */
static bool was_default;

void cli_file_limit_is_error(void)
{
  struct sigaction before;
  if (sigaction(SIGXFSZ, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
    return;
  was_default = signal(SIGXFSZ, SIG_IGN) != SIG_ERR;
}

void cli_file_limit_defaults(sigset_t *signals)
{
  sigemptyset(signals);
  if (was_default)
    sigaddset(signals, SIGXFSZ);
}

void cli_file_limit_reset(void)
{
  const struct sigaction action = {.sa_handler = SIG_DFL};
  if (was_default)
    sigaction(SIGXFSZ, &action, NULL);
}
