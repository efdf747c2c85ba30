/* How much CPU time processes have used. */
#ifndef CALLSIG_CLI_BESIDE_USED_TIME_H
#define CALLSIG_CLI_BESIDE_USED_TIME_H

#include <stdint.h>

/* Nanoseconds. */
struct cli_used {
  uint64_t user, system;
};

/* What all processes which were waited for have used so far. */
struct cli_used cli_used_by_children(void);

#endif
