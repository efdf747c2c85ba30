/* The running process's own recording. libcallsig is found at run time: libcallsig-stats works without it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "callsig/callsig.h"
#include "output/recording/clock.h"
#include "output/recording/recording.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"

/* libcallsig linked statically without its own dynamic symbols is found by this reference; otherwise it stays NULL. */
#pragma weak callsig_path

static const char *own_path(void)
{
  if (callsig_path)
    return callsig_path();
  const char *(*path)(void);
  *(void **)&path = dlsym(RTLD_DEFAULT, "callsig_path");
  return path ? path() : NULL;
}

int callsig_stats_snapshot(struct callsig_stats **snapshot)
{
  *snapshot = NULL;
  const char *path = own_path();
  if (!path)
    return out_stats_fail(-ENOENT, "this process is not being recorded: link libcallsig, or start it by callsig run");
  struct out_recording recording;
  int result = out_recording_read(path, &recording);
  if (result < 0)
    return result;
  struct fmt_rec_clock_point now;
  bool known = out_clock_now(recording.header.clock, &now);
  return out_stats_of_recording(&recording, known ? &now : NULL, snapshot);
}
