/*
 * A pipeline of stages between bounded queues, simulated event by event, whose recording is made by hand: nothing is
 * random and nothing takes real time. One tick is a microsecond.
 */
#ifndef CALLSIG_TESTS_PIPELINE_SIMULATOR_H
#define CALLSIG_TESTS_PIPELINE_SIMULATOR_H

#include "tests/support/pipeline_writer.h"

enum { SIMULATED_STAGES = 8, SIMULATED_HZ = 1000000 };

struct simulated_stage {
  const char *name;
  uint32_t concurrency;
  uint64_t time;        /* of a task */
  uint64_t every, slow; /* each `every`th task takes `slow` (0: none) */
  uint64_t failing;     /* each `failing`th task fails, and its item goes no further (0: none) */
  uint32_t slow_thread; /* 1 + the replica all of whose tasks take `slow` (0: none) */
  uint64_t between;     /* before each task, outside of it */
  uint32_t takes;       /* items that one task takes in (0 is 1) */
};

struct simulation {
  struct simulated_stage stages[SIMULATED_STAGES];
  uint32_t count;
  uint64_t capacity;               /* of each queue */
  uint64_t items;                  /* that the source gives */
  uint64_t source_time, sink_time; /* for each item */
  uint64_t blocks;                 /* that the first stage takes, and the last one gives back by a queue, "free" */
  uint64_t slots;                  /* likewise, of which nothing is told */
  int waits_inside;                /* a task lasts until its item is in the next queue */
};

/* Runs it to its end and returns the recording, with its last moment in `*end`. Stage I is "0:I+1:NAME[CONCURRENCY]";
 * the queue "0:0:source" is before the first. */
struct recording_writer *simulate(const struct simulation *simulation, uint64_t *end);

#endif
