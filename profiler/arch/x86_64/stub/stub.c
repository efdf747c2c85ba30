/*
 * Stubs on x86-64.
 */
#include "profiler/arch/x86_64/stub/stub.h"

#include "format/sled.h"
#include "profiler/arch/x86_64/stub/code_writer.h"

#define TRAP 0xccu

static void fill(struct prof_code_writer *w)
{
  while (w->next < w->end)
    prof_code_byte(w, TRAP);
}

void prof_stub_write(uint8_t *place, const struct prof_site_link **link, unsigned flags)
{
  struct prof_code_writer w = {.next = place, .end = place + PROF_STUB_SIZE};
  if (!(flags & FMT_SLED_FREE))
    PROF_CODE_STORE(&w, PROF_R11, PROF_RSP, prof_code_saved(PROF_R11));
  PROF_CODE(&w, 0x4c, 0x8b, 0x1d); /* mov r11, [rip + distance] */
  uint8_t *distance = w.next;
  prof_code_word(&w, 0);
  prof_code_patch(distance, (const uint8_t *)link);
  PROF_CODE(&w, 0x41, 0xff, 0x23); /* jmp [r11] */
  fill(&w);
}

void prof_stub_write_jump(uint8_t *place, const uintptr_t *target)
{
  struct prof_code_writer w = {.next = place, .end = place + PROF_STUB_SIZE};
  prof_code_patch(prof_code_jump_by(&w), (const uint8_t *)target);
  fill(&w);
}
