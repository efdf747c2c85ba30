/* callsig_pipeline_load(): the statistics of a recording's stages, queues, events and actions. */
#include <stdio.h>
#include <unistd.h>

#include "output/pipeline/pipeline.h"
#include "output/pipeline/pipeline_actions.h"
#include "output/recording/clock.h"
#include "output/recording/live.h"

/* The clock of a process that is still running may be read; what ended stays as it ended. 1 when the process ended
 * while it was read, and references led nowhere: what is read again is complete. */
static int load_once(int file, const char *path, struct callsig_pipeline **pipeline)
{
  struct out_recording recording;
  int result = out_recording_attach(file, path, &recording);
  if (result < 0)
    return result;
  result = out_recording_check(&recording);
  if (result < 0) {
    out_recording_close(&recording);
    return result;
  }
  struct fmt_rec_clock_point now;
  bool live = recording.is_live && !(recording.header.flags & FMT_REC_FINISHED) && recording.header.exit_status == -1 &&
              out_clock_now(recording.header.clock, &now);
  result = out_pipeline_read(&recording, live ? &now : NULL, pipeline);
  if (result == 0) {
    (*pipeline)->info.damaged = out_recording_tell_damage(&recording);
    (*pipeline)->damage_is_told = (*pipeline)->info.damaged > 0;
    if (recording.is_live && recording.damaged > 0 && !out_recording_is_live(file, recording.header.pid))
      result = 1;
  }
  out_recording_close(&recording);
  return result;
}

static int load(int file, const char *path, struct callsig_pipeline **pipeline)
{
  int result = load_once(file, path, pipeline);
  if (result != 1)
    return result;
  callsig_pipeline_free(*pipeline);
  return load_once(file, path, pipeline);
}

int callsig_pipeline_load(const char *path, struct callsig_pipeline **loaded)
{
  *loaded = NULL;
  int file = out_recording_open(path);
  if (file < 0)
    return file;
  struct callsig_pipeline *pipeline = NULL;
  int result = load(file, path, &pipeline);
  if (result == 0)
    result = out_pipeline_load_actions(file, path, pipeline);
  close(file);
  if (result < 0)
    callsig_pipeline_free(pipeline);
  else
    *loaded = pipeline;
  return result;
}
