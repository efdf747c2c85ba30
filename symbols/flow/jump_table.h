/*
 * Tables of jumps, as compilers make of a switch: where one is, and how long, follows from the instructions that lead
 * to its jump.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_JUMP_TABLE_H
#define CALLSIG_SYMBOLS_FLOW_JUMP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf/hook.h"
#include "symbols/flow/operands.h"
#include "symbols/flow/step.h"

enum { SYM_JUMPS_MOST = 1024 };

/* What is known on one way. Zero-initialise. Registers are bits, and numbers, of the machine. */
struct sym_switch {
  uint16_t compared, bounded;  /* registers of which the last instruction, or a jump since, knows a bound: */
  uint64_t limit, count;       /* they are below it */
  uint64_t addresses[16];      /* what `lea` put into each; 0: not known */
  uint16_t entry;              /* the register that holds an entry of `table`, or where that leads */
  uint64_t table, table_count; /* of `entry`: where it was read from */
  bool is_target;              /* the table's address was added to `entry` */
};

struct sym_jump_table {
  uint64_t at;
  uint32_t count;
  const uint8_t *entries; /* its bytes, of the module's file */
  bool is_absolute;       /* entries of 8 bytes; else distances from the table, of 4 */
};

/* Goes on past an instruction that lies at `at`. */
void sym_switch_step(struct sym_switch *known, uint64_t at, const struct sym_step *step,
                     const struct sym_operands *operands);

/* What is known behind a conditional jump, where it was taken and where not. */
struct sym_switch sym_switch_behind(const struct sym_switch *known, const struct sym_step *jump, bool is_taken);

/* Whether the indirect jump `step` goes by a table of which all is known: each entry lies in memory that nothing
 * writes, and leads to somewhere from `low` to before `high`. */
bool sym_switch_table(const struct sym_hook *hook, const struct sym_switch *known, const struct sym_step *step,
                      uint64_t low, uint64_t high, struct sym_jump_table *table);

/* Where entry number `i`, of `count`, leads. */
uint64_t sym_jump_table_target(const struct sym_jump_table *table, uint32_t i);

#endif
