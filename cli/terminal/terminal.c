/* Asks the system and the environment about the terminal. */
#include "cli/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned cli_terminal_width(int file)
{
  struct winsize size;
  if (!isatty(file))
    return 0;
  return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool cli_terminal_has_color(int file)
{
  const char *refused = getenv("NO_COLOR"), *kind = getenv("TERM");
  return isatty(file) && !(refused && *refused) && kind && strcmp(kind, "dumb") != 0;
}
