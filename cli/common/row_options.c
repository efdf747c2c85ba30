/* Reads the options of how rows are grouped and which calls are counted, and applies them. */
#include "cli/common/row_options.h"

#include <errno.h>
#include <string.h>

/* Reads "function,thread" into bits of enum callsig_stats_by. */
static int read_groups(const struct cli_command *command, const char *text, unsigned *by)
{
  static const struct {
    const char *name;
    unsigned bit;
  } groups[] = {
      {"function", CALLSIG_BY_FUNCTION}, {"signature", CALLSIG_BY_SIGNATURE}, {"stage", CALLSIG_BY_STAGE},
      {"thread", CALLSIG_BY_THREAD},     {"module", CALLSIG_BY_MODULE},       {"process", CALLSIG_BY_PROCESS},
      {"rank", CALLSIG_BY_RANK},         {"site", CALLSIG_BY_SITE},
  };
  const size_t count = sizeof groups / sizeof groups[0];
  for (const char *end = text;; text = end + 1) {
    end = strchrnul(text, ',');
    size_t length = (size_t)(end - text), i = 0;
    while (i < count && (strlen(groups[i].name) != length || strncmp(groups[i].name, text, length) != 0))
      i++;
    if (i == count)
      return cli_usage_error(command,
                             "--by: '%.*s' is none of function, signature, stage, thread, module, process, rank, site",
                             (int)length, text);
    *by |= groups[i].bit;
    if (*end == '\0')
      return CLI_EXIT_OK;
  }
}

static int choose_hook_cost(const struct cli_command *command, enum cli_hook_cost wanted, struct cli_row_options *rows)
{
  if (rows->hook_cost != CLI_HOOK_COST_DEFAULT && rows->hook_cost != wanted)
    return cli_usage_error(command, "--compensate and --raw exclude each other");
  rows->hook_cost = wanted;
  return CLI_EXIT_OK;
}

static int take_depth(const struct cli_command *command, const char *value, struct cli_row_options *rows)
{
  unsigned depth = 0;
  int status = cli_read_count(command, "--depth", value, &depth);
  rows->filter.depth = depth;
  return status;
}

int cli_row_options_take(const struct cli_command *command, int option, const char *value, struct cli_row_options *rows)
{
  switch (option) {
  case CLI_ROW_OPTION_BY:
    return read_groups(command, value, &rows->by);
  case CLI_ROW_OPTION_FUNCTION:
    rows->filter.function = value;
    break;
  case CLI_ROW_OPTION_SIGNATURE:
    rows->filter.signature = value;
    break;
  case CLI_ROW_OPTION_STAGE:
    rows->filter.stage = value;
    break;
  case CLI_ROW_OPTION_THREAD:
    rows->filter.thread = value;
    break;
  case CLI_ROW_OPTION_MODULE:
    rows->filter.module = value;
    break;
  case CLI_ROW_OPTION_BELOW:
    rows->filter.below = value;
    break;
  case CLI_ROW_OPTION_DEPTH:
    return take_depth(command, value, rows);
  case CLI_ROW_OPTION_STRIP_DIRS:
    rows->strip_dirs = true;
    break;
  case CLI_ROW_OPTION_COMPENSATE:
    return choose_hook_cost(command, CLI_HOOK_COST_SUBTRACTED, rows);
  default:
    return choose_hook_cost(command, CLI_HOOK_COST_LEFT, rows);
  }
  return CLI_EXIT_OK;
}

int cli_row_options_apply(struct callsig_stats *stats, const struct cli_row_options *rows)
{
  int error = callsig_stats_filter(stats, &rows->filter);
  if (error == -EINVAL)
    return CLI_EXIT_USAGE;
  if (error == 0 && rows->by != 0)
    error = callsig_stats_group(stats, rows->by);
  if (error == 0 && rows->hook_cost != CLI_HOOK_COST_DEFAULT)
    error = callsig_stats_compensate(stats, rows->hook_cost == CLI_HOOK_COST_SUBTRACTED);
  if (error == 0 && rows->strip_dirs)
    error = callsig_stats_strip_dirs(stats);
  return error < 0 ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

int cli_row_options_check(const struct cli_row_options *rows)
{
  struct callsig_stats *stats = NULL;
  if (callsig_stats_new(NULL, &stats) < 0)
    return CLI_EXIT_FAILURE;
  const int status = cli_row_options_apply(stats, rows);
  callsig_stats_free(stats);
  return status;
}

/* An object without recordings takes the keys, or says what is wrong with them. */
int cli_sort_check(const char *keys)
{
  struct callsig_stats *stats = NULL;
  if (callsig_stats_new(NULL, &stats) < 0)
    return CLI_EXIT_FAILURE;
  int error = callsig_stats_sort(stats, keys);
  callsig_stats_free(stats);
  return error < 0 ? CLI_EXIT_USAGE : CLI_EXIT_OK;
}
