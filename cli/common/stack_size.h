/* The stacks of a command and of its threads, beside the limit on their size (RLIMIT_STACK), which a profiled program
 * inherits and which therefore stays as it is. */
#ifndef CALLSIG_CLI_COMMON_STACK_SIZE_H
#define CALLSIG_CLI_COMMON_STACK_SIZE_H

/* Gives threads that begin from now on enough stack, whatever the limit is. Once, when the command begins. 0, or -1
 * after a message where the limit leaves the command itself too little. */
int cli_stack_size_prepare(void);

#endif
