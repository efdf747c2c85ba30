/* Lets a person edit a line for the browser, with history and completion, by libedit's interface of readline's shape.
 */
#include <editline/readline.h>
#include <stdlib.h>
#include <string.h>

#include "cli/browse/browser.h"

/* libedit's completion functions have no place for an argument: who is being completed for. */
static struct cli_browser *completing;

/* What may come next, one after the other: NULL behind the last. `state` counts up from 0. */
static char *next_command(const char *text, int state)
{
  static size_t at;
  at = state == 0 ? 0 : at;
  while (cli_browse_commands[at].name) {
    const char *name = cli_browse_commands[at++].name;
    if (strncmp(name, text, strlen(text)) == 0)
      return strdup(name);
  }
  return NULL;
}

static char *next_key(const char *text, int state)
{
  static size_t at;
  const char *key;
  at = state == 0 ? 0 : at;
  while ((key = callsig_stats_sort_key(at, NULL)) != NULL) {
    at++;
    if (strncmp(key, text, strlen(text)) == 0)
      return strdup(key);
  }
  return NULL;
}

/* Names of functions in the order of the rows, each as often as it has rows: what completes takes one of each. */
static char *next_function(const char *text, int state)
{
  static size_t at;
  struct callsig_stats_row row = {.size = sizeof row};
  at = state == 0 ? 0 : at;
  while (completing->stats && callsig_stats_row(completing->stats, at, &row) == 0) {
    at++;
    if (row.function && strncmp(row.function, text, strlen(text)) == 0)
      return strdup(row.function);
  }
  return NULL;
}

/* The command that the line begins with, where the cursor is behind it. */
static bool begins_with(const char *name)
{
  const char *line = rl_line_buffer + strspn(rl_line_buffer, " \t");
  size_t length = strlen(name);
  return strncmp(line, name, length) == 0 && (line[length] == ' ' || line[length] == '\t');
}

static char **complete(const char *text, int start, int end)
{
  (void)end;
  char **matches = NULL;
  rl_attempted_completion_over = 1;
  callsig_stats_set_message(cli_ignore_line, NULL);
  if (start == 0 || strspn(rl_line_buffer, " \t") >= (size_t)start || begins_with("help")) {
    matches = rl_completion_matches(text, next_command);
  } else if (begins_with("sort")) {
    matches = rl_completion_matches(text, next_key);
  } else if (begins_with("stats") || begins_with("callers") || begins_with("callees") || begins_with("function")) {
    matches = rl_completion_matches(text, next_function);
  } else if (begins_with("read") || begins_with("add")) {
    rl_attempted_completion_over = 0;
  }
  callsig_stats_set_message(cli_error_line, NULL);
  return matches;
}

char *cli_browse_edit(struct cli_browser *browser, const char *prompt)
{
  completing = browser;
  rl_readline_name = "callsig";
  rl_attempted_completion_function = complete;
  char *line = readline(prompt);
  if (line && line[strspn(line, " \t")])
    add_history(line);
  return line;
}
