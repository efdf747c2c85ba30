/* Any bytes as a recording of which the pipelines are wanted, and as a histogram out of a database. */
/* ctest: case - quick 1500 recording @CALLSIG_FUZZ_PIPELINE@ @CALLSIG_FUZZ_MERGED@ @CALLSIG_FUZZ_RANKS@ */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "output/pipeline/bottleneck.h"
#include "output/pipeline/pipeline.h"

enum { SIMULATED = 97 }; /* one in so many inputs, by the sum of its bytes */

fuzz_mutate_fn *const fuzz_mutate = fuzz_mutate_recording;

static void ignore(const char *line, void *data)
{
  (void)line;
  (void)data;
}

static void print(const struct callsig_pipeline *pipeline)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    abort();
  if (callsig_pipeline_print_what_if(pipeline, "decode=3,queue:decode=1", out) < 0)
    callsig_pipeline_print(pipeline, out);
  callsig_pipeline_print_json(pipeline, out);
  callsig_pipeline_print_actions(pipeline, out);
  fclose(out);
  free(text);
}

/* `simulated`: what is predicted is simulated, too; it takes far longer than all else. */
static void try_recording(struct out_recording *recording, bool simulated)
{
  struct callsig_pipeline *pipeline, *delta;
  struct out_bottleneck verdict;
  if (out_pipeline_read(recording, NULL, &pipeline) < 0)
    return;
  pipeline->forecast_steps = simulated ? OUT_FORECAST_STEPS : 0;
  for (uint32_t stage = 0, queue = 0; out_bottleneck_next(pipeline, &stage, &queue, &verdict) > 0;)
    out_bottleneck_free(&verdict);
  print(pipeline);
  if (out_pipeline_delta(pipeline, NULL, pipeline, &delta) == 0)
    callsig_pipeline_free(delta);
  callsig_pipeline_free(pipeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct out_recording recording;
  struct out_histogram histogram = {0};
  size_t sum = 0;
  for (size_t i = 0; i < size; i++)
    sum += data[i];
  callsig_stats_set_message(ignore, NULL);
  if (out_recording_from_memory("/nowhere/input", data, size, &recording) == 0) {
    try_recording(&recording, sum % SIMULATED == 0);
    out_recording_close(&recording);
  }
  if (out_histogram_decode(&histogram, data, size) == 0)
    out_histogram_percentile(&histogram, 900, 0, 1e9);
  out_histogram_free(&histogram);
  return 0;
}
