/* What attaching needs of a processor: its registers, how a function is called, and how the kernel is. */
#ifndef CALLSIG_CLI_ATTACH_ARCH_PROCESSOR_H
#define CALLSIG_CLI_ATTACH_ARCH_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CLI_CALL_ARGUMENTS 6

/* All registers of a thread. */
struct cli_registers {
  unsigned char general[512];
  size_t general_size;
  unsigned char *vector; /* owned */
  size_t vector_size;
};

/* Where a stopped thread is. */
struct cli_place {
  uint64_t pc, sp;
  long call;     /* the system call that it is in, or -1 */
  long argument; /* the second one of it: what a futex is asked for */
  long result;   /* what that returns, or the function that it came back from */
};

/* Is there code for this processor? The other functions are then not called. */
bool cli_arch_is_known(void);

/* Keeps the registers of a stopped thread. Returns 0 or a negative errno; release them in either case. */
int cli_arch_save(pid_t thread, struct cli_registers *registers);
void cli_arch_release(struct cli_registers *registers);

/* Puts them back; the thread is in a stop of PTRACE_INTERRUPT, so that the kernel starts the system call again that was
 * interrupted. `again`: also one that it does not start again by itself. Returns 0 or a negative errno. */
int cli_arch_restore(pid_t thread, const struct cli_registers *registers, bool again);

/* The thread is in a system call that returns EINTR, where no handler of a signal ran. */
bool cli_arch_is_cut(const struct cli_registers *registers);

int cli_arch_look(pid_t thread, struct cli_place *place);

/* Has the thread, whose registers were kept, call `function` when it goes on, with its stack below `sp`, which is below
 * all that lies there. The function returns to `back`. Returns 0 or a negative errno. */
int cli_arch_call(pid_t thread, const struct cli_registers *registers, uint64_t function, uint64_t back, uint64_t sp,
                  const uint64_t arguments[CLI_CALL_ARGUMENTS]);

/* The stack pointer with which a function comes back that was called so. */
uint64_t cli_arch_sp_after(uint64_t sp);

/* The same of a system call, by the instruction at `instruction`. */
int cli_arch_system_call(pid_t thread, const struct cli_registers *registers, uint64_t instruction, long number,
                         const uint64_t arguments[CLI_CALL_ARGUMENTS]);

/* Has the kernel not do the system call that the thread stopped at the entry of. */
int cli_arch_skip_system_call(pid_t thread);

/* How many bytes below the stack pointer are the function's that runs. */
#define CLI_ARCH_RED_ZONE 128u

/* Where, in `size` bytes of machine code, the instruction of a system call is; -1: nowhere. */
long cli_arch_find_system_call(const unsigned char *code, size_t size);

/* What lies behind that instruction: its length. */
#define CLI_ARCH_SYSTEM_CALL_SIZE 2u

#endif
