/* Ignores signals for this command, and not for programs that it starts. */
#include "cli/common/ignored_signals.h"

#include <stdbool.h>
#include <stddef.h>

/* Of those: it was at its default. Where the command was started with it ignored, programs find it so, too. */
static struct {
  int signal;
  bool was_default;
} ignored[] = {{SIGXFSZ, false}, {SIGPIPE, false}};
enum { COUNT = sizeof ignored / sizeof *ignored };

void cli_signal_ignore(int signal)
{
  struct sigaction action;
  for (size_t i = 0; i < COUNT; i++) {
    if (ignored[i].signal != signal || sigaction(signal, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
      continue;
    action.sa_handler = SIG_IGN;
    ignored[i].was_default = sigaction(signal, &action, NULL) == 0;
  }
}

void cli_signals_defaults(sigset_t *signals)
{
  sigemptyset(signals);
  for (size_t i = 0; i < COUNT; i++)
    if (ignored[i].was_default)
      sigaddset(signals, ignored[i].signal);
}

void cli_signals_reset(void)
{
  const struct sigaction action = {.sa_handler = SIG_DFL};
  for (size_t i = 0; i < COUNT; i++)
    if (ignored[i].was_default)
      sigaction(ignored[i].signal, &action, NULL);
}
