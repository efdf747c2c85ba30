/*
 * Spill slots: the places of a function's frame where the compiler keeps a value for which it has no register.
 *
 * clang 14 describes a number that is computed from a spilled register, as `breg7 RSP+64, convert, stack_value`,
 * without the load from the slot (issue 51046 of llvm-project is of the same kind). By its letter
 * that is an address in the frame, which a number is not. Whether a slot is a spill, so that the load is what was left
 * out, is read off the function's code: the slot is written by whole moves of one size, nowhere does the code form its
 * address or index from it, and no variable of the function has its home there. An object whose address a program turns
 * into a number passes none of that.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_SPILL_H
#define CALLSIG_SYMBOLS_FLOW_SPILL_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "symbols/elf/debugfile.h"
#include "symbols/elf/frame.h"
#include "symbols/elf/hook.h"

/* What is known of the frame of the function that was asked for last. */
struct sym_spills {
  const struct sym_debugfile *file; /* borrowed, as is the next */
  const struct sym_hook *hook;
  const void *function; /* the DIE's address in its section; NULL: none was asked for */
  int error;            /* -ENOMEM; -ENOTSUP: its code cannot be followed */
  struct base_vector uses, homes;
};

/* The register that a function's frame base, and so DW_OP_fbreg, is told from; -1: it is another expression. */
int sym_frame_register(Dwarf_Die *function);

/* Begins with nothing asked for. `file` and `hook` are borrowed. sym_spills_free() frees what was noted. */
void sym_spills_init(struct sym_spills *spills, const struct sym_debugfile *file, const struct sym_hook *hook);
void sym_spills_free(struct sym_spills *spills);

/* How many bytes the slot at what register `base` (DWARF number) holds plus `offset` has, where the out-of-line
 * function `physical` has the frame `frame`: 4 or 8, or 0 when it is not known to be a spill. Out of memory, it is not
 * known either, and spills->error says so. */
uint8_t sym_spill_size(struct sym_spills *spills, const Dwarf_Die *physical, const struct sym_frame *frame,
                       unsigned base, int64_t offset);

/* Whether the function's code may have the address of that slot: it forms it, or indexes from there, or is not known.
 * No spill's is formed. */
bool sym_spill_is_named(struct sym_spills *spills, const Dwarf_Die *physical, const struct sym_frame *frame,
                        unsigned base, int64_t offset);

#endif
