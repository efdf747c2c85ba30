/* Any text as a signature expression: parsed, checked and asked of every signature of one recording. */
/* ctest: case - quick 3000 @CALLSIG_FUZZ_EXPRESSIONS@ */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/stats/stats_object.h"
#include "tests/support/seeds.h"

fuzz_mutate_fn *const fuzz_mutate = NULL;

static void ignore(const char *line, void *data)
{
  (void)line;
  (void)data;
}

static struct callsig_stats *load(void)
{
  struct callsig_stats *stats = out_stats_new();
  struct out_recording recording;
  size_t size;
  void *data = seed_recording(&size);
  callsig_stats_set_message(ignore, NULL);
  if (!stats || out_recording_from_memory("seed", data, size, &recording) < 0 ||
      out_stats_take(stats, &recording, NULL) < 0)
    abort();
  free(data);
  return stats;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct callsig_stats *stats;
  if (!stats)
    stats = load();
  char *text = malloc(size + 1);
  if (!text)
    abort();
  memcpy(text, data, size);
  text[size] = '\0';
  struct callsig_stats_filter filter = {.size = sizeof filter, .signature = text};
  if (callsig_stats_filter(stats, &filter) == 0)
    callsig_stats_row_count(stats);
  free(text);
  return 0;
}
