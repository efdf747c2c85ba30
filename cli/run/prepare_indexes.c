/* Makes the signature indexes of a program and its libraries, before it runs. */
#include "cli/run/prepare_indexes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/common/subcommand.h"
#include "cli/common/tops.h"
#include "cli/run/index_file.h"
#include "cli/run/library_calls.h"
#include "config.h"
#include "symbols/index/cache.h"
#include "symbols/index/unknown_parameters.h"
#include "symbols/plan/rulecheck.h"

/* What going over the modules has found. */
struct preparation {
  const struct sym_index_options *options;
  unsigned instrumented; /* modules with calls of the hook, or sleds */
  bool loads_modules;    /* the program or a library of it calls dlopen() */
  bool starts_programs;  /* or runs other programs */
  bool tells_itself;     /* it links libcallsig: its stages and actions are recorded, instrumented or not */
};

static bool is_runtime(const char *path)
{
  const char *slash = strrchr(path, '/');
  return strncmp(slash ? slash + 1 : path, "libcallsig.so", strlen("libcallsig.so")) == 0;
}

static int prepare_module(struct preparation *preparation, const char *path)
{
  char cached[PATH_MAX];
  struct cli_index_file file;
  int error = sym_index_cache(path, preparation->options, cached, sizeof cached);
  if (error < 0 || (error = cli_index_file_open(cached, &file)) < 0)
    return error;
  if (preparation->options->rules != NULL)
    error = sym_rules_seen(preparation->options->rules, &file.index);
  if (file.index.count[FMT_SECTION_SITES] > 0)
    preparation->instrumented++;
  sym_index_tell_unknown_parameters(&file.index, path, cli_error_line, NULL);
  cli_index_file_close(&file);
  return error;
}

static int prepare_libraries(struct preparation *preparation, const struct cli_libraries *libraries)
{
  int error = 0;
  for (size_t i = 0; error == 0 && i < libraries->count; i++) {
    struct cli_elf_facts facts;
    if (cli_elf_facts_read(libraries->paths[i], &facts) != 0 || !facts.native)
      continue;
    preparation->loads_modules = preparation->loads_modules || facts.imports_dlopen;
    preparation->starts_programs = preparation->starts_programs || facts.starts_programs;
    preparation->tells_itself = preparation->tells_itself || is_runtime(libraries->paths[i]);
    if (facts.imports_hook || facts.has_sleds)
      error = prepare_module(preparation, libraries->paths[i]);
  }
  return error;
}

/* What may come while the program runs, for messages; NULL: nothing. */
static const char *later_modules(const struct preparation *preparation)
{
  if (preparation->loads_modules)
    return preparation->starts_programs ? "a library or program that comes later" : "a library that is loaded later";
  return preparation->starts_programs ? "a program that is started later" : NULL;
}

static int check_instrumented(const struct preparation *preparation, const struct cli_profiled_program *program)
{
  if (preparation->instrumented > 0 || preparation->tells_itself)
    return 0;
  const char *what = strcmp(program->path, program->image) == 0 ? "" : " (which runs this script)";
  if (!preparation->loads_modules && !preparation->starts_programs) {
    cli_error("run: %s%s: neither it nor its libraries are instrumented; compile it with callsig-cc (or %s; see "
              "'callsig flags')",
              program->image, what, CLI_INSTRUMENT_FLAGS);
    return -ENOEXEC;
  }
  cli_error("run: %s%s: neither it nor its libraries are instrumented; only %s%s%s can be profiled", program->image,
            what, preparation->loads_modules ? "modules that it loads later" : "",
            preparation->loads_modules && preparation->starts_programs ? " and " : "",
            preparation->starts_programs ? "programs that it starts" : "");
  return 0;
}

/* Tells the program since when indexes are looked at: those that it finds of an earlier time may lack what is there by
 * now. The clock is that of files' times, which is behind others. 0, or a negative errno after a message. */
static int set_time(void)
{
  struct timespec now;
  char text[24];
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  snprintf(text, sizeof text, "%" PRIu64, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
  const int error = cli_environment_set("CALLSIG_INDEXED", text);
  if (error < 0)
    cli_error("run: out of memory");
  return error;
}

int cli_prepare_indexes(const struct cli_profiled_program *program, const struct cli_libraries *libraries,
                        const char *rules, bool library_calls, const char *below)
{
  struct sym_rules *loaded = NULL;
  int error = set_time();
  if (error == 0 && library_calls)
    error = cli_library_calls_refuse(program);
  if (error == 0 && rules != NULL)
    error = sym_rules_load(rules, cli_error_line, NULL, &loaded);
  struct sym_index_options options = {
      .size = sizeof options, .library_calls = library_calls, .message = cli_error_line};
  struct cli_tops *tops = NULL;
  if (error == 0)
    error = cli_tops_open(below, &options, &tops);
  if (error < 0) {
    sym_rules_free(loaded);
    return error;
  }
  options.rules = loaded;
  struct preparation preparation = {.options = &options,
                                    .loads_modules = program->facts.imports_dlopen,
                                    .starts_programs = program->facts.starts_programs};
  if (program->facts.imports_hook || program->facts.defines_hook || program->facts.has_sleds)
    error = prepare_module(&preparation, program->image);
  if (error == 0)
    error = prepare_libraries(&preparation, libraries);
  if (error == 0)
    error = check_instrumented(&preparation, program);
  const char *later = later_modules(&preparation);
  if (error == 0 && loaded != NULL && sym_rules_check(loaded, later, cli_error_line, NULL) < 0 && later == NULL)
    error = -EINVAL;
  if (error == 0)
    error = cli_tops_check(tops);
  cli_tops_free(tops);
  sym_rules_free(loaded);
  return error;
}
