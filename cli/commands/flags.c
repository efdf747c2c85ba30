/* callsig flags: what a build system has to pass to the compiler and the linker. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/common/compiler.h"
#include "cli/common/install_paths.h"
#include "config.h"

static const char help[] =
    "usage: callsig flags [--cc COMPILER] [--before-inlining|--calls]\n"
    "                     [--min-instructions N] [--explain]\n"
    "                     [--cflags|--libs]\n"
    "       callsig flags --rules\n"
    "\n"
    "Prints the options that instrument a program, on one line: the best that the compiler has. A line on stderr says\n"
    "so where that is not sleds.\n"
    "\n"
    "  --cflags       only what the compiler needs: this is all that 'callsig run' asks for. gcc needs it at the link\n"
    "                 too where that optimizes\n"
    "  --libs         only what the linker needs for a program that records itself or calls callsig/callsig.h\n"
    "  --rules        print nothing but the path of a rules file for what pipelines pass around: std::vector, "
    "cv::Mat,\n"
    "                 AVFrame, tensors and others, for callsig run --rules\n"
    "  --cc COMPILER  for this compiler (default: cc, gcc or clang); it is asked whether it takes the options\n"
    "  --before-inlining\n"
    "                 hooks that are put in before inlining: inlined calls are counted too, at a far higher price\n"
    "  --calls        calls of hooks that are put in after inlining, where the program's text may not be written\n"
    "  --min-instructions N\n"
    "                 leave out functions of fewer instructions that have no loop\n"
    "  --explain      say on stderr what was chosen, and why\n"
    "  --help, --version\n";

/* How a program is instrumented, the best first. */
enum shape { SHAPE_SLEDS, SHAPE_CALLS, SHAPE_BEFORE, SHAPES };

static const char *const shape_names[SHAPES] = {
    "sleds after inlining",
    "calls of hooks after inlining",
    "calls of hooks before inlining",
};

/* Options of one shape, and the texts that they point to. */
struct choice {
  enum shape shape;
  const char *options[CLI_COMPILER_OPTIONS + 1];
  char plugin[PATH_MAX + 64];
  char number[64];
};

/* What the command line asks for. */
struct request {
  const char *compiler;         /* NULL: whichever is there */
  const char *min_instructions; /* NULL: all functions */
  enum shape shape;
  bool shape_given, cflags, libs, rules, explain;
};

static const char *maker_name(const struct cli_compiler *compiler)
{
  return compiler->maker == CLI_COMPILER_GCC     ? "gcc"
         : compiler->maker == CLI_COMPILER_CLANG ? "clang"
                                                 : "of another maker";
}

/* Writes the path of the compiler's plug-in behind "-fplugin=". False when there is none. */
static bool find_plugin(const struct cli_install_paths *paths, const struct cli_compiler *compiler,
                        struct choice *choice)
{
  static const char option[] = "-fplugin=";
  int length = snprintf(choice->plugin, sizeof choice->plugin, "%s%s/gcc-%u/%s", option, paths->plugins,
                        compiler->major, CLI_PLUGIN_FILE);
  return paths->plugins[0] != '\0' && length > 0 && (size_t)length < sizeof choice->plugin &&
         access(choice->plugin + sizeof option - 1, R_OK) == 0;
}

/* The options of gcc's plug-in. */
static void fill_gcc(enum shape shape, const char *min_instructions, struct choice *choice)
{
  size_t count = 1;
  choice->options[count++] = choice->plugin;
  if (shape == SHAPE_CALLS)
    choice->options[count++] = CLI_PLUGIN_ARGUMENT "calls";
  if (min_instructions != NULL) {
    snprintf(choice->number, sizeof choice->number, CLI_PLUGIN_ARGUMENT "min-instructions=%s", min_instructions);
    choice->options[count++] = choice->number;
  }
}

/* The options of clang's sleds. Each is handed to clang's front end alone: its driver would link XRay's runtime. */
static void fill_clang(const char *min_instructions, struct choice *choice)
{
  snprintf(choice->number, sizeof choice->number, "-fxray-instruction-threshold=%s",
           min_instructions != NULL ? min_instructions : "1");
  choice->options[1] = "-Xclang";
  choice->options[2] = "-fxray-instrument";
  choice->options[3] = "-Xclang";
  choice->options[4] = choice->number;
}

/* Fills *choice with the options of a shape. False when the compiler has no such shape, or refuses them. */
static bool try_shape(enum shape shape, const struct request *request, const struct cli_install_paths *paths,
                      const struct cli_compiler *compiler, struct choice *choice)
{
  memset(choice, 0, sizeof *choice);
  choice->shape = shape;
  choice->options[0] = "-g";
  if (shape == SHAPE_BEFORE || (shape == SHAPE_CALLS && compiler->maker == CLI_COMPILER_CLANG)) {
    /* Neither has a limit of instructions. */
    if (request->min_instructions != NULL)
      return false;
    choice->options[1] = shape == SHAPE_BEFORE ? "-finstrument-functions" : "-finstrument-functions-after-inlining";
  } else if (!compiler->has_sleds) {
    return false;
  } else if (compiler->maker == CLI_COMPILER_GCC && find_plugin(paths, compiler, choice)) {
    fill_gcc(shape, request->min_instructions, choice);
  } else if (compiler->maker == CLI_COMPILER_CLANG) {
    fill_clang(request->min_instructions, choice);
  } else {
    return false;
  }
  return cli_compiler_takes(compiler, choice->options);
}

/* Finds the compiler that is meant. Returns 0, or an exit status after a message. */
static int find_compiler(const struct cli_command *command, const char *name, struct cli_compiler *compiler)
{
  static const char *const usual[] = {"cc", "gcc", "clang"};
  if (name != NULL) {
    int error = cli_compiler_ask(name, compiler);
    if (error == 0)
      return CLI_EXIT_OK;
    cli_error("%s: --cc: %s: %s; name a compiler that is installed", command->name, name, strerror(-error));
    return CLI_EXIT_FAILURE;
  }
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (cli_compiler_ask(usual[i], compiler) == 0)
      return CLI_EXIT_OK;
  cli_error("%s: no compiler found (cc, gcc, clang); install one, or name it with --cc", command->name);
  return CLI_EXIT_FAILURE;
}

/* Chooses the best shape that is asked for and that the compiler takes. Returns 0, or an exit status after a message.
 */
static int choose(const struct cli_command *command, const struct request *request,
                  const struct cli_install_paths *paths, struct choice *choice)
{
  struct cli_compiler compiler;
  int status = find_compiler(command, request->compiler, &compiler);
  if (status != CLI_EXIT_OK)
    return status;
  if (compiler.is_musl) {
    cli_error("%s: --cc: %s links with musl, and libcallsig needs the GNU C library; name a compiler of that",
              command->name, compiler.path);
    return CLI_EXIT_FAILURE;
  }
  enum shape last = request->shape_given ? request->shape : SHAPE_BEFORE;
  for (enum shape shape = request->shape; shape <= last; shape++) {
    if (!try_shape(shape, request, paths, &compiler, choice))
      continue;
    if (request->explain || (!request->shape_given && shape != SHAPE_SLEDS))
      cli_error("%s: %s (%s %u): %s%s", command->name, compiler.path, maker_name(&compiler), compiler.major,
                shape_names[shape],
                request->shape_given || shape == SHAPE_SLEDS ? ""
                : !compiler.has_sleds                        ? ", for callsig has no sleds on its processor"
                : compiler.maker == CLI_COMPILER_GCC         ? ", for callsig has no plug-in that this gcc takes"
                                                             : ", for it takes no options of sleds");
    return CLI_EXIT_OK;
  }
  const char *asked = request->min_instructions != NULL ? " and --min-instructions" : "";
  cli_error("%s: --cc: %s does not compile with %s%s; callsig is tested with gcc 12 and clang 14", command->name,
            compiler.path, shape_names[last], asked);
  return CLI_EXIT_FAILURE;
}

enum {
  OPTION_CC = CLI_OPTION_NEXT,
  OPTION_CFLAGS,
  OPTION_LIBS,
  OPTION_RULES,
  OPTION_BEFORE_INLINING,
  OPTION_CALLS,
  OPTION_MIN_INSTRUCTIONS,
  OPTION_EXPLAIN,
};

static const struct option option_table[] = {
    {"cc", required_argument, NULL, OPTION_CC},
    {"cflags", no_argument, NULL, OPTION_CFLAGS},
    {"libs", no_argument, NULL, OPTION_LIBS},
    {"rules", no_argument, NULL, OPTION_RULES},
    {"before-inlining", no_argument, NULL, OPTION_BEFORE_INLINING},
    {"calls", no_argument, NULL, OPTION_CALLS},
    {"min-instructions", required_argument, NULL, OPTION_MIN_INSTRUCTIONS},
    {"explain", no_argument, NULL, OPTION_EXPLAIN},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

/* Takes one option. Returns 0, or an exit status after a message. */
static int take_option(const struct cli_command *command, int option, struct request *request)
{
  if (option == OPTION_CC)
    request->compiler = optarg;
  else if (option == OPTION_CFLAGS)
    request->cflags = true;
  else if (option == OPTION_LIBS)
    request->libs = true;
  else if (option == OPTION_RULES)
    request->rules = true;
  else if (option == OPTION_EXPLAIN)
    request->explain = true;
  else if (option == OPTION_MIN_INSTRUCTIONS) {
    size_t digits = strspn(optarg, "0123456789");
    if (digits == 0 || digits > 9 || optarg[digits] != '\0')
      return cli_usage_error(command, "--min-instructions takes a whole number below a thousand million, not '%s'",
                             optarg);
    request->min_instructions = optarg;
  } else {
    enum shape shape = option == OPTION_CALLS ? SHAPE_CALLS : SHAPE_BEFORE;
    if (request->shape_given && request->shape != shape)
      return cli_usage_error(command, "--before-inlining and --calls exclude each other");
    request->shape = shape;
    request->shape_given = true;
  }
  return CLI_EXIT_OK;
}

static int check_request(const struct cli_command *command, const struct request *request)
{
  if (request->cflags && request->libs)
    return cli_usage_error(command, "--cflags and --libs exclude each other; without either, both are printed");
  if (request->rules && (request->cflags || request->libs || request->explain || request->shape_given ||
                         request->compiler != NULL || request->min_instructions != NULL))
    return cli_usage_error(command, "--rules prints a path and takes no other option");
  if (request->min_instructions != NULL && request->shape_given && request->shape == SHAPE_BEFORE)
    return cli_usage_error(command, "--min-instructions and --before-inlining exclude each other: before inlining no "
                                    "function has its instructions yet");
  return CLI_EXIT_OK;
}

/* A program with sleds refers to nothing of the library: a linker that leaves out what is not needed, as many systems'
 * compilers have it do, or that takes a static library's members one by one, is told to keep it. */
#define KEPT_LIBRARY "-Wl,--push-state,--no-as-needed,-u,callsig_version -lcallsig -Wl,--pop-state"

static int print_rules(const struct cli_install_paths *paths)
{
  if (paths->rules[0] == '\0') {
    cli_error("flags: presets.rules is not installed beside %s: install callsig again", paths->command);
    return CLI_EXIT_FAILURE;
  }
  puts(paths->rules);
  return cli_finish_output(CLI_EXIT_OK);
}

static int flags_main(const struct cli_command *command, int argc, char **argv)
{
  struct request request = {.shape = SHAPE_SLEDS};
  int option, status = CLI_EXIT_OK;
  while ((option = cli_next_option(command, argc, argv, &status)) != CLI_OPTION_END)
    if (option == CLI_OPTION_ANSWERED || (status = take_option(command, option, &request)) != CLI_EXIT_OK)
      return status;
  if (optind < argc)
    return cli_usage_error(command, "unexpected argument '%s'", argv[optind]);
  if ((status = check_request(command, &request)) != CLI_EXIT_OK)
    return status;

  struct cli_install_paths paths;
  if (cli_install_paths_find(&paths) < 0)
    return CLI_EXIT_FAILURE;
  if (request.rules)
    return print_rules(&paths);
  if (!request.libs && paths.include[0] == '\0') {
    cli_error("flags: the headers of callsig are not installed beside %s; --libs alone needs none", paths.command);
    return CLI_EXIT_FAILURE;
  }
  /* What the linker needs is the same for all compilers, and none is asked, unless it is named. */
  struct choice choice;
  if ((!request.libs || request.compiler != NULL) &&
      (status = choose(command, &request, &paths, &choice)) != CLI_EXIT_OK)
    return status;
  if (!request.libs) {
    for (size_t i = 0; choice.options[i] != NULL; i++)
      printf("%s ", choice.options[i]);
    printf("-I%s", paths.include);
  }
  if (!request.cflags)
    printf("%s-L%s -Wl,-rpath,%s " KEPT_LIBRARY, request.libs ? "" : " ", paths.lib, paths.lib);
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
