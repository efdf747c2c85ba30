/*
 * Finds what is known of an ELF file's processor.
 */
#include "symbols/processor/processor.h"

const struct sym_processor *sym_processor_of(uint16_t machine)
{
  static const struct sym_processor *const all[] = {&sym_x86_64, &sym_aarch64};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]->machine == machine)
      return all[i];
  return NULL;
}
