/*
 * Prints what the parser of every subcommand takes, a line an option: "run -o value", "run --timeline optional",
 * "run --help none". It reads the very tables that the command was compiled with.
 */
#include <stdio.h>

#include "cli/commands/commands.h"

/* The letters as getopt() takes them: what begins them says how arguments are read, ':' behind a letter that it has a
 * value. */
static void list_letters(const struct cli_command *command)
{
  for (const char *at = command->letters; *at; at++) {
    if (*at != ':' && *at != '+' && *at != '-')
      printf("%s -%c %s\n", command->name, *at, at[1] == ':' ? (at[2] == ':' ? "optional" : "value") : "none");
  }
}

int main(void)
{
  static const char *const kinds[] = {
      [no_argument] = "none", [required_argument] = "value", [optional_argument] = "optional"};
  for (const struct cli_command *const *command = cli_commands; *command; command++) {
    list_letters(*command);
    for (const struct option *option = (*command)->options; option->name; option++)
      printf("%s --%s %s\n", (*command)->name, option->name, kinds[option->has_arg]);
  }
  return 0;
}
