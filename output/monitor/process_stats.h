/*
 * A process's own statistics, as /proc has them. proc(5) says what each is.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_PROCESS_STATS_H
#define CALLSIG_OUTPUT_MONITOR_PROCESS_STATS_H

#include <stdbool.h>

#include "base/vector.h"
#include "callsig/pipeline.h"

struct out_process {
  unsigned pid;
  bool known, alive;          /* it was seen; it was running when last looked at */
  unsigned long long birth;   /* its start time: another process with its number has another */
  struct base_vector threads; /* struct out_thread_switches, by tid */
  struct callsig_process_stats stats;
};

void out_process_init(struct out_process *process, unsigned pid);
void out_process_free(struct out_process *process);

/* Reads what the process has used so far into process->stats; a process that has ended and was not waited for yet still
 * has it, one that is gone keeps what was read last. What /proc does not tell is UINT64_MAX. Context switches of
 * threads that end between two readings are counted up to the first. 0 or -ENOMEM. */
int out_process_read(struct out_process *process);

#endif
