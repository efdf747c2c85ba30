/*
 * Stubs on x86-64: jumps to the hooks of sleds.
 */
#include "profiler/arch/x86_64/stub/stub.h"

#include "profiler/hook/sled_hooks.h"

#define STUB_SIZE 32u

static size_t write_jump(uint8_t *target, uintptr_t function, void (*hook)(void))
{
  struct prof_stub *stub = (struct prof_stub *)target;
  stub->function = function;
  stub->hook = (uintptr_t)hook;
  uint8_t *code = (uint8_t *)(stub + 1);
  /* jmp [rip - 14]: the word before the code */
  static const uint8_t jump[] = {0xff, 0x25, 0xf2, 0xff, 0xff, 0xff};
  for (unsigned i = 0; i < sizeof jump; i++)
    code[i] = jump[i];
  return STUB_SIZE;
}

size_t prof_stub_bound(const struct prof_module *module, uint32_t site)
{
  (void)module;
  (void)site;
  return STUB_SIZE;
}

size_t prof_stub_write(uint8_t *target, const struct prof_module *module, const struct fmt_index_sled *sled)
{
  return write_jump(target, sled->function + module->bias, prof_sled_enter);
}

size_t prof_stub_write_exit(uint8_t *target)
{
  return write_jump(target, 0, prof_sled_exit);
}
