/*
 * Machine code that stands in the slot of an imported function.
 */
#include "profiler/arch/x86_64/stub/code_writer.h"
#include "profiler/arch/x86_64/stub/stub.h"

void prof_library_stub_write(uint8_t *place, const struct prof_library_call *call, const uintptr_t *hook)
{
  struct prof_code_writer writer = {.next = place, .end = place + PROF_STUB_SIZE}, *w = &writer;
  PROF_CODE(w, 0x4c, 0x8d, 0x1d); /* lea r11, [rip + distance] */
  uint8_t *distance = w->next;
  prof_code_word(w, 0);
  prof_code_patch(distance, (const uint8_t *)call);
  prof_code_patch(prof_code_jump_by(w), (const uint8_t *)hook);
}
