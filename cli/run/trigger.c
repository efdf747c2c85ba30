/* Reads triggers. */
#include "cli/run/trigger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/seconds.h"
#include "format/duration.h"
#include "output/stats/expression.h"
#include "output/text/message.h"
#include "output/text/text.h"

static const char stage_word[] = "stage ";

static const char *skip_blanks(const char *text)
{
  return text + strspn(text, " \t");
}

/* A copy of the text up to `end`, without blanks around it. NULL: no memory. */
static char *trimmed(const char *text, const char *end)
{
  text = skip_blanks(text);
  while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  return strndup(text, end > text ? (size_t)(end - text) : 0);
}

/* Where the brackets begin that the text ends with, and that are no part of a name: not escaped, and not the whole of
 * it. Brackets lie in each other, in a name as in "(get|put)" and in a condition, where text in quotes has none. NULL:
 * there are none, or they are not closed. */
static char *find_condition(char *call)
{
  char *begin = NULL;
  unsigned depth = 0;
  bool is_quoted = false, is_last = false;
  for (char *at = call; *at != '\0'; at++) {
    const bool is_closing = *at == ')' && !is_quoted;
    if (*at == '\\' && at[1] != '\0')
      at++;
    else if (*at == '"' && depth > 0)
      is_quoted = !is_quoted;
    else if (*at == '(' && !is_quoted && depth++ == 0)
      begin = at;
    else if (is_closing && depth > 0)
      depth--;
    is_last = is_closing && depth == 0;
  }
  return is_last && begin > call ? begin : NULL;
}

/* "parse(n >= 4096)": the name, whole, and the condition in the brackets. -EINVAL: there is no name. */
static int read_call(char *call, struct cli_trigger *trigger)
{
  char *bracket = find_condition(call), *end = call + strlen(call);
  if (bracket != NULL) {
    trigger->signature = trimmed(bracket + 1, end - 1);
    if (trigger->signature == NULL)
      return -ENOMEM;
    if (trigger->signature[0] == '\0') {
      free(trigger->signature);
      trigger->signature = NULL;
    }
    *bracket = '\0';
    end = bracket;
  }
  trigger->name = trimmed(call, end);
  int result = trigger->name == NULL ? -ENOMEM : trigger->name[0] == '\0' ? -EINVAL : 0;
  /* "server.c:12(parse)" is what it is held against. */
  char *function = NULL;
  if (result == 0 && asprintf(&function, ":[0-9]+\\((%s)\\)$", trigger->name) < 0) {
    function = NULL;
    result = -ENOMEM;
  }
  trigger->function = function;
  return result;
}

/* What calls, the text before the comparison. */
static int read_calls(char *calls, struct cli_trigger *trigger)
{
  if (strncmp(calls, stage_word, strlen(stage_word)) != 0)
    return read_call(calls, trigger);
  trigger->stage = trimmed(calls + strlen(stage_word), calls + strlen(calls));
  return trigger->stage == NULL ? -ENOMEM : trigger->stage[0] == '\0' ? -EINVAL : 0;
}

/* Says what the library said of a pattern or a condition, which it calls by options that were not given and by the text
 * that it was given: "--function ':[0-9]+...': missing ) at column 21", "--signature 'n >', column 4: expected ...". */
static void tell_malformed(const struct cli_trigger *trigger, bool is_condition, const char *said)
{
  const char *what = is_condition ? trigger->signature : trigger->stage != NULL ? trigger->stage : trigger->name;
  const size_t length = strcspn(said, "\n");
  const char *reason = strstr(said, is_condition ? "', " : "': ");
  const char *end = is_condition ? NULL : strstr(said, " at column ");
  reason = reason != NULL ? reason + (is_condition ? 1 : 3) : said;
  cli_error("run: --trigger '%s': '%s'%s%.*s", trigger->text, what, is_condition ? "" : ": ",
            (int)((end != NULL && end > reason ? end : said + length) - reason), reason);
}

/* Are the patterns and the condition well formed? After a message. */
static bool is_well_formed(const struct cli_trigger *trigger)
{
  struct callsig_stats *stats = NULL;
  struct out_expression *expression = NULL;
  struct out_text said = {0};
  const struct callsig_stats_filter filter = cli_trigger_filter(trigger, true);
  int result = callsig_stats_new(NULL, &stats);
  out_stats_messages_into(&said);
  if (result == 0)
    result = callsig_stats_filter(stats, &filter);
  const bool is_condition = result == 0;
  if (is_condition && trigger->signature != NULL)
    result = out_expression_parse(trigger->signature, &expression);
  out_stats_messages_into(NULL);
  if (result != 0)
    tell_malformed(trigger, is_condition, out_text_string(&said));
  out_text_free(&said);
  out_expression_free(expression);
  callsig_stats_free(stats);
  return result == 0;
}

/* Does another comparison with a time come before the last one? */
static bool has_two_times(const char *text, const char *last)
{
  for (const char *at = text; at < last; at++) {
    if (*at != '>')
      continue;
    uint64_t ns;
    char *time = trimmed(at + 1 + (at[1] == '='), last);
    const bool is_time = time != NULL && time[strspn(time, "0123456789.")] != '\0' && cli_seconds_read(time, &ns);
    free(time);
    if (is_time)
      return true;
  }
  return false;
}

static void release(struct cli_trigger *trigger)
{
  free(trigger->name);
  free(trigger->function);
  free(trigger->stage);
  free(trigger->signature);
}

int cli_triggers_add(const struct cli_command *command, struct cli_triggers *triggers, const char *text)
{
  const char *comparison = strrchr(text, '>');
  struct cli_trigger trigger = {.text = text};
  if (triggers->list.count == CLI_TRIGGERS_MOST)
    return cli_usage_error(command, "--trigger: more than %u are given", CLI_TRIGGERS_MOST);
  trigger.includes = comparison != NULL && comparison[1] == '=';
  if (comparison == NULL || !cli_seconds_read(skip_blanks(comparison + 1 + trigger.includes), &trigger.ns) ||
      trigger.ns == 0)
    return cli_usage_error(
        command,
        "--trigger '%s': end it with a time, as in 'parse > 1ms', 'parse(n >= 4096) > 1ms' or 'stage decode > 50ms'",
        text);
  if (has_two_times(text, comparison))
    return cli_usage_error(command, "--trigger '%s': one time is what a trigger ends with: give another --trigger",
                           text);
  char *calls = trimmed(text, comparison);
  int result = calls == NULL ? -ENOMEM : read_calls(calls, &trigger);
  free(calls);
  struct cli_trigger *added = NULL;
  const bool is_told = result == 0 && !is_well_formed(&trigger);
  if (result == 0 && !is_told) {
    if (triggers->list.count == 0)
      triggers->list = (struct base_vector)BASE_VECTOR_OF(struct cli_trigger);
    added = base_vector_add(&triggers->list, 1);
    result = added != NULL ? 0 : -ENOMEM;
  }
  if (added != NULL) {
    *added = trigger;
    return CLI_EXIT_OK;
  }
  release(&trigger);
  if (is_told)
    return CLI_EXIT_USAGE;
  if (result == -ENOMEM) {
    cli_error("run: out of memory");
    return CLI_EXIT_FAILURE;
  }
  return cli_usage_error(command, "--trigger '%s': name a function, with a condition on its arguments, or a stage",
                         text);
}

int cli_triggers_limit(const struct cli_command *command, struct cli_triggers *triggers, const char *text)
{
  char *end;
  errno = 0;
  const unsigned long limit = strtoul(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || limit == 0 || limit > 100000)
    return cli_usage_error(command, "--trigger-limit: '%s' is no number from 1 to 100000", text);
  triggers->limit = (unsigned)limit;
  return CLI_EXIT_OK;
}

int cli_triggers_check(const struct cli_command *command, const struct cli_triggers *triggers, const char *times,
                       bool no_signatures, const char **timeline)
{
  static char text[32];
  uint64_t least = UINT64_MAX, given;
  if (triggers->list.count == 0 && triggers->limit == 0)
    return CLI_EXIT_OK;
  if (triggers->list.count == 0)
    return cli_usage_error(command, "--trigger-limit says how often --trigger writes a snapshot: give that too");
  if (times != NULL && strcmp(times, "auto") == 0)
    return cli_usage_error(command, "--trigger needs each call timed: leave out --times auto");
  (void)fmt_duration_parse(FMT_TIMELINE_DEFAULT, &least);
  if (*timeline != NULL && fmt_duration_parse(*timeline, &given))
    least = given;
  for (uint32_t i = 0; i < triggers->list.count; i++) {
    const struct cli_trigger *trigger = base_vector_at(&triggers->list, i);
    if (trigger->signature != NULL && no_signatures)
      return cli_usage_error(command, "--trigger '%s' asks for arguments: leave out --no-signatures", trigger->text);
    least = trigger->ns < least ? trigger->ns : least;
  }
  snprintf(text, sizeof text, "%" PRIu64 "ns", least);
  *timeline = text;
  return CLI_EXIT_OK;
}

void cli_triggers_free(struct cli_triggers *triggers)
{
  for (uint32_t i = 0; i < triggers->list.count; i++)
    release(base_vector_at(&triggers->list, i));
  base_vector_free(&triggers->list);
}

struct callsig_stats_filter cli_trigger_filter(const struct cli_trigger *trigger, bool any_arguments)
{
  return (struct callsig_stats_filter){.size = sizeof(struct callsig_stats_filter),
                                       .function = trigger->function,
                                       .stage = trigger->stage,
                                       .signature = any_arguments ? NULL : trigger->signature};
}

int cli_trigger_select(struct callsig_stats *stats, const struct callsig_stats_filter *filter)
{
  struct out_text said = {0};
  out_stats_messages_into(&said);
  const int result = callsig_stats_filter(stats, filter);
  out_stats_messages_into(NULL);
  out_text_free(&said);
  return result;
}
