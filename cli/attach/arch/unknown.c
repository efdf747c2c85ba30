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

void cli_arch_find(const unsigned char *code, size_t size, uint64_t address, struct cli_places *places)
{
  (void)code, (void)size, (void)address, (void)places;
}

int cli_arch_make_frame(const struct cli_registers *registers, uint64_t mask, bool again,
                        const struct cli_places *places, uint64_t sp, struct cli_frame *frame)
{
  (void)registers, (void)mask, (void)again, (void)places, (void)sp;
  *frame = (struct cli_frame){0};
  return -ENOTSUP;
}

const unsigned char cli_arch_code[1], cli_arch_code_end[1];

int cli_arch_call(pid_t thread, const struct cli_registers *registers, uint64_t code, uint64_t call)
{
  (void)thread, (void)registers, (void)code, (void)call;
  return -ENOTSUP;
}

int cli_arch_system_call(pid_t thread, const struct cli_registers *registers, const struct cli_places *places,
                         uint64_t frame, long number, const uint64_t arguments[CLI_CALL_ARGUMENTS])
{
  (void)thread, (void)registers, (void)places, (void)frame, (void)number, (void)arguments;
  return -ENOTSUP;
}

int cli_arch_go_back(pid_t thread, const struct cli_registers *registers, const struct cli_places *places,
                     uint64_t frame)
{
  (void)thread, (void)registers, (void)places, (void)frame;
  return -ENOTSUP;
}

bool cli_arch_is_back(const struct cli_place *place, const struct cli_places *places, uint64_t frame)
{
  (void)place, (void)places, (void)frame;
  return false;
}
