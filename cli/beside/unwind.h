/*
 * Frames of code that is not profiled, walked outwards by the call frame information of its files (.eh_frame).
 *
 * A stack is what a sample has of it: so many words from its top. A frame that is larger than that ends the walk, as
 * does code of no file or without such information. Files are opened when a sample is first met in them, and read no
 * further than that.
 */
#ifndef CALLSIG_CLI_BESIDE_UNWIND_H
#define CALLSIG_CLI_BESIDE_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strings.h"
#include "base/vector.h"
#include "cli/beside/code_map.h"
#include "symbols/base/addressmap.h"

/* Those that functions give back as they got them: DWARF's numbers. */
#define CLI_UNWIND_REGISTERS 16u

struct cli_registers {
  uint64_t address;                      /* of the instruction */
  uint64_t values[CLI_UNWIND_REGISTERS]; /* by DWARF number */
  uint32_t known;                        /* a bit for each that is */
  bool is_caller;                        /* the address is that which a call returns to */
};

/* So much of its stack tells who called what a thread is in: libraries that keep a stack of their own in a frame (a
 * matcher of regular expressions) fill some thousand bytes. */
#define CLI_STACK_SIZE 8192u

/* What lies on the top of a stack. */
struct cli_stack {
  uint64_t start; /* address of the first word */
  const uint64_t *words;
  uint64_t count;
};

struct cli_unwinder {
  struct base_vector files;       /* struct file of unwind.c */
  struct base_vector rules;       /* struct sym_frame */
  struct sym_address_map file_of; /* by module (string) */
  struct sym_address_map rule_of; /* by address in the process */
};

void cli_unwinder_init(struct cli_unwinder *unwinder);

/* Goes from the frame of the registers to that of its caller, whose address is then that which the call returns to.
 * False where that is not known, or memory is short; the registers are of no frame then. */
bool cli_unwind(struct cli_unwinder *unwinder, const struct cli_code_map *map, const struct base_strings *strings,
                const struct cli_stack *stack, struct cli_registers *registers);

/* The code is mapped anew. */
void cli_unwinder_clear(struct cli_unwinder *unwinder);
void cli_unwinder_free(struct cli_unwinder *unwinder);

#endif
