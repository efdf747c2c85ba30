/* What a database misses of a recording: a run that nobody monitored, or the rest of one. */
#include <errno.h>
#include <unistd.h>

#include "output/monitor/database.h"
#include "output/pipeline/function_sums.h"
#include "output/recording/clock.h"
#include "output/recording/live.h"
#include "output/text/message.h"

/* Reads the whole of a recording, functions included. */
static int read_whole(int file, const char *path, struct out_run *run, struct callsig_pipeline **pipeline, bool *live)
{
  struct out_recording recording;
  struct fmt_rec_clock_point now;
  int result = out_recording_attach(file, path, &recording);
  if (result < 0)
    return result;
  const struct fmt_rec_header *header = &recording.header;
  *live = !(header->flags & FMT_REC_FINISHED) && header->exit_status == -1 && out_recording_is_live(file, header->pid);
  bool known = *live && out_clock_now(header->clock, &now);
  result = out_recording_check(&recording);
  if (result == 0)
    result = out_run_read(&recording, 0, run);
  if (result == 0)
    result = out_pipeline_read(&recording, known ? &now : NULL, pipeline);
  if (result == 0)
    out_recording_tell_damage(&recording);
  out_recording_close(&recording);
  return result != 0 ? result : out_function_sums_read(file, path, known ? &now : NULL, *pipeline);
}

/* Writes what is missing of a run. 1, 0 or a negative errno after a message. */
static int complete(struct out_database *database, const char *path, const struct out_run *run,
                    const struct callsig_pipeline *whole, bool live)
{
  struct callsig_pipeline *sums, *rest = NULL;
  bool is_complete;
  int result = out_database_sums(database, run, &sums, &is_complete);
  if (result == 0 && !is_complete && whole->period != 0)
    result = out_stats_fail(-ENOTSUP,
                            "%s: the recording was made to count from zero while it was written: what the database "
                            "misses of it is not known",
                            path);
  if (result < 0 || is_complete) {
    callsig_pipeline_free(sums);
    return result;
  }
  result = out_pipeline_delta(sums, sums, whole, &rest);
  callsig_pipeline_free(sums);
  if (result < 0)
    return result;
  rest->info.intervals = 1;
  rest->info.final = !live;
  const struct callsig_pipeline *const intervals[] = {rest};
  result = out_database_write(database, run, intervals, 1);
  if (result < 0)
    out_stats_message("%s: cannot be written: %s", path, out_database_error(database));
  callsig_pipeline_free(rest);
  return result < 0 ? result : 1;
}

int callsig_monitor_complete(const char *path, const char *database_path)
{
  int file = out_recording_open(path);
  if (file < 0)
    return file;
  struct out_run run = {0};
  struct callsig_pipeline *whole = NULL;
  struct out_database *database = NULL;
  bool live;
  int result = read_whole(file, path, &run, &whole, &live);
  if (result == 0)
    result = out_database_open(database_path, &database);
  if (result == 0)
    result = complete(database, database_path, &run, whole, live);
  out_database_close(database);
  callsig_pipeline_free(whole);
  base_arena_free(&run.strings);
  close(file);
  return result;
}
