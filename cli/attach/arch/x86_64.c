/* Registers and calls of x86-64, by the calling convention of System V. */
#include "cli/attach/arch/processor.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#define VECTOR_MOST    65536u /* more than the state of any processor */
#define DIRECTION_FLAG 0x400u

_Static_assert(sizeof(struct user_regs_struct) <= sizeof((struct cli_registers){0}.general), "room for the registers");

bool cli_arch_is_known(void)
{
  return true;
}

static int get_general(pid_t thread, struct user_regs_struct *general)
{
  struct iovec part = {general, sizeof *general};
  return ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &part) != 0 ? -errno : 0;
}

static int set_general(pid_t thread, struct user_regs_struct *general)
{
  struct iovec part = {general, sizeof *general};
  return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &part) != 0 ? -errno : 0;
}

static struct user_regs_struct general_of(const struct cli_registers *registers)
{
  struct user_regs_struct general = {0};
  memcpy(&general, registers->general, sizeof general);
  return general;
}

int cli_arch_save(pid_t thread, struct cli_registers *registers)
{
  struct user_regs_struct general = {0};
  *registers = (struct cli_registers){.vector = malloc(VECTOR_MOST)};
  if (registers->vector == NULL)
    return -ENOMEM;
  int error = get_general(thread, &general);
  if (error < 0)
    return error;
  memcpy(registers->general, &general, sizeof general);
  registers->general_size = sizeof general;
  struct iovec part = {registers->vector, VECTOR_MOST};
  if (ptrace(PTRACE_GETREGSET, thread, NT_X86_XSTATE, &part) != 0)
    return -errno;
  registers->vector_size = part.iov_len;
  return part.iov_len < VECTOR_MOST ? 0 : -E2BIG;
}

void cli_arch_release(struct cli_registers *registers)
{
  free(registers->vector);
  *registers = (struct cli_registers){0};
}

bool cli_arch_is_cut(const struct cli_registers *registers)
{
  struct user_regs_struct general = general_of(registers);
  return (long)general.orig_rax >= 0 && (long)general.rax == -EINTR;
}

int cli_arch_restore(pid_t thread, const struct cli_registers *registers, bool again)
{
  struct user_regs_struct general = general_of(registers);
  struct iovec part = {registers->vector, registers->vector_size};
  if (again) {
    general.rax = general.orig_rax;
    general.rip -= CLI_ARCH_SYSTEM_CALL_SIZE;
    general.orig_rax = (unsigned long long)-1;
  }
  int error = set_general(thread, &general);
  if (ptrace(PTRACE_SETREGSET, thread, NT_X86_XSTATE, &part) != 0 && error == 0)
    error = -errno;
  return error;
}

int cli_arch_look(pid_t thread, struct cli_place *place)
{
  struct user_regs_struct general = {0};
  int error = get_general(thread, &general);
  if (error == 0)
    *place = (struct cli_place){general.rip, general.rsp, (long)general.orig_rax, (long)general.rsi, (long)general.rax};
  return error;
}

/* The registers of a thread that begins something else: in no system call, which the kernel would start again. */
static struct user_regs_struct begin(const struct cli_registers *registers,
                                     const uint64_t arguments[CLI_CALL_ARGUMENTS])
{
  struct user_regs_struct general = general_of(registers);
  general.orig_rax = (unsigned long long)-1;
  general.eflags &= ~(unsigned long long)DIRECTION_FLAG;
  general.rdi = arguments[0];
  general.rsi = arguments[1];
  general.rdx = arguments[2];
  general.r8 = arguments[4];
  general.r9 = arguments[5];
  return general;
}

int cli_arch_call(pid_t thread, const struct cli_registers *registers, uint64_t function, uint64_t back, uint64_t sp,
                  const uint64_t arguments[CLI_CALL_ARGUMENTS])
{
  struct user_regs_struct general = begin(registers, arguments);
  general.rcx = arguments[3];
  general.rax = 0; /* of a function with variable arguments: none in vector registers */
  general.rip = function;
  general.rsp = (sp & ~UINT64_C(15)) - sizeof back;
  return ptrace(PTRACE_POKEDATA, thread, general.rsp, back) != 0 ? -errno : set_general(thread, &general);
}

uint64_t cli_arch_sp_after(uint64_t sp)
{
  return sp & ~UINT64_C(15);
}

int cli_arch_system_call(pid_t thread, const struct cli_registers *registers, uint64_t instruction, long number,
                         const uint64_t arguments[CLI_CALL_ARGUMENTS])
{
  struct user_regs_struct general = begin(registers, arguments);
  general.r10 = arguments[3];
  general.rax = (unsigned long long)number;
  general.rip = instruction;
  return set_general(thread, &general);
}

int cli_arch_skip_system_call(pid_t thread)
{
  struct user_regs_struct general = {0};
  int error = get_general(thread, &general);
  general.orig_rax = (unsigned long long)-1;
  return error < 0 ? error : set_general(thread, &general);
}

long cli_arch_find_system_call(const unsigned char *code, size_t size)
{
  for (size_t i = 0; i + CLI_ARCH_SYSTEM_CALL_SIZE <= size; i++)
    if (code[i] == 0x0f && code[i + 1] == 0x05)
      return (long)i;
  return -1;
}
