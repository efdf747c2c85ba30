/* Does what a line says to the browser: pstats's eleven commands, and those that filter. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/browse/browser.h"

/* Says why a command was not done. Tables that were printed before come before it. Where they could not be written,
 * nothing that follows could: the browser ends, and its end says so. */
static void __attribute__((format(printf, 2, 3))) refuse(struct cli_browser *browser, const char *format, ...)
{
  va_list arguments;
  browser->failed = true;
  fflush(stdout);
  if (ferror(stdout)) {
    browser->ended = true;
    return;
  }
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

/* A callsig_stats_message_fn while a command runs. */
static void refuse_message(const char *line, void *data)
{
  refuse(data, "%s", line);
}

static bool is_loaded(struct cli_browser *browser)
{
  if (browser->stats == NULL)
    refuse(browser, "No statistics object is loaded.");
  return browser->stats != NULL;
}

/* The next word of a line that strtok_r() splits. */
static char *next_word(char *line, char **rest)
{
  return strtok_r(line, " \t\r\n\v\f", rest);
}

/* All of the word as a number that is no integer and lies outside of [0, 1]: what pstats refuses and leaves out. */
static bool is_bad_fraction(const char *word)
{
  char *end;
  double value = strtod(word, &end);
  bool is_number = end != word && *end == '\0' && word[strspn(word, "+-.0123456789eE")] == '\0';
  bool is_integer = word[strspn(word, "+-0123456789")] == '\0';
  return is_number && !is_integer && (value < 0 || value > 1);
}

typedef int print_fn(struct callsig_stats *stats, FILE *out, const char *const *restrictions, size_t count);

/* Prints with the words of the line as restrictions. */
static void print(struct cli_browser *browser, char *argument, print_fn *printer)
{
  const char **words = calloc(strlen(argument) / 2 + 2, sizeof *words);
  char *rest;
  size_t count = 0;
  if (!is_loaded(browser) || words == NULL) {
    free(words);
    return;
  }
  for (char *word = next_word(argument, &rest); word; word = next_word(NULL, &rest)) {
    if (is_bad_fraction(word))
      refuse(browser, "Fraction argument must be in [0, 1]");
    else
      words[count++] = word;
  }
  printer(browser->stats, stdout, words, count);
  free(words);
}

static void run_stats(struct cli_browser *browser, char *argument)
{
  print(browser, argument, callsig_stats_print);
}

static void run_callers(struct cli_browser *browser, char *argument)
{
  print(browser, argument, callsig_stats_print_callers);
}

static void run_callees(struct cli_browser *browser, char *argument)
{
  print(browser, argument, callsig_stats_print_callees);
}

static void run_add(struct cli_browser *browser, char *argument)
{
  if (is_loaded(browser))
    callsig_stats_add(browser->stats, argument);
}

int cli_browse_read(struct cli_browser *browser, const char *file)
{
  struct callsig_stats *stats = NULL;
  char *name = strdup(file);
  int status = name && callsig_stats_load(file, &stats) == 0 ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
  if (status == CLI_EXIT_OK)
    status = cli_row_options_apply(stats, &browser->rows);
  if (status == CLI_EXIT_OK && callsig_stats_sort(stats, browser->sort) < 0)
    status = CLI_EXIT_FAILURE;
  if (status != CLI_EXIT_OK) {
    callsig_stats_free(stats);
    free(name);
    return status;
  }
  callsig_stats_free(browser->stats);
  free(browser->file);
  browser->stats = stats;
  browser->file = name;
  return status;
}

static void run_read(struct cli_browser *browser, char *argument)
{
  const char *file = *argument ? argument : browser->file;
  if (file == NULL)
    refuse(browser, "No statistics object is current -- cannot reload.");
  else
    cli_browse_read(browser, file);
}

static void run_reverse(struct cli_browser *browser, char *argument)
{
  (void)argument;
  if (is_loaded(browser))
    callsig_stats_reverse(browser->stats);
}

static void list_keys(void)
{
  const char *meaning, *key;
  puts("Valid sort keys (unique prefixes are accepted):");
  for (size_t i = 0; (key = callsig_stats_sort_key(i, &meaning)) != NULL; i++)
    printf("%s -- %s\n", key, meaning);
}

static void run_sort(struct cli_browser *browser, char *argument)
{
  char *keys = strdup(argument), *rest;
  if (!is_loaded(browser) || keys == NULL) {
    free(keys);
    return;
  }
  *keys = '\0';
  for (char *word = next_word(argument, &rest), *at = keys; word; word = next_word(NULL, &rest))
    at += sprintf(at, "%s%s", at == keys ? "" : ",", word);
  callsig_stats_set_message(cli_ignore_line, NULL);
  bool valid = *keys && callsig_stats_sort(browser->stats, keys) == 0;
  if (!valid)
    list_keys();
  browser->failed |= *keys && !valid;
  free(keys);
}

static void run_strip(struct cli_browser *browser, char *argument)
{
  (void)argument;
  if (is_loaded(browser))
    callsig_stats_strip_dirs(browser->stats);
}

/* Sets one filter, or takes it away again when the argument is empty. The others stay. */
static void filter(struct cli_browser *browser, const char *argument, const char **wanted, char **owned)
{
  const char *before = *wanted;
  char *copy = *argument ? strdup(argument) : NULL;
  if (!is_loaded(browser)) {
    free(copy);
    return;
  }
  *wanted = copy;
  if (callsig_stats_filter(browser->stats, &browser->rows.filter) < 0) {
    *wanted = before;
    free(copy);
    return;
  }
  free(*owned);
  *owned = copy;
}

static void run_function(struct cli_browser *browser, char *argument)
{
  filter(browser, argument, &browser->rows.filter.function, &browser->function);
}

static void run_signature(struct cli_browser *browser, char *argument)
{
  filter(browser, argument, &browser->rows.filter.signature, &browser->signature);
}

static void run_stage(struct cli_browser *browser, char *argument)
{
  filter(browser, argument, &browser->rows.filter.stage, &browser->stage);
}

static void run_quit(struct cli_browser *browser, char *argument)
{
  (void)argument;
  browser->ended = true;
}

/* The longest name of a column of `lines` names, of `count` in all. */
static size_t column_width(size_t column, size_t lines, size_t count)
{
  size_t widest = 0;
  for (size_t i = column * lines; i < (column + 1) * lines && i < count; i++)
    widest = strlen(cli_browse_commands[i].name) > widest ? strlen(cli_browse_commands[i].name) : widest;
  return widest;
}

/* Names in columns that are read downwards, in as few lines as fit 79 characters. */
static void print_columns(size_t count)
{
  size_t lines = 0, width;
  do {
    lines++;
    width = 0;
    for (size_t column = 0; column * lines < count; column++)
      width += column_width(column, lines, count) + (column ? 2 : 0);
  } while (width > 79 && lines < count);
  for (size_t line = 0; line < lines; line++) {
    for (size_t i = line; i < count; i += lines)
      printf("%s%-*s", i == line ? "" : "  ", (int)column_width(i / lines, lines, count), cli_browse_commands[i].name);
    putchar('\n');
  }
}

static const struct cli_browse_command *find_command(const char *name, size_t length)
{
  const struct cli_browse_command *command = cli_browse_commands;
  while (command->name && (strlen(command->name) != length || strncmp(command->name, name, length) != 0))
    command++;
  return command->name ? command : NULL;
}

static void run_help(struct cli_browser *browser, char *argument)
{
  const struct cli_browse_command *command = find_command(argument, strlen(argument));
  size_t count = 0;
  if (command != NULL) {
    puts(command->help);
  } else if (*argument) {
    refuse(browser, "*** No help on %s", argument);
  } else {
    while (cli_browse_commands[count].name)
      count++;
    puts("\nDocumented commands (type help <topic>):\n========================================");
    print_columns(count);
    putchar('\n');
  }
}

#define ABOUT_RESTRICTIONS                                                                                             \
  "\nEach word takes rows from those that the words before it left: an integer so many, a fraction below 1 that\n"     \
  "share of them, anything else those whose name the regular expression is found in."

const struct cli_browse_command cli_browse_commands[] = {
    {"EOF", run_quit, "End."},
    {"add", run_add, "add FILE: adds a recording to what is loaded."},
    {"callees", run_callees, "callees [RESTRICTION...]: prints whom each function called." ABOUT_RESTRICTIONS},
    {"callers", run_callers, "callers [RESTRICTION...]: prints who called each function." ABOUT_RESTRICTIONS},
    {"function", run_function,
     "function [REGEX]: from now on only calls of functions whose printed name the expression is found in.\n"
     "Without an argument: all again."},
    {"help", run_help, "help [COMMAND]: lists the commands, or says what one does."},
    {"quit", run_quit, "Ends."},
    {"read", run_read, "read [FILE]: loads a recording in place of what is loaded; without a name, the same again."},
    {"reverse", run_reverse, "Turns the order around."},
    {"signature", run_signature,
     "signature [EXPR]: from now on only calls whose arguments fulfil the expression, like n >= 4096 && mode == FAST.\n"
     "Without an argument: all again."},
    {"sort", run_sort, "sort KEY...: sorts by the keys, the first one first. Without a key: lists them."},
    {"stage", run_stage,
     "stage [GLOB]: from now on only calls of stages whose label or name matches.\nWithout an argument: all again."},
    {"stats", run_stats, "stats [RESTRICTION...]: prints the table." ABOUT_RESTRICTIONS},
    {"strip", run_strip, "Prints file names without their folders from now on."},
    {NULL, NULL, NULL},
};

/* Runs one line: a command and its argument. '?' is help. */
static void run_line(struct cli_browser *browser, char *line)
{
  bool is_question = *line == '?';
  size_t length = is_question ? 1 : 0;
  while (!is_question && (isalnum((unsigned char)line[length]) || line[length] == '_'))
    length++;
  const struct cli_browse_command *command = is_question ? find_command("help", 4) : find_command(line, length);
  if (command == NULL) {
    refuse(browser, "*** Unknown syntax: %s", line);
    return;
  }
  callsig_stats_set_message(refuse_message, browser);
  command->run(browser, line + length + strspn(line + length, " \t\r\n\v\f"));
  callsig_stats_set_message(cli_error_line, NULL);
}

void cli_browse_line(struct cli_browser *browser, const char *line)
{
  line += strspn(line, " \t\r\n\v\f");
  size_t length = strlen(line);
  while (length > 0 && isspace((unsigned char)line[length - 1]))
    length--;
  if (length > 0) {
    free(browser->last);
    browser->last = strndup(line, length);
  }
  char *copy = browser->last ? strdup(browser->last) : NULL;
  if (copy != NULL)
    run_line(browser, copy);
  free(copy);
}
