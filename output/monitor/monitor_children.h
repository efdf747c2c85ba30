/*
 * The recordings of processes that a monitored program starts: each gets a monitor of its own, into the same database.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_MONITOR_CHILDREN_H
#define CALLSIG_OUTPUT_MONITOR_MONITOR_CHILDREN_H

#include <pthread.h>
#include <stdbool.h>

#include "base/vector.h"
#include "callsig/pipeline.h"

/* What a recording is read by: functions of monitor.c, as the public ones. */
struct out_child_calls {
  int (*start)(const struct callsig_monitor_options *options, struct callsig_monitor **monitor);
  int (*stop)(struct callsig_monitor *monitor);
  int (*leave)(struct callsig_monitor *monitor); /* stops, of a process that goes on: the rest can be added later */
  int (*complete)(const char *path, const char *database);
};

struct out_children {
  const struct out_child_calls *calls;
  struct callsig_monitor_options options; /* of the program's own monitor; its strings stay */
  pthread_mutex_t lock;                   /* of what follows */
  struct base_vector known;               /* struct out_child */
};

void out_children_init(struct out_children *children, const struct out_child_calls *calls,
                       const struct callsig_monitor_options *options);

/* Looks for recordings of run `run` beside that of the program, and starts what reads them; what has ended is read to
 * its end. A recording that cannot be monitored is told of once. */
void out_children_look(struct out_children *children, uint64_t run);

/* Reads recordings of processes that have ended to their end, so that they may be removed: all that a monitor's
 * database is to have of them is in it, or was told to be missing. False: the run is not known yet, and nothing was
 * read. */
bool out_monitor_settle_children(struct callsig_monitor *monitor);

/* Looks for the last time, and ends all of it. 0, or -EIO when the database lacks something, after a message. */
int out_children_stop(struct out_children *children, uint64_t run);

#endif
