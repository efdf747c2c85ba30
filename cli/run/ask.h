/*
 * A program that records, seen from outside: found by its recording or its number, and asked to do something.
 *
 * What is asked is a word in the recording's header, which the program has mapped (format/recording.h). Nothing wakes
 * it: it looks by itself.
 */
#ifndef CALLSIG_CLI_RUN_ASK_H
#define CALLSIG_CLI_RUN_ASK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "format/request.h"

struct cli_target {
  char path[PATH_MAX];           /* of the recording */
  int fd;                        /* of it, to read and to write; -1: closed */
  struct fmt_rec_header *header; /* mapped */
};

/* Finds the program: `name` is its number, or the path of its recording. Returns 0; or after a message a negative
 * errno: there is none, it has ended, it is another user's, or what lies there is no recording. */
int cli_target_open(const char *name, struct cli_target *target);

/* The same of an open file, which is the target's from then on, without a message. -EINVAL: no recording that takes
 * requests. -ESRCH: its program has ended. */
int cli_target_take(int fd, struct cli_target *target);

void cli_target_close(struct cli_target *target);

/* Has the program ended, as far as can be told? */
bool cli_target_has_ended(const struct cli_target *target);

/* Asks for `kind` and waits for the answer for `wait_ns` at most. Returns 0 when it was done, -ESRCH when the program
 * has ended before, -EPERM when the calls of hooks are out of it (cli/run/idle.h) and cannot be put back, -ETIMEDOUT
 * when it has not come by yet (what was asked stays asked), -EAGAIN when another command waits for its own answer all
 * that time, -ENODATA when the recording was cut off, or what the program refused it with. Gives no message. */
int cli_target_ask(const struct cli_target *target, enum fmt_request kind, uint64_t wait_ns);

/* Locks the program against who asks; false when somebody does. Then nobody asks until it is unlocked. */
bool cli_target_try_lock(const struct cli_target *target);
void cli_target_unlock(const struct cli_target *target);

#endif
