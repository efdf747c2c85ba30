/* callsig index: how the arguments of a module's functions are read. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/common/tops.h"
#include "symbols/index/build.h"
#include "symbols/index/cache.h"
#include "symbols/index/unknown_parameters.h"
#include "symbols/plan/rulecheck.h"
#include "symbols/verify/verify.h"

static const char help[] =
    "usage: callsig index ELF [--explain] [--coverage] [--verify] [--rules FILE]\n"
    "       callsig index --cache ELF [--rules FILE] [--library-calls]\n"
    "                     [--below REGEX]\n"
    "\n"
    "Shows how each parameter of each instrumented function of an ELF file will be read, and which cannot be.\n"
    "\n"
    "  --explain     by function and site: where each parameter lies, which joins and rules apply and why (default)\n"
    "  --coverage    how many parameters can be read, in numbers\n"
    "  --verify      read the debug information again with libdwarf, and compare; differences are a failure\n"
    "  --rules FILE  how arguments are read and shown (docs/rules.md has the language); default $CALLSIG_RULES\n"
    "  --cache       only make sure that the cache holds the index, and print where\n"
    "  --library-calls  of --cache: with the functions that it imports, as 'callsig run --library-calls' asks for\n"
    "  --below REGEX  of --cache: with the functions told whose printed name matches, as 'callsig run --below' asks "
    "for\n"
    "  --help, --version\n";

struct index_options {
  const char *rules, *below;
  bool explain, coverage, verify, cache, library_calls;
};

enum {
  OPTION_EXPLAIN = CLI_OPTION_NEXT,
  OPTION_COVERAGE,
  OPTION_VERIFY,
  OPTION_RULES,
  OPTION_CACHE,
  OPTION_LIBRARY_CALLS,
  OPTION_BELOW
};

static const struct option option_table[] = {
    {"explain", no_argument, NULL, OPTION_EXPLAIN},
    {"coverage", no_argument, NULL, OPTION_COVERAGE},
    {"verify", no_argument, NULL, OPTION_VERIFY},
    {"rules", required_argument, NULL, OPTION_RULES},
    {"cache", no_argument, NULL, OPTION_CACHE},
    {"library-calls", no_argument, NULL, OPTION_LIBRARY_CALLS},
    {"below", required_argument, NULL, OPTION_BELOW},
    CLI_COMMON_OPTION_TABLE,
    {NULL, 0, NULL, 0},
};

static int read_options(const struct cli_command *command, int argc, char **argv, struct index_options *index,
                        int *status)
{
  int option;
  while ((option = cli_next_option(command, argc, argv, status)) != CLI_OPTION_END) {
    if (option == CLI_OPTION_ANSWERED)
      return -1;
    if (option == OPTION_EXPLAIN)
      index->explain = true;
    else if (option == OPTION_COVERAGE)
      index->coverage = true;
    else if (option == OPTION_VERIFY)
      index->verify = true;
    else if (option == OPTION_RULES)
      index->rules = optarg;
    else if (option == OPTION_LIBRARY_CALLS)
      index->library_calls = true;
    else if (option == OPTION_BELOW)
      index->below = optarg;
    else
      index->cache = true;
  }
  return 0;
}

static int make_cached(const char *path, const struct sym_index_options *options)
{
  char cached[PATH_MAX];
  int error = sym_index_cache(path, options, cached, sizeof cached);
  if (error == 0)
    puts(cached);
  return error;
}

static int verify_here(const char *path, const struct fmt_index *index)
{
  int differences = sym_index_verify(path, index, stdout, cli_error_line, NULL);
  if (differences > 0)
    cli_error("index: %s: elfutils and libdwarf disagree in %d place%s", path, differences,
              differences == 1 ? "" : "s");
  return differences != 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

/* Holds the index against libdwarf in a process of its own: in what is damaged libdwarf frees twice and reads out of
 * bounds, which no caller can prevent. */
static int verify_apart(const char *path, const struct fmt_index *index)
{
  int status;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    _exit(cli_finish_output(verify_here(path, index)));
  if (child < 0 || waitpid(child, &status, 0) != child) {
    cli_error("index: %s: %s", path, strerror(errno));
    return -EAGAIN;
  }
  if (WIFSIGNALED(status))
    cli_error("index: %s: libdwarf cannot read its debug information, which is damaged: %s", path,
              strsignal(WTERMSIG(status)));
  return WIFEXITED(status) && WEXITSTATUS(status) == CLI_EXIT_OK ? 0 : -EINVAL;
}

/* Builds the index, which tells what was asked for on the way, and holds it against libdwarf. */
static int show(const char *path, const struct sym_index_options *options, bool verify)
{
  void *data = NULL;
  size_t size = 0;
  struct fmt_index index;
  int error = sym_index_build(path, options, &data, &size);
  if (error == 0)
    error = fmt_index_open(data, size, &index);
  if (error == 0)
    sym_index_tell_unknown_parameters(&index, path, cli_error_line, NULL);
  if (error == 0 && options->rules != NULL && (error = sym_rules_seen(options->rules, &index)) == 0)
    error = sym_rules_check(options->rules, NULL, cli_error_line, NULL);
  if (error == 0 && verify)
    error = verify_apart(path, &index);
  free(data);
  return error;
}

static int index_main(const struct cli_command *command, int argc, char **argv)
{
  struct index_options index = {0};
  int status = CLI_EXIT_OK;
  if (read_options(command, argc, argv, &index, &status) < 0)
    return status;
  if (optind == argc)
    return cli_usage_error(command, "no ELF file given");
  if (optind + 1 < argc)
    return cli_usage_error(command, "unexpected argument '%s'; one ELF file at a time", argv[optind + 1]);
  if (index.cache && (index.explain || index.coverage || index.verify))
    return cli_usage_error(command, "--cache shows nothing; give it without --explain, --coverage and --verify");

  if ((index.library_calls || index.below != NULL) && !index.cache)
    return cli_usage_error(command, "--%s goes with --cache", index.library_calls ? "library-calls" : "below");

  if (index.rules == NULL)
    index.rules = cli_environment("CALLSIG_RULES");
  struct sym_rules *rules = NULL;
  if (index.rules != NULL && sym_rules_load(index.rules, cli_error_line, NULL, &rules) < 0)
    return CLI_EXIT_FAILURE;
  bool explain = index.explain || !(index.coverage || index.verify || index.cache);
  struct sym_index_options options = {
      .size = sizeof options,
      .rules = rules,
      .library_calls = index.library_calls,
      .message = cli_error_line,
      .explain = explain ? stdout : NULL,
      .coverage = index.coverage ? stdout : NULL,
  };
  struct cli_tops *tops = NULL;
  int error = cli_tops_open(index.below, &options, &tops);
  if (error == 0)
    error = index.cache ? make_cached(argv[optind], &options) : show(argv[optind], &options, index.verify);
  if (error == 0)
    error = cli_tops_check(tops);
  cli_tops_free(tops);
  sym_rules_free(rules);
  return error < 0 ? CLI_EXIT_FAILURE : cli_finish_output(CLI_EXIT_OK);
}

const struct cli_command cli_command_index = {
    .name = "index",
    .summary = "show how the arguments of a module's functions are read",
    .help = help,
    .letters = ":",
    .options = option_table,
    .main = index_main,
};
