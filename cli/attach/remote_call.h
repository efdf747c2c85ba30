/* Functions and system calls of another process, called by a thread of it that was borrowed. */
#ifndef CALLSIG_CLI_ATTACH_REMOTE_CALL_H
#define CALLSIG_CLI_ATTACH_REMOTE_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "cli/attach/borrow.h"

struct cli_remote {
  const struct cli_borrowed *thread;
  struct cli_places places;
  uint64_t mask;  /* of signals that wait */
  uint64_t frame; /* what the thread goes back by */
  uint64_t sp;    /* everything below is free */
};

/* Begins: from here on the thread's signals wait, but for those of its own faults, and it goes on as it was when this
 * process ends, whatever it has been made to do by then. `again`: see cli_borrow_again(). Returns 0 or a negative
 * errno.
 */
int cli_remote_begin(struct cli_remote *remote, const struct cli_borrowed *thread, const struct cli_places *places,
                     bool again);

/* Copies something to the thread's stack. Returns 0 and the address, or a negative errno. */
int cli_remote_push(struct cli_remote *remote, const void *data, size_t size, uint64_t *address);

/* Calls a function, by cli_arch_code at `code`; the thread's errno stays. Its other threads run meanwhile. Returns 0
 * and what it returned, or a negative errno: -EFAULT where it crashed, -EDEADLK where it waits for a lock, both given
 * up; -ESRCH when the process ended. */
int cli_remote_call(struct cli_remote *remote, uint64_t code, uint64_t function, uint64_t first, uint64_t second,
                    uint64_t *result);

/* The same of a system call, whose result is a negative errno where it failed. */
int cli_remote_system_call(struct cli_remote *remote, long number, const uint64_t arguments[CLI_CALL_ARGUMENTS],
                           long *result);

#endif
