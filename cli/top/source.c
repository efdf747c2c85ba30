/* Finds a recording and reads it again and again. */
#include "cli/top/source.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/common/process_recording.h"
#include "cli/common/subcommand.h"
#include "cli/top/notes.h"
#include "cli/top/run_files.h"
#include "output/profile/named_as.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"

int cli_top_source_open(struct cli_top_source *source, const char *what)
{
  *source = (struct cli_top_source){.by = CALLSIG_BY_SIGNATURE, .notes = BASE_VECTOR_OF(char *)};
  return cli_recording_find("top", what, source->path);
}

void cli_top_source_free(struct cli_top_source *source)
{
  cli_top_notes_clear(&source->notes);
  base_vector_free(&source->notes);
  callsig_pipeline_free(source->before);
  callsig_stats_free(source->earlier.stats);
  callsig_stats_free(source->latest.stats);
}

static double now_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* "decode.c:12(decode(n=16))", or the stage, the thread, the module. */
static char *name_of(const struct callsig_stats_row *row)
{
  char *name = NULL;
  if (!row->function)
    return strdup(row->stage ? row->stage : row->thread ? row->thread : row->module ? row->module : "(outside of any)");
  const char *what = row->signature ? row->signature : row->function;
  int length = row->file && strcmp(row->file, "~") != 0 ? asprintf(&name, "%s:%u(%s)", row->file, row->line, what)
                                                        : asprintf(&name, "%s", what);
  return length < 0 ? NULL : name;
}

static int add_rows(struct callsig_stats *stats, struct cli_top_reading *reading)
{
  const size_t count = callsig_stats_row_count(stats);
  for (size_t i = 0; i < count; i++) {
    /* Percentiles and waiting are not shown, and take as long as the rest where there are many rows. */
    struct callsig_stats_row row = {.size = offsetof(struct callsig_stats_row, p50)};
    const char *caller = NULL;
    int result = callsig_stats_row(stats, i, &row);
    if (result == 0)
      result = out_stats_row_caller(stats, i, &caller);
    if (result < 0)
      return result;
    char *name = name_of(&row);
    bool added = name && cli_top_reading_add(reading, name, caller ? caller : "", (double)row.ncalls, row.tottime);
    free(name);
    if (!added)
      return out_stats_no_memory();
  }
  return 0;
}

/* The rows that the object has by the source's grouping. The reading is freed again when that fails. */
static int make_reading(const struct cli_top_source *source, struct callsig_stats *stats, double at,
                        struct cli_top_reading *reading)
{
  cli_top_reading_init(reading, at);
  reading->began = source->began;
  int result = callsig_stats_group(stats, source->by);
  if (result == 0)
    result = callsig_stats_strip_dirs(stats);
  if (result == 0)
    result = callsig_stats_stack(stats, source->by & (CALLSIG_BY_SIGNATURE | CALLSIG_BY_FUNCTION) ? 1 : 0);
  if (result == 0)
    result = add_rows(stats, reading);
  if (result < 0)
    cli_top_reading_free(reading);
  return result;
}

/* The moment that the recordings were read at, where some process runs, or the last one's end, in nanoseconds of
 * CLOCK_MONOTONIC. 0: it is not told when that was. */
static uint64_t moment_of(const struct callsig_stats *stats)
{
  uint64_t running = 0, ended = 0;
  bool is_told = true;
  for (uint32_t i = 0; i < stats->profile.recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(&stats->profile, i);
    const uint64_t last = info->process.last.monotonic_ns;
    uint64_t *latest = info->is_running ? &running : &ended;
    *latest = last > *latest ? last : *latest;
    is_told &= info->is_running || info->flags & FMT_REC_FINISHED || info->exit_status != -1;
  }
  return running ? running : is_told ? ended : 0;
}

/* Seconds from when the recording of the process itself ended until `moment`: of a process that executed another
 * program, or that others of its run go on without. */
static double outlived(const struct callsig_stats *stats, unsigned pid, uint64_t moment)
{
  for (uint32_t i = 0; i < stats->profile.recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(&stats->profile, i);
    if (info->pid == pid)
      return moment > info->process.last.monotonic_ns ? (double)(moment - info->process.last.monotonic_ns) * 1e-9 : 0;
  }
  return 0;
}

/* Who is recorded, when that began to count, and its stages. */
static int read_about(struct cli_top_source *source, const struct callsig_stats *stats, uint64_t moment)
{
  struct callsig_pipeline *pipeline = NULL;
  struct callsig_pipeline_info info = {.size = sizeof info};
  int result = callsig_pipeline_load(source->path, &pipeline);
  if (result == 0)
    result = callsig_pipeline_info(pipeline, &info);
  if (result != 0) {
    callsig_pipeline_free(pipeline);
    return result;
  }
  const char *slash = strrchr(info.program, '/');
  snprintf(source->name, sizeof source->name, "%s", slash ? slash + 1 : info.program);
  source->pid = info.pid;
  source->elapsed = info.elapsed + outlived(stats, info.pid, moment);
  source->is_off = cli_recording_is_off(source->path);
  const bool goes_on = source->before && info.start <= source->began;
  source->began = info.start;
  result = cli_top_notes_make(goes_on ? source->before : NULL, pipeline, source->looks % CLI_TOP_VERDICT_EVERY == 0,
                              &source->notes);
  callsig_pipeline_free(source->before);
  source->before = pipeline;
  source->looks++;
  return result < 0 ? out_stats_no_memory() : 0;
}

static int read_once(struct cli_top_source *source, struct cli_top_kept *look, struct cli_top_reading *reading)
{
  *look = (struct cli_top_kept){0};
  int result = cli_top_load_run(source->path, &look->stats, &source->others);
  const uint64_t moment = result == 0 ? moment_of(look->stats) : 0;
  look->at = moment ? (double)moment * 1e-9 : now_seconds();
  if (result == 0)
    result = read_about(source, look->stats, moment);
  if (result == 0)
    result = make_reading(source, look->stats, look->at, reading);
  if (result < 0)
    callsig_stats_free(look->stats);
  return result;
}

/* Keeps what was read: beside what the look before read, in the place of that where nothing was recorded since, or
 * alone where it counts from zero since. */
static void keep(struct cli_top_source *source, const struct cli_top_kept *look, bool goes_on)
{
  struct cli_top_kept *gone = goes_on && look->at <= source->latest.at ? &source->latest : &source->earlier;
  callsig_stats_free(gone->stats);
  if (gone == &source->earlier)
    source->earlier = source->latest;
  if (!goes_on) {
    callsig_stats_free(source->earlier.stats);
    source->earlier = (struct cli_top_kept){0};
  }
  source->latest = *look;
}

int cli_top_source_read(struct cli_top_source *source, struct cli_top_reading *reading)
{
  struct cli_top_kept look;
  const struct cli_top_reading last = {.began = source->began};
  const bool has_last = source->latest.stats != NULL;
  /* Asked before it is read: what ends meanwhile is read once more. */
  bool is_known = source->pid > 0, ended = is_known && !cli_top_goes_on(source->path, source->pid);
  int result = read_once(source, &look, reading);
  /* Whose recording it is, the first look alone tells. */
  if (result == 0 && !is_known && source->pid > 0 && !cli_top_goes_on(source->path, source->pid)) {
    ended = true;
    cli_top_reading_free(reading);
    callsig_stats_free(look.stats);
    result = read_once(source, &look, reading);
  }
  source->ended = ended;
  if (result == 0)
    keep(source, &look, has_last && cli_top_reading_goes_on(reading, &last));
  return result;
}

int cli_top_source_again(struct cli_top_source *source, struct cli_top_reading *before, struct cli_top_reading *now,
                         unsigned *count)
{
  struct cli_top_kept *earlier = &source->earlier, *latest = &source->latest;
  *count = 0;
  if (!latest->stats)
    return 0;
  int result = make_reading(source, latest->stats, latest->at, now);
  if (result < 0)
    return result;
  *count = 1;
  if (!earlier->stats)
    return 0;
  out_stats_forget(earlier->stats);
  result = out_profile_name_as(&earlier->stats->profile, &latest->stats->profile) < 0 ? out_stats_no_memory() : 0;
  if (result == 0)
    result = make_reading(source, earlier->stats, earlier->at, before);
  *count = result == 0 ? 2 : 0;
  if (result < 0)
    cli_top_reading_free(now);
  return result;
}

int cli_top_source_save(const struct cli_top_source *source, const char *path)
{
  struct callsig_stats *stats = NULL;
  unsigned others;
  int result = cli_top_load_run(source->path, &stats, &others);
  if (result == 0)
    result = callsig_stats_dump(stats, path);
  callsig_stats_free(stats);
  return result;
}
