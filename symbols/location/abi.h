/*
 * Where the caller puts a function's arguments, by the ABI: what is there at the function's first instruction.
 *
 * DWARF does not tell it where a compiler writes a parameter to its home at once and describes that home alone, as at
 * -O0. The ABI may be asked only of a function that still has the interface of its source. gcc changes an interface
 * only by making a clone, whose symbol says so; clang also changes local functions in place, and then leaves what it
 * has removed without a location. What DWARF does tell is held against the ABI: where they differ in one parameter, the
 * ABI is asked for none.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_ABI_H
#define CALLSIG_SYMBOLS_LOCATION_ABI_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf/symboltable.h"
#include "symbols/location/location.h"

enum { SYM_ABI_PARAMETERS_MAX = 64 /* those after it are not looked up */ };

enum sym_abi_place_kind {
  SYM_ABI_NOWHERE, /* not known, or nothing is passed */
  SYM_ABI_IN_REGISTERS,
  SYM_ABI_ON_STACK,
};

/* Where one parameter is passed. */
struct sym_abi_place {
  Dwarf_Die parameter;  /* of the declaring function */
  uint8_t kind;         /* enum sym_abi_place_kind */
  bool is_reference;    /* what is passed is the address of the value */
  bool is_kept;         /* the instance keeps it later, by DWARF: it is passed */
  bool is_converted;    /* what is passed is of another type: a float of a function without prototype */
  uint8_t word_count;   /* SYM_ABI_IN_REGISTERS */
  uint8_t registers[2]; /* DWARF numbers; SYM_XMM0 and up: the low 8 bytes of that register */
  uint32_t size;        /* bytes of the value */
  int64_t offset;       /* SYM_ABI_ON_STACK: from the canonical frame address */
};

struct sym_abi {
  struct sym_abi_place places[SYM_ABI_PARAMETERS_MAX];
  unsigned count;
  bool tells_kept;    /* may be asked of parameters that the instance keeps later */
  bool tells_missing; /* and of those of which DWARF says nothing */
};

/* Fills `abi` for the out-of-line subprogram `instance`, whose code begins with a sled that `context` is of.
 * context->abi is not used. `symbol` is the function's, or NULL. `is_gnu`: gcc compiled it. */
void sym_abi_of(const struct sym_location_context *context, Dwarf_Die *instance, const struct sym_symbol *symbol,
                bool is_gnu, struct sym_abi *abi);

/* Settles what DWARF says at a sled of the `size` bytes that begin `offset` bytes into a parameter by what the ABI
 * says: replaces what is lost, and loses what the caller cannot have written. */
void sym_abi_settle(const struct sym_location_context *context, Dwarf_Die *parameter, int64_t offset, uint64_t size,
                    struct sym_location *location);

#endif
