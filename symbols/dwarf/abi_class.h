/*
 * How the x86-64 System V ABI passes a value of a type: in which kinds of registers, or in memory.
 *
 * "System V Application Binary Interface, AMD64 Architecture Processor Supplement", 3.2.3, and what gcc and clang make
 * of it. What the debug information does not settle is unknown, not guessed.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_ABI_CLASS_H
#define CALLSIG_SYMBOLS_DWARF_ABI_CLASS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* The class of an eightbyte. */
enum sym_abi_class {
  SYM_ABI_NONE, /* nothing is there */
  SYM_ABI_INTEGER,
  SYM_ABI_SSE,
  SYM_ABI_SSEUP, /* the upper half of the register before it */
  SYM_ABI_X87,
};

enum sym_abi_way {
  SYM_ABI_UNKNOWN,
  SYM_ABI_WORDS,     /* by its eightbytes, in registers while there are enough */
  SYM_ABI_MEMORY,    /* on the stack; a result of this kind is written where a hidden argument says */
  SYM_ABI_X87_STACK, /* as an argument on the stack, as a result in floating-point registers */
  SYM_ABI_REFERENCE, /* by a pointer to it (C++ classes that are not trivially copied) */
};

struct sym_abi_type {
  enum sym_abi_way way;
  enum sym_abi_class words[2];
  uint32_t size;  /* bytes */
  uint32_t align; /* bytes */
};

/* The type's way, typedefs and qualifiers removed. `is_gnu`: gcc compiled the unit. */
void sym_abi_classify(Dwarf_Die *type, bool is_gnu, struct sym_abi_type *way);

#endif
