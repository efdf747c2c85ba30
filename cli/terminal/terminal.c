/* Asks the system and the environment about the terminal. */
#include "cli/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <curses.h>
#include <term.h> /* after the other, and both last: they define names as common as any */

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

bool cli_terminal_moves(int file)
{
  int error;
  if (setupterm(NULL, file, &error) != OK)
    return false;
  char name[] = "cup", *const none = (char *)-1; /* of a capability that is no string */
  const char *move = tigetstr(name);
  del_curterm(cur_term);
  return move != NULL && move != none;
}
