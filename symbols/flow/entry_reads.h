/*
 * What of the things that a caller passes a function's code reads, as far as that is certain.
 *
 * A compiler that knows a function's code need not pass what it never looks at, and what is in the place of it then is
 * anything. Debug information does not tell: it names what the function makes of the parameter, or a home in the frame
 * into which something else is stored. The code does: from the function's first instruction on, some way leads to one
 * that reads the place, and none before it on that way writes there. Instructions that are not known write everything,
 * and what a call passes on is not read, on the stack neither, where what is called does not read it.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_ENTRY_READS_H
#define CALLSIG_SYMBOLS_FLOW_ENTRY_READS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf/hook.h"

enum { SYM_ENTRY_WORDS = 64 /* of the stack's arguments; those behind count as one, the last, and as never written */ };

/* Places in which arguments are passed. */
struct sym_entry_places {
  uint64_t registers; /* a bit for each DWARF number */
  uint64_t words;     /* a bit for each 8 bytes from the canonical frame address up */
};

/* The bits of the words that hold any of the `size` bytes `offset` bytes from the canonical frame address. */
uint64_t sym_entry_words(int64_t offset, uint64_t size);

/* Which of the places `asked` the code from `low`, where a function begins, to `high` reads, or takes the address of.
 */
struct sym_entry_places sym_entry_reads(const struct sym_hook *hook, uint64_t low, uint64_t high,
                                        struct sym_entry_places asked);

/* How many bytes the canonical frame address lies above the stack pointer once the code from `low` on, where a
 * function's own begins, to `high` has made its frame, where that comes first; else -1. */
int64_t sym_entry_depth(const struct sym_hook *hook, uint64_t low, uint64_t high);

#endif
