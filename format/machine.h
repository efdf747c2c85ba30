/*
 * The machines whose programs an index may be of, and how DWARF numbers their registers.
 */
#ifndef CALLSIG_FORMAT_MACHINE_H
#define CALLSIG_FORMAT_MACHINE_H

#include <stdint.h>

#define FMT_MACHINE_AARCH64 183u /* EM_AARCH64 */

#define FMT_REGISTERS_MAX 32u /* of any machine */

struct fmt_machine {
  uint8_t registers; /* general ones, numbered from 0; as many vector registers may be captured */
  uint8_t stack_pointer;
};

/* What holds for the machine of an ELF file (e_machine): x86-64 unless another is known. */
static inline struct fmt_machine fmt_machine_of(uint32_t machine)
{
  return machine == FMT_MACHINE_AARCH64 ? (struct fmt_machine){32, 31} : (struct fmt_machine){16, 7};
}

#endif
