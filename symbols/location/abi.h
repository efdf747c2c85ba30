/*
 * Where the caller puts a function's arguments, by the ABI: what is there at the function's first instruction.
 *
 * DWARF does not tell it where a compiler writes a parameter to its home at once and describes that home alone, as at
 * -O0. Of which functions and parameters the ABI may be asked, abi_evidence.h decides.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_ABI_H
#define CALLSIG_SYMBOLS_LOCATION_ABI_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

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
  bool is_home;         /* SYM_ABI_ON_STACK: DWARF tells that it stays there, by the frame of the function's body */
  bool is_doubtful;     /* DWARF tells another place */
  bool is_converted;    /* what is passed is of another type: a float of a function without prototype */
  bool is_object;       /* a structure, union or array */
  bool is_out_of_order; /* nor can it be passed where DWARF tells it on entry, if another parameter is: one of them is
                           set to the other at once */
  uint8_t unread;       /* of its registers, a bit for each of which that is so: is_unread is all of them */
  bool is_unread;       /* the function's code reads nothing there, and clang's callers need not pass it */
  uint8_t word_count;   /* SYM_ABI_IN_REGISTERS */
  uint8_t told;         /* the argument register that DWARF tells on entry, DWARF number; 0: none */
  uint8_t registers[2]; /* DWARF numbers; SYM_XMM0 and up: the low 8 bytes of that register */
  uint32_t size;        /* bytes of the value */
  int64_t offset;       /* SYM_ABI_ON_STACK: from the canonical frame address */
};

struct sym_abi {
  struct sym_abi_place places[SYM_ABI_PARAMETERS_MAX];
  unsigned count;
  unsigned integers; /* general registers in which arguments, and the address of the result, are passed */
  bool is_whole;     /* all of them are known, and so are all places */
  bool is_read; /* of clang's: it does not optimise, or the function's code reads all registers in which arguments are
                   passed */
  bool tells_kept;    /* may be asked of parameters that the instance keeps later */
  bool is_certain;    /* the interface is the source's: what DWARF says otherwise is wrong (gcc names registers that the
                         first instructions fill) or the function is of another ABI, and the value is lost */
  bool tells_missing; /* and of those of which DWARF says nothing */
  bool tells_made;    /* and of those of which it tells a computation or a constant */
  bool tells_own;     /* and of those of which it tells a computation from the very register of their place */
  uint64_t shared;    /* of a clone of gcc's: registers (DWARF numbers) that several parameters are told to be in */
  bool is_untold;     /* a clone of which DWARF does not tell where it finds what it is passed */
  bool may_be_unpassed; /* what the function does not use its callers need not pass: clang, and clones whose debug
                           information does not tell what these were passed */
};

/* Fills the places of the out-of-line subprogram `instance`; what it may be asked for is not decided. `is_gnu`: gcc
 * compiled it. */
void sym_abi_assign(Dwarf_Die *instance, bool is_gnu, struct sym_abi *abi);

/* The place of a parameter of any instance, or NULL. */
struct sym_abi_place *sym_abi_place_of(struct sym_abi *abi, Dwarf_Die *parameter);

/* Whether a value is computed from the register alone in which the parameter is passed. */
bool sym_abi_is_made_of(const struct sym_abi_place *place, const struct sym_location *location);

/* The register that the whole of a location is, as a bit; 0: it is something else. */
uint64_t sym_abi_register_of(const struct sym_location *location);

/* Settles what DWARF says at a sled of the `size` bytes that begin `offset` bytes into a parameter by what the ABI
 * says: replaces what is lost, and loses what the caller cannot have written. */
void sym_abi_settle(const struct sym_location_context *context, Dwarf_Die *parameter, int64_t offset, uint64_t size,
                    struct sym_location *location);

#endif
