/* Functions and system calls of another process, called by a thread of it that was borrowed. */
#ifndef CALLSIG_CLI_ATTACH_REMOTE_CALL_H
#define CALLSIG_CLI_ATTACH_REMOTE_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "cli/attach/borrow.h"

struct cli_remote {
  const struct cli_borrowed *thread;
  uint64_t instruction; /* of a system call, in the process's code */
  uint64_t sp;          /* everything below is free */
};

/* Begins: from here on the thread's signals wait, but for those of its own faults. Returns 0 or a negative errno. */
int cli_remote_begin(struct cli_remote *remote, const struct cli_borrowed *thread, uint64_t instruction);

/* Copies something to the thread's stack. Returns 0 and the address, or a negative errno. */
int cli_remote_push(struct cli_remote *remote, const void *data, size_t size, uint64_t *address);

/* Calls a function. Its other threads run meanwhile. Returns 0 and what it returned, or a negative errno: -EFAULT where
 * it crashed, -EDEADLK where it waits for a lock, both given up; -ESRCH when the process ended. */
int cli_remote_call(struct cli_remote *remote, uint64_t function, const uint64_t arguments[CLI_CALL_ARGUMENTS],
                    uint64_t *result);

/* The same of a system call, whose result is a negative errno where it failed. */
int cli_remote_system_call(struct cli_remote *remote, long number, const uint64_t arguments[CLI_CALL_ARGUMENTS],
                           long *result);

#endif
