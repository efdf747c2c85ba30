/*
 * Any bytes as a recording that is served while it grows: its metrics, what was added between two readings, its
 * processes as one pipeline, and their picture.
 */
/* ctest: case - quick 300 recording @CALLSIG_FUZZ_PIPELINE@ @CALLSIG_FUZZ_MERGED@ @CALLSIG_FUZZ_RANKS@ */
/* ctest: case .long full 10000 recording @CALLSIG_FUZZ_PIPELINE@ @CALLSIG_FUZZ_MERGED@ @CALLSIG_FUZZ_RANKS@ */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "callsig/live.h"
#include "callsig/pipeline.h"
#include "callsig/stats.h"
#include "output/pipeline/pipeline.h"

/* What the metrics may show at once, so that some have no row. */
enum { FUNCTIONS = 2 };
/* What is predicted of pipelines takes far longer than all else: it is simulated for one in so many inputs, by the sum
 * of their bytes. */
enum { SIMULATED = 97 };

fuzz_mutate_fn *const fuzz_mutate = fuzz_mutate_recording;

struct served {
  int file;
  char path[32];
};

static void ignore(const char *line, void *data)
{
  (void)line;
  (void)data;
}

static FILE *open_text(char **text, size_t *size)
{
  FILE *out = open_memstream(text, size);
  if (!out)
    abort();
  return out;
}

/* A file whose newest bytes, its second half, are not there yet. */
static struct served serve_half(const uint8_t *data, size_t size)
{
  struct served served = {.file = memfd_create("served", MFD_CLOEXEC)};
  if (served.file < 0 || pwrite(served.file, data, size / 2, 0) != (ssize_t)(size / 2) ||
      ftruncate(served.file, (off_t)size) < 0)
    abort();
  snprintf(served.path, sizeof served.path, "/proc/self/fd/%d", served.file);
  return served;
}

static void complete(const struct served *served, const uint8_t *data, size_t size)
{
  if (pwrite(served->file, data, size, 0) != (ssize_t)size)
    abort();
}

static void write_metrics(struct callsig_metrics *metrics)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_text(&text, &size);
  callsig_metrics_write(metrics, out);
  fclose(out);
  free(text);
}

/* NULL: there is none. */
static struct callsig_delta *write_delta(struct callsig_delta *delta)
{
  char *text = NULL;
  size_t size;
  struct callsig_delta_info info = {.size = sizeof info};
  struct callsig_delta *next = NULL;
  FILE *out = open_text(&text, &size);
  callsig_delta_write(delta, out, &info, &next);
  fclose(out);
  free(text);
  callsig_delta_free(delta);
  return next;
}

static void print_processes(const char *path)
{
  struct callsig_pipeline **pipelines, *joined;
  char *text = NULL;
  size_t count, size;
  if (callsig_pipeline_load_all(path, &pipelines, &count) < 0)
    return;
  const struct callsig_pipeline *const *parts = (const struct callsig_pipeline *const *)pipelines;
  FILE *out = open_text(&text, &size);
  callsig_pipeline_print_stragglers(parts, count, out);
  if (callsig_pipeline_join(parts, count, &joined) > 0) {
    joined->forecast_steps = 0;
    callsig_pipeline_print(joined, out);
    callsig_pipeline_print_json(joined, out);
    callsig_pipeline_free(joined);
  }
  fclose(out);
  free(text);
  callsig_pipeline_free_all(pipelines, count);
}

static void draw(const char *path, const char *format)
{
  struct callsig_plot *plot;
  char *text = NULL;
  size_t size;
  if (callsig_plot_new(&plot) < 0)
    abort();
  FILE *out = open_text(&text, &size);
  if (callsig_plot_add_recording(plot, path) == 0)
    callsig_plot_write(plot, format, out);
  fclose(out);
  free(text);
  callsig_plot_free(plot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  callsig_stats_set_message(ignore, NULL);
  struct served served = serve_half(data, size);
  struct callsig_metrics_options options = {.size = sizeof options, .path = served.path, .functions = FUNCTIONS};
  struct callsig_metrics *metrics;
  struct callsig_delta *delta = NULL;
  if (callsig_metrics_new(&options, &metrics) < 0)
    abort();
  write_metrics(metrics);
  if (callsig_delta_begin(served.path, &delta) < 0)
    delta = NULL;
  complete(&served, data, size);
  write_metrics(metrics);
  if (!delta && callsig_delta_begin(served.path, &delta) < 0)
    delta = NULL;
  delta = delta ? write_delta(delta) : NULL;
  delta = delta ? write_delta(delta) : NULL;
  callsig_delta_free(delta);
  write_metrics(metrics);
  callsig_metrics_free(metrics);
  print_processes(served.path);
  size_t sum = 0;
  for (size_t i = 0; i < size; i++)
    sum += data[i];
  if (sum % SIMULATED == 0) {
    draw(served.path, "svg");
    draw(served.path, "html");
  }
  close(served.file);
  return 0;
}
