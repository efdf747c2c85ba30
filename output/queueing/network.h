/*
 * Stations between bounded queues, which share some processors, simulated event by event.
 *
 * It knows nothing of recordings. The same network and seed give the same result, on any machine. Times are seconds.
 * A server takes its items, waits what it waits between tasks, does a task (it waits, needs a
 * processor, and waits again: the two waits split at random), and puts what comes of it into its outputs one after the
 * other, as long as each has no space. Where more tasks want a processor than there are, all of them get as much of
 * what there is.
 */
#ifndef CALLSIG_OUTPUT_QUEUEING_NETWORK_H
#define CALLSIG_OUTPUT_QUEUEING_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

struct out_network_port {
  uint32_t queue;
  double items; /* that a task takes out of it or puts into it, on average */
};

struct out_network_queue {
  uint64_t capacity; /* 0: unbounded */
  uint64_t initial;  /* the items that it begins with, which its capacity does not bound */
};

struct out_network_station {
  uint32_t servers;
  uint64_t tasks; /* that it does at most; 0: as many as items come for, which one without inputs must not have */
  bool takes_any; /* a task takes one item, from whichever input has one */
  bool outside;   /* its tasks do not count for the time from the first task to the last */
  uint32_t num_inputs, num_outputs;
  const struct out_network_port *inputs, *outputs;
  double mean;          /* of a task's time */
  const double *times;  /* of tasks, by the mean: each is taken once, in random order, and then again */
  uint32_t num_times;   /* 0: each task takes the mean */
  double spread;        /* by how much times differ from the mean: 1 as `times` do */
  double on_processor;  /* the share of a task's time that needs a processor */
  double between;       /* what a server waits before each task */
  double first;         /* its first task's time; 0: as others' */
  const double *levels; /* the mean's factor in equal parts of its `expected` tasks; NULL: 1 */
  uint32_t num_levels;
  uint64_t expected;
  uint32_t slow_servers; /* so many of its servers have one factor more, and the others another */
  double slow_factor, other_factor;
};

struct out_network {
  struct out_network_station *stations;
  struct out_network_queue *queues;
  uint32_t num_stations, num_queues;
  double processors; /* 0: as many as are wanted */
};

struct out_network_result {
  bool ended; /* false: there were more steps than allowed */
  uint64_t steps;
  double begin, end; /* of the first task and the last one, of stations that are not outside */
  double until;      /* of the last task of all */
  double processor_time;
  struct out_station_result {
    uint64_t tasks;
    double asked; /* the sum of its tasks' times ... */
    double busy;  /* ... and that with what they waited for a processor */
  } * stations;   /* owned */
  struct out_queue_result {
    uint64_t puts, gets, most;
    double held; /* the integral of its level over time */
  } * queues;    /* owned */
};

/* Runs it until nothing happens any more. Every number of the network is finite and at least 0, its spread and
 * factors included. 0, to be freed, or -ENOMEM. */
int out_network_run(const struct out_network *network, uint64_t seed, uint64_t most_steps,
                    struct out_network_result *result);
/* Puts values into a random order; `*random` is the state of the draw. */
void out_network_shuffle(uint64_t *random, double *values, uint32_t count);
void out_network_result_free(struct out_network_result *result);

#endif
