/*
 * Whether a process executed a program since it was looked at.
 */
#ifndef CALLSIG_CLI_ATTACH_EXECUTED_H
#define CALLSIG_CLI_ATTACH_EXECUTED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a program that runs is known by: its file, and where the kernel laid what it hands over to it. */
struct cli_executed {
  uint64_t device, inode;
  uint64_t vector[64]; /* the beginning of /proc/PID/auxv, zeroes behind it */
};

/* Looks at the process; all zeroes where it cannot be looked at. */
struct cli_executed cli_executed_read(pid_t pid);

/* Did it execute a program since `before`? False where that cannot be told: it may have ended. */
bool cli_executed_since(pid_t pid, const struct cli_executed *before);

#endif
