/* callsig flags: what a build system has to pass to the compiler and the linker. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/common/find_program.h"
#include "cli/common/install_paths.h"
#include "config.h"

extern char **environ;

static const char help[] =
    "usage: callsig flags [--cc COMPILER] [--cflags|--libs]\n"
    "\n"
    "Prints the options that instrument a program, on one line.\n"
    "\n"
    "  --cflags       only what the compiler needs: this is all that 'callsig run' asks for\n"
    "  --libs         only what the linker needs for a program that records itself or calls callsig/callsig.h\n"
    "  --cc COMPILER  for this compiler (default: cc); it is asked whether it takes the options\n"
    "  --help, --version\n";

/* Lets `compiler` compile nothing with the flags. Returns 0, or an exit status after a message. */
static int check_compiler(const struct cli_command *command, const char *compiler)
{
  char path[PATH_MAX];
  int error = cli_find_program(compiler, path);
  if (error < 0) {
    cli_error("%s: --cc: %s: %s; name a compiler that is installed", command->name, compiler, strerror(-error));
    return CLI_EXIT_FAILURE;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  char flags[] = CLI_INSTRUMENT_FLAGS;
  char *arguments[16] = {path};
  size_t count = 1;
  for (char *flag = strtok(flags, " "); flag != NULL && count < 8; flag = strtok(NULL, " "))
    arguments[count++] = flag;
  const char *const rest[] = {"-Werror", "-x", "c", "-c", "/dev/null", "-o", "/dev/null"};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
    arguments[count++] = (char *)rest[i];
  pid_t pid;
  int status = -1;
  error = posix_spawn(&pid, path, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  while (error == 0 && waitpid(pid, &status, 0) < 0)
    error = errno == EINTR ? 0 : errno;
  if (error == 0 && status == 0)
    return CLI_EXIT_OK;
  cli_error("%s: --cc: %s does not compile with %s; callsig is tested with gcc 12 and clang 14", command->name, path,
            CLI_INSTRUMENT_FLAGS);
  return CLI_EXIT_FAILURE;
}

enum { OPTION_CC = CLI_OPTION_NEXT, OPTION_CFLAGS, OPTION_LIBS };

static const struct option option_table[] = {
    {"cc", required_argument, NULL, OPTION_CC},
    {"cflags", no_argument, NULL, OPTION_CFLAGS},
    {"libs", no_argument, NULL, OPTION_LIBS},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

static int flags_main(const struct cli_command *command, int argc, char **argv)
{
  const char *compiler = NULL;
  bool cflags = false, libs = false;
  int option, status = CLI_EXIT_OK;
  while ((option = cli_next_option(command, argc, argv, &status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return status;
    if (option == OPTION_CC)
      compiler = optarg;
    else if (option == OPTION_CFLAGS)
      cflags = true;
    else
      libs = true;
  }
  if (optind < argc)
    return cli_usage_error(command, "unexpected argument '%s'", argv[optind]);
  if (cflags && libs)
    return cli_usage_error(command, "--cflags and --libs exclude each other; without either, both are printed");
  if (compiler != NULL && (status = check_compiler(command, compiler)) != CLI_EXIT_OK)
    return status;

  struct cli_install_paths paths;
  if (cli_install_paths_find(&paths) < 0)
    return CLI_EXIT_FAILURE;
  if (!libs && paths.include[0] == '\0') {
    cli_error("flags: the headers of callsig are not installed beside %s; --libs alone needs none", paths.command);
    return CLI_EXIT_FAILURE;
  }
  if (!libs)
    printf("%s -I%s", CLI_INSTRUMENT_FLAGS, paths.include);
  if (!cflags)
    printf("%s-L%s -Wl,-rpath,%s -lcallsig", libs ? "" : " ", paths.lib, paths.lib);
  putchar('\n');
  return cli_finish_output(CLI_EXIT_OK);
}

const struct cli_command cli_command_flags = {
    .name = "flags",
    .summary = "print the compiler and linker options that instrument a program",
    .help = help,
    .letters = ":",
    .options = option_table,
    .main = flags_main,
};
