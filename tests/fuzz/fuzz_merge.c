/*
 * Any bytes as a recording that is merged with itself: what is written is a recording of the same calls, it is written
 * again as it is, and the two sides compare.
 */
/* ctest: case - quick 300 recording @CALLSIG_FUZZ_PIPELINE@ @CALLSIG_FUZZ_MERGED@ @CALLSIG_FUZZ_RANKS@ */
/* ctest: case .kept quick 100 @CALLSIG_FUZZ@/recordings/rank-row-of-no-signature */
/* ctest: case .kept_calls quick 100 @CALLSIG_FUZZ@/recordings/rank-rows-without-calls */
/* ctest: case .kept_recursion quick 100 @CALLSIG_FUZZ@/recordings/recursion-of-more-time-than-a-sum-holds */
/* ctest: case .kept_names quick 100 @CALLSIG_FUZZ@/recordings/action-of-the-name-of-a-stage */
/* ctest: case .long full 20000 recording $<TARGET_PROPERTY:callsig_fuzz_pipeline,CALLSIG_FILE> */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "output/diff/print.h"
#include "output/merge/dump.h"
#include "output/pipeline/pipeline.h"
#include "output/stats/stats_object.h"

fuzz_mutate_fn *const fuzz_mutate = fuzz_mutate_recording;

static void ignore(const char *line, void *data)
{
  (void)line;
  (void)data;
}

/* Loads the bytes `times` times into one object, as so many files. NULL when they are no recording. */
static struct callsig_stats *load(const void *data, size_t size, unsigned times)
{
  struct callsig_stats *stats;
  struct out_recording recording;
  if (callsig_stats_new(&(struct callsig_stats_options){.size = sizeof(struct callsig_stats_options), .timeline = 1},
                        &stats) < 0)
    abort();
  for (unsigned i = 0; i < times; i++) {
    if (out_recording_from_memory("input", data, size, &recording) < 0 || out_stats_take(stats, &recording, NULL) < 0) {
      callsig_stats_free(stats);
      return NULL;
    }
  }
  return stats;
}

/* What the object writes. It goes back to its beginning, which streams in memory do not survive. */
static char *dump(struct callsig_stats *stats, size_t *size)
{
  int file = memfd_create("merged", MFD_CLOEXEC);
  FILE *out = file < 0 ? NULL : fdopen(file, "w+");
  if (!out || out_dump_write(&stats->profile, NULL, out) < 0 || fseek(out, 0, SEEK_END) != 0)
    abort();
  *size = (size_t)ftell(out);
  char *bytes = malloc(*size);
  rewind(out);
  if (!bytes || fread(bytes, 1, *size, out) != *size)
    abort();
  fclose(out);
  return bytes;
}

static void compare(struct callsig_stats *stats)
{
  const uint32_t count = stats->profile.recordings.count;
  const struct out_diff_file files[] = {{.end = count / 2}, {.end = count, .is_new = true}};
  const struct out_diff_options options = {.metric = CALLSIG_DIFF_CUMTIME, .level = 0.05};
  const struct callsig_diff_view view = {.size = sizeof view, .all = 1};
  struct out_diff diff;
  struct out_diff_shown shown = {0};
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  callsig_stats_group(stats, CALLSIG_BY_SIGNATURE | CALLSIG_BY_STAGE);
  if (!out || out_diff_make(stats, files, 2, &options, &diff) < 0 || out_diff_show(&diff, &view, &shown) < 0)
    abort();
  out_diff_print_table(&diff, &shown, out);
  out_diff_print_csv(&diff, &shown, out);
  out_diff_print_json(&diff, &shown, out);
  free(shown.list);
  out_diff_free(&diff);
  fclose(out);
  free(text);
}

static void read_pipeline(const void *data, size_t size)
{
  struct out_recording recording;
  struct callsig_pipeline *pipeline;
  if (out_recording_from_memory("merged", data, size, &recording) < 0)
    abort();
  if (out_pipeline_read(&recording, NULL, &pipeline) == 0)
    callsig_pipeline_free(pipeline);
  for (uint32_t process = 1; process <= 2; process++) {
    out_recording_forget_numbers(&recording);
    if (out_pipeline_read_process(&recording, process, &pipeline) == 0)
      callsig_pipeline_free(pipeline);
  }
  out_recording_close(&recording);
}

/* What was written, as an object of its own, which has as many calls. */
static struct callsig_stats *load_again(struct callsig_stats *stats, const void *data, size_t size)
{
  struct callsig_stats_total total = {.size = sizeof total}, again = {.size = sizeof again};
  struct callsig_stats *read = load(data, size, 1);
  if (!read || callsig_stats_total(stats, &total) < 0 || callsig_stats_total(read, &again) < 0 ||
      total.calls != again.calls || total.primitive_calls != again.primitive_calls)
    abort();
  return read;
}

/* The first time the threads' roots are written too, of which a merged recording has no need. */
static void merge(struct callsig_stats *stats)
{
  size_t sizes[3];
  char *first = dump(stats, &sizes[0]);
  struct callsig_stats *merged = load_again(stats, first, sizes[0]);
  char *second = dump(merged, &sizes[1]);
  struct callsig_stats *again = load_again(merged, second, sizes[1]);
  char *third = dump(again, &sizes[2]);
  if (sizes[1] != sizes[2] || memcmp(second, third, sizes[1]) != 0)
    abort();
  read_pipeline(first, sizes[0]);
  free(first);
  free(second);
  free(third);
  callsig_stats_free(merged);
  callsig_stats_free(again);
}

/* The same with threads, processes or ranks made one. Calls neither come nor go. */
static void fold(const void *data, size_t size, int (*make_one)(struct callsig_stats *))
{
  struct callsig_stats_total before = {.size = sizeof before}, after = {.size = sizeof after};
  struct callsig_stats *stats = load(data, size, 2);
  if (!stats || callsig_stats_total(stats, &before) < 0)
    abort();
  if (make_one(stats) == 0) {
    if (callsig_stats_total(stats, &after) < 0 || before.calls != after.calls)
      abort();
    size_t written;
    char *bytes = dump(stats, &written);
    callsig_stats_free(load_again(stats, bytes, written));
    free(bytes);
  }
  callsig_stats_free(stats);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  callsig_stats_set_message(ignore, NULL);
  struct callsig_stats *stats = load(data, size, 2);
  if (!stats)
    return 0;
  /* What cannot be added up is refused everywhere. */
  struct callsig_stats_total total = {.size = sizeof total};
  if (callsig_stats_total(stats, &total) != -EOVERFLOW) {
    merge(stats);
    compare(stats);
    fold(data, size, callsig_stats_fold);
    fold(data, size, callsig_stats_fold_processes);
    fold(data, size, callsig_stats_fold_ranks);
  }
  callsig_stats_free(stats);
  return 0;
}
