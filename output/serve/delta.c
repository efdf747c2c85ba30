/* What was added to a recording between two readings, as pprof's profile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "callsig/live.h"
#include "output/export/export.h"
#include "output/recording/clock.h"
#include "output/recording/lost_calls.h"
#include "output/stats/public_struct.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"

/*
 * Both readings are loaded into one object, where functions, signatures and paths of theirs have the same numbers, and
 * where what was widened in one of them is as wide in the other. So the difference is that of the stacks, wherever the
 * calls were kept: by a thread that ended meanwhile, or on an edge that went into another.
 */
struct callsig_delta {
  char *path;
  struct callsig_stats *stats; /* of the first reading; of both, once it was written */
  uint64_t begin_ns;           /* CLOCK_REALTIME of the first reading */
  uint64_t steady_ns;          /* CLOCK_MONOTONIC of it */
};

/* A recording as it is read twice: into the delta that ends and into the one that begins. */
struct reading {
  struct out_recording recording, twin; /* the twin: where it is read twice */
  struct fmt_rec_clock_point now_point;
  const struct fmt_rec_clock_point *now; /* NULL: as the recording last read its clock */
  uint64_t real_ns, steady_ns;
};

static uint64_t clock_ns(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Opens the recording, and once more the same state of it when `twice`. 0 or a negative errno after a message. */
static int open_reading(const char *path, bool twice, struct reading *reading)
{
  *reading = (struct reading){.real_ns = clock_ns(CLOCK_REALTIME), .steady_ns = clock_ns(CLOCK_MONOTONIC)};
  struct out_recording *recording = &reading->recording;
  int result = out_recording_read(path, recording);
  if (result < 0)
    return result;
  if (recording->header.flags & FMT_REC_MERGED) {
    out_recording_close(recording);
    return out_stats_fail(-ENOTSUP, "%s: a merged recording: nothing is added to it any more", path);
  }
  if (recording->is_live && !(recording->header.flags & FMT_REC_FINISHED) &&
      out_clock_now(recording->header.clock, &reading->now_point))
    reading->now = &reading->now_point;
  if (!twice)
    return 0;
  /* What is not written any more is the same when it is read again. */
  result = recording->copy ? out_recording_from_memory(path, recording->copy, recording->size, &reading->twin)
                           : out_recording_read(path, &reading->twin);
  if (result < 0) {
    out_recording_close(recording);
    return result;
  }
  reading->twin.is_live = recording->is_live;
  return 0;
}

/* A delta that begins with the recording, which it takes over. */
static int begin(const char *path, struct out_recording *recording, const struct reading *reading,
                 struct callsig_delta **made)
{
  struct callsig_delta *delta = calloc(1, sizeof *delta);
  if (delta)
    delta->path = strdup(path);
  if (!delta || !delta->path) {
    free(delta);
    out_recording_close(recording);
    return out_stats_no_memory();
  }
  delta->begin_ns = reading->real_ns;
  delta->steady_ns = reading->steady_ns;
  int result = out_stats_of_recording(recording, reading->now, &delta->stats);
  if (result < 0)
    callsig_delta_free(delta);
  else
    *made = delta;
  return result;
}

int callsig_delta_begin(const char *path, struct callsig_delta **made)
{
  struct reading reading;
  *made = NULL;
  int result = open_reading(path, false, &reading);
  return result < 0 ? result : begin(path, &reading.recording, &reading, made);
}

void callsig_delta_free(struct callsig_delta *delta)
{
  if (!delta)
    return;
  callsig_stats_free(delta->stats);
  free(delta->path);
  free(delta);
}

/* Both are of one process that counted on. -ESTALE after a message. */
static int check_same(const struct callsig_delta *delta, const struct fmt_rec_header *header)
{
  const struct out_recording_info *before = out_profile_recording(&delta->stats->profile, 0);
  const uint64_t start = header->period_realtime_ns ? header->period_realtime_ns : header->start_realtime_ns;
  if (before->pid != header->pid)
    return out_stats_fail(-ESTALE, "%s: process %u records there by now, and not %u: nothing can be subtracted",
                          delta->path, header->pid, before->pid);
  if (before->process.start_realtime_ns != start)
    return out_stats_fail(
        -ESTALE, "%s: it was made to count from zero in between, so that what was added since is not known: ask again",
        delta->path);
  return 0;
}

/* The difference of what is in the object, written. */
static int write_difference(struct callsig_delta *delta, const struct reading *reading, FILE *out,
                            struct callsig_delta_info *info)
{
  struct out_profile *profile = &delta->stats->profile;
  struct out_recording_info *before = out_profile_recording(profile, 0), *now = out_profile_recording(profile, 1);
  struct out_export_delta told = {.begin_ns = delta->begin_ns, .duration_ns = reading->steady_ns - delta->steady_ns};
  const uint64_t lost_before = out_lost_calls(before->loss), lost_now = out_lost_calls(now->loss);
  told.lost = lost_now > lost_before ? lost_now - lost_before : 0;
  /* How long a tick is was estimated twice; the same number of ticks is the same time. */
  before->tick = now->tick;
  const struct out_export export = {.stats = delta->stats, .out = out, .delta = &told};
  int result = out_stats_group(delta->stats);
  if (result < 0)
    return result;
  result = out_export_pprof(&export);
  if (result == 0 && fflush(out) != 0)
    result = -EIO;
  if (result == -EIO)
    return out_stats_fail(-EIO, "cannot write the profile: the output is full or closed");
  if (result == -ENOMEM)
    return out_stats_no_memory();
  const double tick = delta->stats->grouping.tick;
  const struct callsig_delta_info known = {.size = sizeof known,
                                           .from = (double)delta->begin_ns * 1e-9,
                                           .until = (double)reading->real_ns * 1e-9,
                                           .calls = told.calls,
                                           .time = (double)told.own * tick,
                                           .less_calls = told.less_calls,
                                           .less_time = (double)told.less_own * tick,
                                           .lost = told.lost};
  if (info)
    out_struct_hand_out(info, &known, sizeof known);
  return result;
}

int callsig_delta_write(struct callsig_delta *delta, FILE *out, struct callsig_delta_info *info,
                        struct callsig_delta **next)
{
  struct reading reading;
  if (next)
    *next = NULL;
  if (delta->stats->profile.recordings.count != 1)
    return out_stats_fail(-EINVAL, "%s: a delta is written once", delta->path);
  int result = open_reading(delta->path, next != NULL, &reading);
  if (result < 0)
    return result;
  result = check_same(delta, &reading.recording.header);
  if (result < 0)
    out_recording_close(&reading.recording);
  else
    result = out_stats_take(delta->stats, &reading.recording, reading.now);
  if (result == 0)
    result = write_difference(delta, &reading, out, info);
  if (!next)
    return result;
  if (result == 0)
    return begin(delta->path, &reading.twin, &reading, next);
  out_recording_close(&reading.twin);
  return result;
}
