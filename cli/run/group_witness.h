/* Tells whether a signal was sent to this process alone, or to its whole group, of which the kernel says nothing. */
#ifndef CALLSIG_CLI_RUN_GROUP_WITNESS_H
#define CALLSIG_CLI_RUN_GROUP_WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

/* A process of the group that nobody has a reason to signal by itself, and in which all signals wait. */
struct cli_group_witness {
  pid_t pid;  /* 0: there is none */
  int status; /* what /proc tells of it */
  int ask;    /* a byte written here has it forget what waits */
};

/* Starts it; the signals that the caller blocks have to be all there are. It ends with the calling thread at the
 * latest. Where it cannot be had each signal counts as sent to this process alone. */
void cli_group_witness_start(struct cli_group_witness *witness);

/* Was the signal, which this process got this moment by kill(), sent to the group? For a handler: async-signal-safe. It
 * waits for a moment, as a group gets a signal one process after the other. */
bool cli_group_witness_saw(const struct cli_group_witness *witness, int signal);

void cli_group_witness_end(struct cli_group_witness *witness);

#endif
