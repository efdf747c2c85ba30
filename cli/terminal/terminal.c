/* Asks the system and the environment about the terminal. */
#include "cli/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned cli_terminal_width(void)
{
  struct winsize size;
  if (!isatty(STDOUT_FILENO))
    return 0;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool cli_terminal_has_color(void)
{
  const char *refused = getenv("NO_COLOR"), *kind = getenv("TERM");
  return isatty(STDOUT_FILENO) && !(refused && *refused) && kind && strcmp(kind, "dumb") != 0;
}
