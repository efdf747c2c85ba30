/* Registers and calls of x86-64, by the calling convention of System V. */
#include "cli/attach/arch/x86_64.h"
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
  struct user_regs_struct general = x86_general_of(registers);
  return (long)general.orig_rax >= 0 && (long)general.rax == -EINTR;
}

int cli_arch_restore(pid_t thread, const struct cli_registers *registers, bool again)
{
  struct user_regs_struct general = x86_general_of(registers);
  struct iovec part = {registers->vector, registers->vector_size};
  if (again)
    x86_call_again(&general, (long)general.orig_rax);
  /* The general ones last: until then the thread would go on by its frame, which has them all. */
  int error = ptrace(PTRACE_SETREGSET, thread, NT_X86_XSTATE, &part) != 0 ? -errno : 0;
  int set = set_general(thread, &general);
  return error < 0 ? error : set;
}

int cli_arch_look(pid_t thread, struct cli_place *place)
{
  struct user_regs_struct general = {0};
  int error = get_general(thread, &general);
  if (error == 0)
    *place =
        (struct cli_place){.pc = general.rip,
                           .sp = general.rsp,
                           .call = (long)general.orig_rax,
                           .arguments = {general.rdi, general.rsi, general.rdx, general.r10, general.r8, general.r9},
                           .result = (long)general.rax};
  return error;
}

/* The registers of a thread that begins something else: in no system call, which the kernel would start again. */
static struct user_regs_struct begin(const struct cli_registers *registers, uint64_t pc, uint64_t sp)
{
  struct user_regs_struct general = x86_general_of(registers);
  general.orig_rax = (unsigned long long)-1;
  general.eflags &= ~(unsigned long long)DIRECTION_FLAG;
  general.rip = pc;
  general.rsp = sp;
  return general;
}

int cli_arch_call(pid_t thread, const struct cli_registers *registers, uint64_t code, uint64_t call)
{
  struct user_regs_struct general = begin(registers, code, call);
  general.rbx = call;
  return set_general(thread, &general);
}

int cli_arch_system_call(pid_t thread, const struct cli_registers *registers, const struct cli_places *places,
                         uint64_t frame, long number, const uint64_t arguments[CLI_CALL_ARGUMENTS])
{
  struct user_regs_struct general = begin(registers, places->system_call, frame);
  general.rdi = arguments[0];
  general.rsi = arguments[1];
  general.rdx = arguments[2];
  general.r10 = arguments[3];
  general.r8 = arguments[4];
  general.r9 = arguments[5];
  general.rax = (unsigned long long)number;
  return set_general(thread, &general);
}

int cli_arch_go_back(pid_t thread, const struct cli_registers *registers, const struct cli_places *places,
                     uint64_t frame)
{
  struct user_regs_struct general = begin(registers, places->system_call + X86_SYSTEM_CALL_SIZE, frame);
  return set_general(thread, &general);
}
