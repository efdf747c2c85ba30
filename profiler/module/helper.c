/* Running the command that makes an index, where the program does not see it. */
#include "profiler/module/helper.h"

#include <errno.h>
#include <stddef.h>

#include "profiler/base/environment.h"
#include "profiler/base/hidden_command.h"
#include "profiler/base/message.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/text.h"

#define ALL_ARGUMENTS 11

static void prepare_arguments(const char **next, const struct prof_settings *settings, const char *file)
{
  *next++ = settings->command;
  *next++ = "index";
  *next++ = "--cache";
  if (settings->rules[0]) {
    *next++ = "--rules";
    *next++ = settings->rules;
  }
  if (settings->library_calls)
    *next++ = "--library-calls";
  if (settings->below) {
    *next++ = "--below";
    *next++ = settings->below;
  }
  *next++ = "--";
  *next++ = file;
  *next = NULL;
}

/* Not on the program's stack, which may be a small alternate one. */
#define VARIABLE_SIZE (PROF_MAX_PATH + 32)

static enum prof_hidden_end run(const struct prof_settings *settings, const char *file, int *error)
{
  const char *arguments[ALL_ARGUMENTS];
  char *cache = prof_scratch_take(VARIABLE_SIZE);
  *error = -ENOMEM;
  if (!cache)
    return PROF_HIDDEN_NO_MEMORY;
  prepare_arguments(arguments, settings, file);
  struct prof_text text = prof_text_begin(cache, VARIABLE_SIZE);
  prof_text_add(&text, "CALLSIG_CACHE_DIR=");
  prof_text_add(&text, settings->cache);
  const struct prof_hidden command = {
      .arguments = arguments,
      .path = prof_environment("PATH"),
      .environment = prof_environment_entries(),
      .variable = cache,
  };
  const enum prof_hidden_end end = prof_hidden_run(&command, error);
  prof_scratch_give(cache, VARIABLE_SIZE);
  return end;
}

bool prof_helper_index_again(const struct prof_settings *settings, const char *file)
{
  int error;
  return run(settings, file, &error) == PROF_HIDDEN_DONE;
}

int prof_helper_index(const struct prof_settings *settings, const char *file)
{
  int error = 0;
  switch (run(settings, file, &error)) {
  case PROF_HIDDEN_DONE:
    return 0;
  case PROF_HIDDEN_FAILED:
    prof_message("%s: no signature index: '%s index' failed: run it on this file to see why", file, settings->command);
    return error;
  case PROF_HIDDEN_NOT_RUN:
    prof_message("%s: no signature index, and '%s' cannot be run to make it (error %d): set CALLSIG_COMMAND", file,
                 settings->command, -error);
    return -ENOENT;
  case PROF_HIDDEN_NO_MEMORY:
    prof_message("%s: no memory to make its signature index: raise RLIMIT_AS", file);
    return error;
  case PROF_HIDDEN_NO_PROCESS:
    break;
  }
  prof_message("%s: no signature index, and no process can be started to make it (error %d)", file, -error);
  return error;
}
