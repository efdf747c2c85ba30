/* Prints the table of a run, and tells what there is beside it. */
#include "cli/run/run_end.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vector.h"
#include "callsig/stats.h"
#include "cli/common/recordings.h"
#include "cli/terminal/terminal.h"
#include "output/notes/nothing_note.h"
#include "output/recording/recording.h"

int cli_run_table_check(const struct cli_command *command, const struct cli_run_table *table, const char *output)
{
  if (table->sort != NULL && output != NULL)
    return cli_usage_error(command, "-s sorts the table, and with -o none is printed: give it to 'callsig report %s'",
                           output);
  const int status = table->sort != NULL ? cli_sort_check(table->sort) : CLI_EXIT_OK;
  return status == CLI_EXIT_OK ? cli_row_options_check(&table->rows) : status;
}

bool cli_run_end_asks_for_part(const struct cli_run_table *table)
{
  return table->rows.filter.below != NULL || table->rows.filter.depth > 0;
}

/* Has no thread called anything, nor the program told of anything itself? Told without adding up what. */
static bool has_nothing(struct out_recording *recording)
{
  const struct fmt_rec_header *header = &recording->header;
  if (header->first_stage != 0 || header->first_queue != 0 || header->first_event != 0 || header->first_counter != 0)
    return false;
  struct base_vector known = BASE_VECTOR_OF(uint64_t);
  struct fmt_rec_thread thread = {.next = header->first_thread};
  int found = 1;
  while (thread.first_edge == 0 && found > 0)
    found = out_recording_next(recording, &known, thread.next, FMT_TAG_THREAD, &thread, sizeof thread);
  base_vector_free(&known);
  return found == 0;
}

/* False as well where that cannot be read. */
static bool is_empty(const char *path)
{
  struct out_recording recording;
  const int file = out_recording_open(path);
  bool is_nothing = false;
  if (file >= 0 && out_recording_attach(file, path, &recording) == 0) {
    is_nothing = has_nothing(&recording);
    out_recording_close(&recording);
  }
  if (file >= 0)
    close(file);
  return is_nothing;
}

static bool are_empty(const struct cli_family_end *end)
{
  size_t i = 0;
  while (i < end->count && is_empty(end->files[i]))
    i++;
  return i == end->count;
}

void cli_run_end_print_table(const struct cli_family_end *end, const struct cli_run_table *table, bool is_full,
                             bool is_off, bool is_shown)
{
  struct callsig_stats *stats = NULL;
  struct callsig_stats_total total = {.size = sizeof total};
  const bool is_part = cli_run_end_asks_for_part(table);
  if (!is_shown && !is_part && !are_empty(end))
    return;
  struct callsig_stats_style style = CLI_TABLE_STYLE;
  style.width = cli_terminal_width(STDERR_FILENO);
  style.color = cli_terminal_has_color(STDERR_FILENO);
  int error = callsig_stats_new(NULL, &stats);
  if (error == 0)
    error = cli_recordings_add(stats, end->files, end->count);
  /* What is asked for after the sum would have the rows made a second time: only what leaves rows out is. */
  if (error == 0)
    error = callsig_stats_set_style(stats, &style);
  if (error == 0)
    error = callsig_stats_sort(stats, table->sort);
  if (error == 0 && !is_part)
    error = cli_row_options_apply(stats, &table->rows) == CLI_EXIT_OK ? 0 : -EINVAL;
  if (error == 0)
    error = callsig_stats_total(stats, &total);
  if (error == 0 && total.calls == 0 && is_off && !table->has_end)
    cli_error(
        "nothing was recorded: recording was never switched on (--off: 'callsig ctl' does it, --after: the program "
        "ended before, CALLSIG_DISABLED: the program itself does it)");
  else if (error == 0 && total.calls == 0 && !is_full)
    cli_error("%s%s%s", OUT_NOTHING_TEXT, is_part ? "; or none that --below is of" : "",
              table->has_end ? "; or none in the time of --for" : "");
  else if (error == 0 && is_shown && (!is_part || cli_row_options_apply(stats, &table->rows) == CLI_EXIT_OK))
    callsig_stats_print(stats, stderr, NULL, 0);
  callsig_stats_free(stats);
}

void cli_run_end_explain_nothing(const struct cli_recording_place *place, const char *output, int status)
{
  char ended[64] = "";
  if (WIFSIGNALED(status))
    snprintf(ended, sizeof ended, ", which signal %d ended", WTERMSIG(status));
  if (cli_recording_place_was_cut(place))
    cli_error("%s: the recording was cut off while the program ran%s: nothing is left to show", output, ended);
  else if (WIFSIGNALED(status))
    cli_error("nothing was recorded: signal %d ended the program before its first instrumented call", WTERMSIG(status));
  else if (!cli_recording_place_claimed(place))
    cli_error(
        "nothing was recorded in %s: no instrumented function ran, or the runtime could not be loaded, as where a "
        "program is started without the variables of its environment (env -i, sudo)",
        output);
}

void cli_run_end_tell(const struct cli_family_end *end, const char *output)
{
  const bool is_one = end->live == 1;
  if (end->apart > 0)
    cli_error("%u more recording%s of processes that the program started: report them with 'callsig report %s %s.*'",
              end->apart, end->apart == 1 ? "" : "s", output, output);
  else if (end->processes > 1 && !are_empty(end))
    cli_error("this was %u processes: 'callsig report %s --by function,process' tells their commands apart",
              end->processes, output);
  if (end->live > 0)
    cli_error("%u process%s that the program started %s on, and record%s in %s.PID%s: not counted here", end->live,
              is_one ? "" : "es", is_one ? "goes" : "go", is_one ? "s" : "", output,
              end->is_doubtful ? " where that could be made" : "");
}
