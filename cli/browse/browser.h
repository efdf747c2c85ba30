/*
 * The browser of `callsig browse`, as pstats's: what is loaded, the commands that arrange and print it, and the editing
 * of their lines.
 */
#ifndef CALLSIG_CLI_BROWSE_BROWSER_H
#define CALLSIG_CLI_BROWSE_BROWSER_H

#include "cli/common/row_options.h"

struct cli_browser {
  struct callsig_stats *stats; /* NULL: nothing is loaded. Owned */
  char *file;                  /* what `read` without a name reads again. Owned; NULL: nothing was read */
  struct cli_row_options rows; /* how what is read is arranged; its strings are the command line's or those below */
  const char *sort;            /* the order of what is read */
  char *function, *signature, *stage; /* the filters that commands set. Owned */
  char *last;                         /* the last line that was no empty one: an empty line repeats it. Owned */
  bool failed;                        /* a command could not be done */
  bool ended;
};

/* A command: its name, what it does with the rest of its line, and its help. */
struct cli_browse_command {
  const char *name;
  void (*run)(struct cli_browser *browser, char *argument);
  const char *help;
};

/* In the order of `help`; the last has no name. */
extern const struct cli_browse_command cli_browse_commands[];

/* Does what one line says. */
void cli_browse_line(struct cli_browser *browser, const char *line);

/* Reads a recording in place of what is loaded, and arranges it. An exit status. */
int cli_browse_read(struct cli_browser *browser, const char *file);

/* One line from a terminal, edited, with history and completion of commands, keys, files and functions. NULL at the end
 * of input. The caller frees it. */
char *cli_browse_edit(struct cli_browser *browser, const char *prompt);

#endif
