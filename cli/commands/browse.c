/* callsig browse: reads commands from a terminal or from standard input, and hands them to the browser. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/browse/browser.h"
#include "cli/commands/commands.h"
#include "cli/common/recordings.h"

static const char help[] =
    "usage: callsig browse [OPTION...] [FILE...]\n"
    "\n"
    "Reads commands from a terminal, with editing, history and completion, or from standard input, and prints tables "
    "of\n"
    "the recordings FILE... (default callsig.out, when there is one): pstats's browser. 'help' lists the commands.\n"
    "\n"
    "  -s KEY[,KEY...]     the order at first, as of callsig report; default cumtime\n" CLI_ROW_OPTION_HELP
    "  --help, --version\n";

/* A line of standard input without its newline; NULL at its end. */
static char *read_line(void)
{
  char *line = NULL;
  size_t size = 0;
  ssize_t length = getline(&line, &size, stdin);
  if (length < 0) {
    free(line);
    return NULL;
  }
  if (length > 0 && line[length - 1] == '\n')
    line[length - 1] = '\0';
  return line;
}

/* "FILE% ", or "% " while nothing is loaded. The caller frees it. */
static char *make_prompt(const struct cli_browser *browser)
{
  char *prompt;
  return asprintf(&prompt, "%s%% ", browser->file ? browser->file : "") < 0 ? NULL : prompt;
}

static void converse(struct cli_browser *browser)
{
  puts("Welcome to the profile statistics browser.");
  while (!browser->ended) {
    char *prompt = make_prompt(browser);
    fflush(stdout);
    char *line = prompt ? cli_browse_edit(browser, prompt) : NULL;
    if (line == NULL)
      putchar('\n');
    cli_browse_line(browser, line ? line : "quit");
    free(line);
    free(prompt);
  }
  puts("Goodbye.");
}

/* Without a terminal there is nobody to welcome, and what failed is told by the exit status. */
static void obey(struct cli_browser *browser)
{
  for (char *line; !browser->ended && (line = read_line()) != NULL; free(line))
    cli_browse_line(browser, line);
}

static int browse(struct cli_browser *browser, char **files, int count)
{
  static char *standard[] = {CLI_DEFAULT_RECORDING};
  struct stat status;
  if (count == 0 && stat(standard[0], &status) == 0) {
    files = standard;
    count = 1;
  }
  if (count > 0 && cli_browse_read(browser, files[0]) != CLI_EXIT_OK)
    return CLI_EXIT_FAILURE;
  for (int i = 1; i < count; i++)
    if (callsig_stats_add(browser->stats, files[i]) < 0)
      return CLI_EXIT_FAILURE;
  bool person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (person)
    converse(browser);
  else
    obey(browser);
  if (browser->failed && !person)
    return cli_finish_output(CLI_EXIT_FAILURE);
  return cli_finish_output(browser->stats != NULL ? cli_recordings_status(browser->stats) : CLI_EXIT_OK);
}

static const struct option option_table[] = {
    CLI_ROW_OPTION_TABLE,
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

static int browse_main(const struct cli_command *command, int argc, char **argv)
{
  struct cli_browser browser = {.rows = CLI_ROW_OPTIONS_DEFAULT, .sort = "cumtime"};
  int option, status = CLI_EXIT_OK;
  while ((option = cli_next_option(command, argc, argv, &status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return status;
    if (option == 's')
      browser.sort = optarg;
    else
      status = cli_row_options_take(command, option, optarg, &browser.rows);
    if (status != CLI_EXIT_OK)
      return status;
  }
  status = browse(&browser, argv + optind, argc - optind);
  callsig_stats_free(browser.stats);
  free(browser.file);
  free(browser.function);
  free(browser.signature);
  free(browser.stage);
  free(browser.last);
  return status;
}

const struct cli_command cli_command_browse = {
    .name = "browse",
    .summary = "look through a recording, command by command",
    .help = help,
    .letters = ":s:",
    .options = option_table,
    .main = browse_main,
};
