/* The metrics of a recording: what it has now, in Prometheus's text format. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "callsig/live.h"
#include "output/monitor/process_stats.h"
#include "output/serve/metrics_functions.h"
#include "output/serve/metrics_pipeline.h"
#include "output/stats/public_struct.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"

enum { FUNCTIONS_DEFAULT = 50, FUNCTIONS_MOST = 10000 };

struct callsig_metrics {
  char *path;
  struct out_metric_memory memory;
  struct out_metric_functions functions;
  struct out_process process;
  /* Which recording that is of, and since when it counts. */
  uint32_t pid;
  uint64_t start_ns;
};

/* What one reading has. */
struct reading {
  struct fmt_rec_header header;
  bool is_live;
  struct callsig_stats *stats;
  struct callsig_pipeline *pipeline; /* NULL: it has none that can be told */
  struct callsig_pipeline_info info;
};

int callsig_metrics_new(const struct callsig_metrics_options *wanted, struct callsig_metrics **made)
{
  struct callsig_metrics_options known;
  *made = NULL;
  int result = out_struct_read("callsig_metrics_options", &known, sizeof known, wanted);
  if (result < 0)
    return result;
  if (!known.path || known.functions > FUNCTIONS_MOST)
    return out_stats_fail(-EINVAL, "metrics are of a recording, and at most %d functions have rows", FUNCTIONS_MOST);
  struct callsig_metrics *metrics = calloc(1, sizeof *metrics);
  if (metrics)
    metrics->path = strdup(known.path);
  if (!metrics || !metrics->path) {
    free(metrics);
    return out_stats_no_memory();
  }
  out_metric_memory_free(&metrics->memory);
  out_metric_functions_init(&metrics->functions, known.functions ? known.functions : FUNCTIONS_DEFAULT);
  out_process_init(&metrics->process, 0);
  *made = metrics;
  return 0;
}

void callsig_metrics_free(struct callsig_metrics *metrics)
{
  if (!metrics)
    return;
  out_metric_memory_free(&metrics->memory);
  out_metric_functions_forget(&metrics->functions);
  out_process_free(&metrics->process);
  free(metrics->path);
  free(metrics);
}

static uint64_t start_of(const struct fmt_rec_header *header)
{
  return header->period_realtime_ns ? header->period_realtime_ns : header->start_realtime_ns;
}

/* The header as it is now. */
static int read_header(const char *path, struct fmt_rec_header *header, bool *is_live)
{
  struct out_recording recording;
  int file = out_recording_open(path);
  if (file < 0)
    return file;
  int result = out_recording_attach(file, path, &recording);
  if (result == 0) {
    *header = recording.header;
    *is_live = recording.is_live;
    out_recording_close(&recording);
  }
  close(file);
  return result;
}

/* Reads everything once. */
static int read_parts(const char *path, struct reading *reading)
{
  const struct callsig_stats_options options = {.size = sizeof options, .now = 1};
  reading->info = (struct callsig_pipeline_info){.size = sizeof reading->info};
  int result = read_header(path, &reading->header, &reading->is_live);
  if (result == 0)
    result = callsig_stats_new(&options, &reading->stats);
  if (result == 0)
    result = callsig_stats_add(reading->stats, path);
  if (result == 0)
    result = callsig_stats_group(reading->stats, CALLSIG_BY_FUNCTION);
  if (result == 0)
    result = callsig_pipeline_load(path, &reading->pipeline);
  return result == 0 ? callsig_pipeline_info(reading->pipeline, &reading->info) : result;
}

static void free_reading(struct reading *reading)
{
  callsig_stats_free(reading->stats);
  callsig_pipeline_free(reading->pipeline);
  reading->stats = NULL;
  reading->pipeline = NULL;
}

/* Reads everything of one period: what was made to count from zero on the way is read once more. */
static int read_all(const char *path, struct reading *reading)
{
  int result = -EAGAIN;
  for (int tries = 0; tries < 3 && result == -EAGAIN; tries++) {
    struct fmt_rec_header after;
    bool is_live;
    *reading = (struct reading){0};
    result = read_parts(path, reading);
    if (result == 0)
      result = read_header(path, &after, &is_live);
    if (result == 0 && (start_of(&after) != start_of(&reading->header) || after.pid != reading->header.pid))
      result = -EAGAIN;
    if (result < 0)
      free_reading(reading);
  }
  return result;
}

/* Counters of another recording, or of one that counts from zero, have nothing to do with those before. */
static void begin_reading(struct callsig_metrics *metrics, const struct reading *reading)
{
  if (metrics->pid != reading->header.pid || metrics->start_ns != start_of(&reading->header)) {
    out_metric_memory_free(&metrics->memory);
    out_metric_functions_forget(&metrics->functions);
  }
  if (metrics->pid != reading->header.pid) {
    out_process_free(&metrics->process);
    out_process_init(&metrics->process, reading->header.pid);
  }
  metrics->pid = reading->header.pid;
  metrics->start_ns = start_of(&reading->header);
  out_metric_functions_begin(&metrics->functions);
}

static int add_functions(struct callsig_metrics *metrics, struct callsig_stats *stats)
{
  const size_t count = callsig_stats_row_count(stats);
  int result = 0;
  for (size_t i = 0; i < count && result == 0; i++) {
    struct callsig_stats_row row = {.size = sizeof row};
    result = callsig_stats_row(stats, i, &row);
    const struct out_function_count counts = {.calls = (double)row.ncalls, .own = row.tottime};
    if (result == 0)
      result = out_metric_functions_add(&metrics->functions, row.file, row.line, row.function, counts);
  }
  return result == 0 ? out_metric_functions_choose(&metrics->functions) : result;
}

static void put_number(struct out_metrics_text *text, const char *type, const char *name, const char *help,
                       double value)
{
  out_metric_family(text, type, name, help);
  out_metric_begin(text, "");
  out_metric_end(text, value);
}

static void put_lost(struct out_metrics_text *text, const struct fmt_rec_header *header)
{
  static const struct {
    int loss;
    const char *why;
  } losses[] = {{FMT_LOSS_NO_SPACE, "no_space"},
                {FMT_LOSS_NESTED, "nested"},
                {FMT_LOSS_LATE, "late"},
                {FMT_LOSS_NO_SLED, "no_index"}};
  out_metric_family(text, "counter", "callsig_lost_calls_total", "Calls that could not be recorded.");
  for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
    out_metric_begin(text, "");
    out_metric_label(text, "reason", losses[i].why);
    out_metric_end(text, (double)header->loss[losses[i].loss]);
  }
}

/* What the process has used, while it can be looked at. */
static void put_process(struct callsig_metrics *metrics, bool is_live, struct out_metrics_text *text)
{
  struct out_process *process = &metrics->process;
  if (!is_live || out_process_read(process) < 0 || !process->alive)
    return;
  put_number(text, "counter", "callsig_process_cpu_seconds_total", "Time of the process on processors.",
             process->stats.user_time + process->stats.system_time);
  put_number(text, "gauge", "callsig_process_resident_memory_bytes", "Memory of the process that is resident.",
             (double)process->stats.resident_bytes);
  put_number(text, "gauge", "callsig_process_threads", "Threads of the process.", (double)process->stats.threads);
}

static void put_recording(struct callsig_metrics *metrics, struct reading *reading, struct out_metrics_text *text)
{
  const struct fmt_rec_header *header = &reading->header;
  struct callsig_stats_total total = {.size = sizeof total};
  char pid[16];
  snprintf(pid, sizeof pid, "%u", header->pid);
  out_metric_family(text, "gauge", "callsig_process_info", "The program that is recorded; 1.");
  out_metric_begin(text, "");
  out_metric_label(text, "program", reading->info.program);
  out_metric_label(text, "pid", pid);
  out_metric_end(text, 1);
  put_number(text, "gauge", "callsig_process_running", "1 while the program records, 0 when it has ended.",
             reading->is_live);
  put_number(text, "gauge", "callsig_recording_on", "1 while calls are recorded, 0 while that is switched off.",
             reading->is_live && !header->is_off);
  put_number(text, "gauge", "callsig_recording_start_time_seconds", "When counting began, since 1970.",
             (double)start_of(header) * 1e-9);
  put_number(text, "gauge", "callsig_recording_elapsed_seconds", "From then until now, or the program's end.",
             reading->info.elapsed);
  put_number(text, "gauge", "callsig_recording_used_bytes", "Bytes of the recording that are in use.",
             (double)header->next);
  put_lost(text, header);
  if (callsig_stats_total(reading->stats, &total) == 0) {
    put_number(text, "counter", "callsig_calls_total", "Calls that were counted.", (double)total.calls);
    put_number(text, "counter", "callsig_self_seconds_total", "Their time.", total.time);
  }
  put_process(metrics, reading->is_live, text);
}

static double seconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* -ENOMEM without a message; a recording that cannot be read is told by *is_readable. */
static int make_text(struct callsig_metrics *metrics, struct out_metrics_text *text)
{
  struct reading reading;
  const double begin = seconds_now();
  int result = read_all(metrics->path, &reading);
  const bool is_readable = result == 0;
  if (result == -ENOMEM)
    return result;
  put_number(text, "gauge", "callsig_recording_readable", "1 when the recording could be read.", is_readable);
  if (is_readable) {
    begin_reading(metrics, &reading);
    result = add_functions(metrics, reading.stats);
    if (result == 0) {
      put_recording(metrics, &reading, text);
      out_metric_functions_write(&metrics->functions, text);
      out_metrics_pipeline(reading.pipeline, text);
    }
    free_reading(&reading);
  }
  put_number(text, "gauge", "callsig_scrape_duration_seconds", "Time that reading the recording for this took.",
             seconds_now() - begin);
  return is_readable && result < 0 ? result : out_metrics_text_result(text);
}

int callsig_metrics_write(struct callsig_metrics *metrics, FILE *out)
{
  struct out_metrics_text text = {.memory = &metrics->memory};
  int result = make_text(metrics, &text);
  if (result == -ENOMEM)
    out_stats_no_memory();
  if (result == 0 && (fwrite(text.text.data, 1, text.text.length, out) != text.text.length || fflush(out) != 0))
    result = out_stats_fail(-EIO, "cannot write metrics: the output is full or closed");
  out_metrics_text_free(&text);
  return result;
}
