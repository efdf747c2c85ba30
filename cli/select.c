/* Which recordings, how rows are grouped, which calls are counted. */
#include "cli/select.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Reads "function,thread" into bits of enum callsig_stats_by. */
static int read_groups(const struct cli_command *command, const char *text, unsigned *by)
{
  static const struct {
    const char *name;
    unsigned bit;
  } groups[] = {
      {"function", CALLSIG_BY_FUNCTION}, {"signature", CALLSIG_BY_SIGNATURE}, {"stage", CALLSIG_BY_STAGE},
      {"thread", CALLSIG_BY_THREAD},     {"module", CALLSIG_BY_MODULE},       {"process", CALLSIG_BY_PROCESS},
      {"rank", CALLSIG_BY_RANK},
  };
  const size_t count = sizeof groups / sizeof groups[0];
  for (const char *end = text;; text = end + 1) {
    end = strchrnul(text, ',');
    size_t length = (size_t)(end - text), i = 0;
    while (i < count && (strlen(groups[i].name) != length || strncmp(groups[i].name, text, length) != 0))
      i++;
    if (i == count)
      return cli_usage_error(command,
                             "--by: '%.*s' is none of function, signature, stage, thread, module, process, rank",
                             (int)length, text);
    *by |= groups[i].bit;
    if (*end == '\0')
      return CLI_EXIT_OK;
  }
}

int cli_select_option(const struct cli_command *command, int option, const char *value, struct cli_select *select)
{
  switch (option) {
  case CLI_SELECT_BY:
    return read_groups(command, value, &select->by);
  case CLI_SELECT_FUNCTION:
    select->filter.function = value;
    break;
  case CLI_SELECT_SIGNATURE:
    select->filter.signature = value;
    break;
  case CLI_SELECT_STAGE:
    select->filter.stage = value;
    break;
  case CLI_SELECT_THREAD:
    select->filter.thread = value;
    break;
  case CLI_SELECT_MODULE:
    select->filter.module = value;
    break;
  case CLI_SELECT_STRIP_DIRS:
    select->strip_dirs = true;
    break;
  default:
    select->compensate = true;
  }
  return CLI_EXIT_OK;
}

size_t cli_select_recordings(char **arguments, size_t count)
{
  size_t recordings = 0;
  for (size_t i = 0; i < count; i++) {
    struct stat status;
    if (stat(arguments[i], &status) != 0 || S_ISDIR(status.st_mode))
      continue;
    char *recording = arguments[i];
    memmove(arguments + recordings + 1, arguments + recordings, (i - recordings) * sizeof *arguments);
    arguments[recordings++] = recording;
  }
  return recordings;
}

static int load(const struct cli_command *command, char **recordings, size_t count, const char *other, bool timeline,
                struct callsig_stats **stats)
{
  static char *standard[] = {CLI_DEFAULT_RECORDING};
  struct stat file;
  if (count == 0) {
    if (stat(standard[0], &file) != 0) {
      cli_error("%s: %s%s: %s; name a recording, or make one with 'callsig run PROGRAM'", command->name,
                other ? other : "", other ? " is not a file, and " CLI_DEFAULT_RECORDING : CLI_DEFAULT_RECORDING,
                strerror(errno));
      return CLI_EXIT_FAILURE;
    }
    recordings = standard;
    count = 1;
  }
  const struct callsig_stats_options options = {.size = sizeof options, .timeline = timeline};
  int error = callsig_stats_new(&options, stats);
  for (size_t i = 0; error == 0 && i < count; i++)
    error = callsig_stats_add(*stats, recordings[i]);
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

int cli_select_load(const struct cli_command *command, char **recordings, size_t count, const char *other,
                    struct callsig_stats **stats)
{
  return load(command, recordings, count, other, false, stats);
}

int cli_select_load_timeline(const struct cli_command *command, char **recordings, size_t count,
                             struct callsig_stats **stats)
{
  return load(command, recordings, count, NULL, true, stats);
}

int cli_select_apply(struct callsig_stats *stats, const struct cli_select *select)
{
  int error = callsig_stats_filter(stats, &select->filter);
  if (error == -EINVAL)
    return CLI_EXIT_USAGE;
  if (error == 0 && select->by != 0)
    error = callsig_stats_group(stats, select->by);
  if (error == 0 && select->compensate)
    error = callsig_stats_compensate(stats, 1);
  if (error == 0 && select->strip_dirs)
    error = callsig_stats_strip_dirs(stats);
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}
