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
  struct out_recording recording;
  struct fmt_rec_header header; /* its own: reading a process puts that in its place */
  struct out_pipeline_processes processes;
  struct callsig_stats *stats; /* NULL: no actions */
  struct base_vector list;     /* struct callsig_pipeline * */
};

static bool is_empty(const struct callsig_pipeline *pipeline)
{
  return pipeline->stages.count + pipeline->queues.count + pipeline->events.count + pipeline->counters.count +
             pipeline->actions.count ==
         0;
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
  struct callsig_pipeline *pipeline = NULL;
  loading->recording.header = loading->header;
  out_recording_renew(&loading->recording);
  int result = out_pipeline_read_process(&loading->recording, number + 1, &pipeline);
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
  loading->header = loading->recording.header;
  return out_pipeline_find_processes(&loading->recording, &loading->processes) < 0 ? out_stats_no_memory() : 0;
}

/* What is damaged of the file counts once, with the first of its pipelines. */
static void tell_damage(struct loading *loading)
{
  uint64_t damaged = out_recording_tell_damage(&loading->recording);
  for (uint32_t i = 0; i < loading->list.count; i++) {
    struct callsig_pipeline *pipeline = *(struct callsig_pipeline **)base_vector_at(&loading->list, i);
    pipeline->damage_is_told = damaged > 0;
    if (i == 0)
      pipeline->info.damaged = damaged;
  }
}

/* One pipeline, or those of several processes. */
static int load_file(struct loading *loading)
{
  int result = out_recording_attach(loading->file, loading->path, &loading->recording);
  if (result < 0)
    return result;
  result = find_processes(loading);
  bool several = result == 0 && loading->processes.count > 1;
  if (several)
    result = out_recording_check(&loading->recording);
  if (several && result == 0)
    result = load_processes(loading);
  if (several && result == 0)
    tell_damage(loading);
  out_recording_close(&loading->recording);
  if (result < 0 || several)
    return result;
  struct callsig_pipeline *pipeline;
  result = callsig_pipeline_load(loading->path, &pipeline);
  return result == 0 ? keep(loading, pipeline) : result;
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
  int result = load_file(&loading);
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
