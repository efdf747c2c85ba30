/* What attaching needs of a processor: its registers, how a function is called, and how the kernel is. */
#ifndef CALLSIG_CLI_ATTACH_ARCH_PROCESSOR_H
#define CALLSIG_CLI_ATTACH_ARCH_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of a system call. */
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
  long call; /* the system call that it is in, or -1 */
  unsigned long arguments[CLI_CALL_ARGUMENTS];
  long result; /* what that returns */
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

/* Code that a process has, of its C library: 0 where it is not found. */
struct cli_places {
  uint64_t system_call;    /* makes a system call, and returns */
  uint64_t resume;         /* returns from the handler of a signal, by a system call (rt_sigreturn) */
  uint64_t errno_location; /* the function of that name */
};

/* Looks for the first two, unless *places has them, in `size` bytes of machine code, which lie at `address`. */
void cli_arch_find(const unsigned char *code, size_t size, uint64_t address, struct cli_places *places);

/* What brings a thread back to where it was, without anybody's help: the frame of a signal's handler that runs nowhere.
 * Its bytes are to lie at `address`, below all that the thread has on its stack. */
struct cli_frame {
  uint64_t address;
  unsigned char *bytes; /* owned: free() */
  size_t size;
};

/* Makes the frame of a thread whose registers and mask of signals were kept, at `sp`. `again`: as in
 * cli_arch_restore(). Returns 0 or -ENOMEM. */
int cli_arch_make_frame(const struct cli_registers *registers, uint64_t mask, bool again,
                        const struct cli_places *places, uint64_t sp, struct cli_frame *frame);

/* Machine code that calls a function as struct cli_call says, and then goes on by the frame. */
extern const unsigned char cli_arch_code[], cli_arch_code_end[];

struct cli_call {
  uint64_t function, errno_location; /* whose errno is kept */
  uint64_t arguments[2];
  uint64_t result;
  uint64_t frame;
};

/* Has the thread, whose registers were kept, run that code, which lies at `code`, for the struct cli_call at `call`,
 * with its stack below that. Returns 0 or a negative errno. */
int cli_arch_call(pid_t thread, const struct cli_registers *registers, uint64_t code, uint64_t call);

/* Has it do a system call when it goes on, and then go on by the frame. */
int cli_arch_system_call(pid_t thread, const struct cli_registers *registers, const struct cli_places *places,
                         uint64_t frame, long number, const uint64_t arguments[CLI_CALL_ARGUMENTS]);

/* Has it go on by the frame, whatever it is stopped in: a system call at whose entry it is, is not done. */
int cli_arch_go_back(pid_t thread, const struct cli_registers *registers, const struct cli_places *places,
                     uint64_t frame);

/* Is the thread, stopped at the entry of a system call, about to go on by the frame? */
bool cli_arch_is_back(const struct cli_place *place, const struct cli_places *places, uint64_t frame);

#endif
