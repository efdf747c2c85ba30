/*
 * Stubs on x86-64.
 */
#include "profiler/arch/x86_64/stub/stub.h"

#include "profiler/hook/asm_offsets.h"

#define SAVED_R11 (256 - PROF_R_SIZE + 8 * 11) /* a displacement of one byte from the stack pointer */

static void write_stub(uint8_t *place, uint8_t code[PROF_STUB_SIZE], unsigned distance_at, const void *word)
{
  uint32_t distance = (uint32_t)((uintptr_t)word - ((uintptr_t)place + distance_at + 4));
  for (unsigned i = 0; i < 4; i++)
    code[distance_at + i] = (uint8_t)(distance >> 8 * i);
  for (unsigned i = 0; i < PROF_STUB_SIZE; i++)
    place[i] = code[i];
}

void prof_stub_write(uint8_t *place, const struct prof_site_link **link)
{
  /* mov [rsp + saved r11], r11; mov r11, [rip + distance]; jmp [r11]; and a byte that traps */
  uint8_t code[PROF_STUB_SIZE] = {0x4c, 0x89, 0x5c, 0x24, SAVED_R11, 0x4c, 0x8b, 0x1d,
                                  0,    0,    0,    0,    0x41,      0xff, 0x23, 0xcc};
  write_stub(place, code, 8, link);
}

void prof_stub_write_jump(uint8_t *place, const uintptr_t *target)
{
  /* jmp [rip + distance], and bytes that trap */
  uint8_t code[PROF_STUB_SIZE] = {0xff, 0x25, 0, 0, 0, 0, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc};
  write_stub(place, code, 2, target);
}
