/* Processors for whose programs there is no attaching. */
#include "cli/attach/arch/processor.h"

#include <errno.h>

bool cli_arch_is_known(void)
{
  return false;
}

int cli_arch_save(pid_t thread, struct cli_registers *registers)
{
  (void)thread;
  *registers = (struct cli_registers){0};
  return -ENOTSUP;
}

void cli_arch_release(struct cli_registers *registers)
{
  (void)registers;
}

int cli_arch_restore(pid_t thread, const struct cli_registers *registers, bool again)
{
  (void)thread, (void)registers, (void)again;
  return -ENOTSUP;
}

bool cli_arch_is_cut(const struct cli_registers *registers)
{
  (void)registers;
  return false;
}

int cli_arch_look(pid_t thread, struct cli_place *place)
{
  (void)thread;
  *place = (struct cli_place){0};
  return -ENOTSUP;
}

int cli_arch_call(pid_t thread, const struct cli_registers *registers, uint64_t function, uint64_t back, uint64_t sp,
                  const uint64_t arguments[CLI_CALL_ARGUMENTS])
{
  (void)thread, (void)registers, (void)function, (void)back, (void)sp, (void)arguments;
  return -ENOTSUP;
}

uint64_t cli_arch_sp_after(uint64_t sp)
{
  return sp;
}

int cli_arch_system_call(pid_t thread, const struct cli_registers *registers, uint64_t instruction, long number,
                         const uint64_t arguments[CLI_CALL_ARGUMENTS])
{
  (void)thread, (void)registers, (void)instruction, (void)number, (void)arguments;
  return -ENOTSUP;
}

int cli_arch_skip_system_call(pid_t thread)
{
  (void)thread;
  return -ENOTSUP;
}

long cli_arch_find_system_call(const unsigned char *code, size_t size)
{
  (void)code, (void)size;
  return -1;
}
