/* The threads of a process, those first that are least disturbed by being stopped. */
#ifndef CALLSIG_CLI_ATTACH_THREAD_LIST_H
#define CALLSIG_CLI_ATTACH_THREAD_LIST_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/vector.h"
#include "cli/attach/arch/processor.h"

/* How a thread is likely to be found when it is stopped. */
enum cli_thread_rank {
  CLI_THREAD_WAITS,  /* in a system call that the kernel begins again just as it was */
  CLI_THREAD_RUNS,   /* in code, or nobody knows */
  CLI_THREAD_SLEEPS, /* in a system call with a time, which the kernel goes on with, or would have to begin again */
  CLI_THREAD_BUSY,   /* in one that a function of the C library may make that holds a lock, or that is not known */
};

struct cli_thread {
  pid_t id;
  enum cli_thread_rank rank;
};

/* The rank of a thread that is in system call `number`, with these arguments; -1: in none. */
enum cli_thread_rank cli_thread_rank_of(long number, const unsigned long arguments[CLI_CALL_ARGUMENTS]);

/* The system call that the thread is in; -1: none, or it cannot be told. */
long cli_thread_call(pid_t process, pid_t thread);

/* Lists the process's threads, by rank. `threads` is of struct cli_thread, and the caller's to free. Returns 0 or a
 * negative errno. */
int cli_thread_list(pid_t process, struct base_vector *threads);

#endif
