/* Asks what was recorded for the calls of triggers that never fired. */
#include "cli/run/trigger_silence.h"

#include <errno.h>

#include "output/stats/stats_object.h"
#include "output/text/text.h"

/* The row with the longest call. Returns 0 or a negative errno after a message. */
static int find_longest(struct callsig_stats *stats, struct callsig_stats_row *longest)
{
  const size_t count = callsig_stats_row_count(stats);
  int result = 0;
  for (size_t i = 0; i < count && result == 0; i++) {
    struct callsig_stats_row row = {.size = sizeof row};
    result = callsig_stats_row(stats, i, &row);
    if (result == 0 && (i == 0 || row.max > longest->max))
      *longest = row;
  }
  return result;
}

/* The calls are there, and none fired: the longest one says by how much. */
static void tell_longest(struct callsig_stats *stats, const struct cli_trigger *trigger)
{
  struct callsig_stats_row longest = {.max = 0};
  struct out_text name = {0};
  if (find_longest(stats, &longest) < 0)
    return;
  const char *called = longest.signature != NULL ? longest.signature : longest.function;
  if (longest.line > 0)
    out_text_printf(&name, "%s:%u(%s)", longest.file, longest.line, called);
  else
    out_text_printf(&name, "%s", called != NULL ? called : "?");
  const double least = (double)trigger->ns * 1e-9;
  const char *what = trigger->stage != NULL ? "task" : "such call";
  if (longest.max > least || (trigger->includes && longest.max >= least))
    cli_error("run: --trigger '%s': %s took %.6f s, and had not ended when the program did, or was gone before it was "
              "looked at",
              trigger->text, out_text_string(&name), longest.max);
  else
    cli_error("run: --trigger '%s': no %s took so long: the longest was %s, %.6f s", trigger->text, what,
              out_text_string(&name), longest.max);
  out_text_free(&name);
}

static void tell(struct callsig_stats *stats, const struct cli_trigger *trigger, bool is_full)
{
  const struct callsig_stats_filter any = cli_trigger_filter(trigger, true), whole = cli_trigger_filter(trigger, false);
  if (cli_trigger_select(stats, &any) < 0)
    return;
  if (callsig_stats_row_count(stats) == 0)
    cli_error("run: --trigger '%s': no such %s was recorded", trigger->text,
              trigger->stage != NULL ? "stage" : "function");
  else if (cli_trigger_select(stats, &whole) < 0)
    cli_error("run: --trigger '%s': its condition names nothing that was recorded", trigger->text);
  else if (callsig_stats_row_count(stats) == 0)
    cli_error("run: --trigger '%s': no call %s", trigger->text,
              out_stats_is_undecided(stats) ? "is known to have had such arguments: some were not recorded exactly"
                                            : "with such arguments was recorded");
  else if (!is_full)
    tell_longest(stats, trigger);
}

void cli_triggers_tell_silent(const struct cli_triggers *triggers, uint32_t silent, bool is_full, char *const files[],
                              unsigned count)
{
  struct callsig_stats *stats = NULL;
  int result = silent != 0 ? callsig_stats_new(NULL, &stats) : -ENODATA;
  for (unsigned i = 0; i < count && result == 0; i++)
    result = callsig_stats_add(stats, files[i]);
  for (uint32_t i = 0; i < triggers->list.count && result == 0; i++)
    if (silent >> i & 1)
      tell(stats, base_vector_at(&triggers->list, i), is_full);
  callsig_stats_free(stats);
}
