/*
 * Stubs on x86-64: a jump through a word.
 */
#include "profiler/arch/x86_64/stub/stub.h"

void prof_stub_write(uint8_t *place, const uintptr_t *target)
{
  /* jmp [rip + distance], and two bytes that trap */
  uint8_t code[PROF_STUB_SIZE] = {0xff, 0x25, 0, 0, 0, 0, 0xcc, 0xcc};
  uint32_t distance = (uint32_t)((uintptr_t)target - ((uintptr_t)place + 6));
  for (unsigned i = 0; i < 4; i++)
    code[2 + i] = (uint8_t)(distance >> 8 * i);
  for (unsigned i = 0; i < sizeof code; i++)
    place[i] = code[i];
}
