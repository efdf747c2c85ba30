/* One thread of another process, stopped, and let go as it was. */
#ifndef CALLSIG_CLI_ATTACH_BORROW_H
#define CALLSIG_CLI_ATTACH_BORROW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/attach/arch/processor.h"

struct cli_borrowed {
  pid_t process, thread;
  struct cli_registers registers; /* when it was stopped */
  uint64_t mask;                  /* its signals that are blocked, then */
};

/* Before the first is borrowed: has cli_borrow_wait() told of what stops. */
void cli_borrow_prepare(void);

/* Stops the thread and keeps its registers. Returns 0; -EAGAIN when it cannot be now (it ends, or another moment is
 * better); or another negative errno: -EPERM when it may not be traced. Gives no message. */
int cli_borrow(pid_t process, pid_t thread, struct cli_borrowed *borrowed);

/* Is it in a system call that the kernel would have return EINTR, though no handler of a signal runs? */
bool cli_borrow_again(const struct cli_borrowed *borrowed);

/* Lets the thread go on as if nothing had been: a system call that was interrupted goes on, or is begun again where the
 * kernel would have it return EINTR though no handler of a signal ran. It is in the stop that it was borrowed in, or in
 * another of cli_borrow_stop(). Returns 0 or a negative errno. */
int cli_borrow_release(struct cli_borrowed *borrowed);

/* Stops a thread that is stopped elsewhere (at a system call) in the way that it was borrowed in. Returns 0 or a
 * negative errno. */
int cli_borrow_stop(const struct cli_borrowed *borrowed);

/* Waits until the thread stops: at most `seconds`. Returns 0 and how, or -ETIMEDOUT, or -ESRCH when it ended. */
int cli_borrow_wait(const struct cli_borrowed *borrowed, double seconds, int *status);

#endif
