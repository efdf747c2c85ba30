/* callsig_pipeline_load_all(): the pipelines of every process of a recording, each as of its own recording. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "output/pipeline/pipeline.h"
#include "output/pipeline/pipeline_actions.h"
#include "output/text/message.h"

/* What is loaded of one file. */
struct loading {
  int file;
  const char *path;
  struct out_pipeline_processes processes;
  struct callsig_stats *stats; /* NULL: no actions */
  struct base_vector list;     /* struct callsig_pipeline * */
};

static bool is_empty(const struct callsig_pipeline *pipeline)
{
  return pipeline->stages.count + pipeline->queues.count + pipeline->events.count + pipeline->actions.count == 0;
}

/* Takes it over. */
static int keep(struct loading *loading, struct callsig_pipeline *pipeline)
{
  struct callsig_pipeline **added = base_vector_add(&loading->list, 1);
  if (!added) {
    callsig_pipeline_free(pipeline);
    return out_stats_no_memory();
  }
  *added = pipeline;
  return 0;
}

static int load_process(struct loading *loading, uint32_t number)
{
  struct out_recording recording;
  struct callsig_pipeline *pipeline = NULL;
  int result = out_recording_attach(loading->file, loading->path, &recording);
  if (result < 0)
    return result;
  result = out_pipeline_read_process(&recording, number + 1, &pipeline);
  out_recording_close(&recording);
  if (result == 0 && loading->stats)
    result = out_pipeline_take_actions(loading->stats, pipeline);
  if (result < 0 || is_empty(pipeline)) {
    callsig_pipeline_free(pipeline);
    return result;
  }
  return keep(loading, pipeline);
}

/* A process that has nothing but actions is known by them alone. */
static int load_processes(struct loading *loading)
{
  int result = out_pipeline_open_actions(loading->file, loading->path, &loading->stats);
  for (uint32_t i = 0; i < loading->processes.list.count && result == 0; i++) {
    if (loading->processes.has[i] || loading->stats)
      result = load_process(loading, i);
  }
  callsig_stats_free(loading->stats);
  return result;
}

static int find_processes(struct loading *loading)
{
  struct out_recording recording;
  int result = out_recording_attach(loading->file, loading->path, &recording);
  if (result < 0)
    return result;
  result = out_pipeline_find_processes(&recording, &loading->processes);
  out_recording_close(&recording);
  return result < 0 ? out_stats_no_memory() : 0;
}

void callsig_pipeline_free_all(struct callsig_pipeline **pipelines, size_t count)
{
  for (size_t i = 0; i < count; i++)
    callsig_pipeline_free(pipelines[i]);
  free(pipelines);
}

int callsig_pipeline_load_all(const char *path, struct callsig_pipeline ***pipelines, size_t *count)
{
  *pipelines = NULL;
  *count = 0;
  struct loading loading = {
      .file = out_recording_open(path), .path = path, .list = BASE_VECTOR_OF(struct callsig_pipeline *)};
  if (loading.file < 0)
    return loading.file;
  int result = find_processes(&loading);
  if (result == 0 && loading.processes.count > 1) {
    result = load_processes(&loading);
  } else if (result == 0) {
    struct callsig_pipeline *pipeline;
    result = callsig_pipeline_load(path, &pipeline);
    if (result == 0)
      result = keep(&loading, pipeline);
  }
  out_pipeline_processes_free(&loading.processes);
  close(loading.file);
  if (result < 0) {
    callsig_pipeline_free_all(loading.list.data, loading.list.count);
    return result;
  }
  *pipelines = loading.list.data;
  *count = loading.list.count;
  return 0;
}
