/*
 * What a module's units declare functions of other modules to be, and functions of its own whose code they do not
 * describe.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_PROTOTYPES_H
#define CALLSIG_SYMBOLS_DWARF_PROTOTYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sym_prototype {
  const char *symbol; /* as the code refers to it: of C++ the mangled name; borrowed */
  Dwarf_Die die;      /* the first declaration with a prototype, valid when is_known */
  uint64_t code;      /* of a bare definition: only the unit counts whose code holds this address; 0: any does */
  bool is_known;
};

/* Looks up each of `count` prototypes, which are ascending by symbol, in all units of `dwarf` (NULL: none is known). */
void sym_prototypes_find(Dwarf *dwarf, struct sym_prototype *prototypes, size_t count);

/* The same of functions that are defined here, but of which no code is described. Several may have one symbol. */
void sym_bare_definitions_find(Dwarf *dwarf, struct sym_prototype *prototypes, size_t count);

#endif
