/*
 * Whether a C++ class is copied as its bytes, where the debug information does not say how it is passed (gcc does not).
 */
#ifndef CALLSIG_SYMBOLS_DWARF_TRIVIALITY_H
#define CALLSIG_SYMBOLS_DWARF_TRIVIALITY_H

#include <elfutils/libdw.h>

enum sym_triviality {
  SYM_COPY_TRIVIAL,
  SYM_COPY_BY_CODE, /* a copy or move constructor or a destructor of its own, of a base or of a member; or virtual */
  SYM_COPY_UNKNOWN,
};

/* Of a class, struct or union, typedefs and qualifiers removed. */
enum sym_triviality sym_copy_of(Dwarf_Die *type);

#endif
