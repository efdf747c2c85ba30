/* What the files about x86-64 share. */
#ifndef CALLSIG_CLI_ATTACH_ARCH_X86_64_H
#define CALLSIG_CLI_ATTACH_ARCH_X86_64_H

#include <string.h>
#include <sys/user.h>

#include "cli/attach/arch/processor.h"

/* Bytes of the instruction of a system call. */
#define X86_SYSTEM_CALL_SIZE 2u

static inline struct user_regs_struct x86_general_of(const struct cli_registers *registers)
{
  struct user_regs_struct general = {0};
  memcpy(&general, registers->general, sizeof general);
  return general;
}

/* Has a thread that comes from a system call begin the one with this number. */
static inline void x86_call_again(struct user_regs_struct *general, long number)
{
  general->rax = (unsigned long long)number;
  general->rip -= X86_SYSTEM_CALL_SIZE;
  general->orig_rax = (unsigned long long)-1;
}

#endif
