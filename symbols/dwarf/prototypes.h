/*
 * What a module's units declare functions of other modules to be.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_PROTOTYPES_H
#define CALLSIG_SYMBOLS_DWARF_PROTOTYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct sym_prototype {
  const char *symbol; /* as the code refers to it: of C++ the mangled name; borrowed */
  Dwarf_Die die;      /* the first declaration with a prototype, valid when is_known */
  bool is_known;
};

/* Looks up each of `count` prototypes, which are ascending by symbol, in all units of `dwarf` (NULL: none is known). */
void sym_prototypes_find(Dwarf *dwarf, struct sym_prototype *prototypes, size_t count);

#endif
