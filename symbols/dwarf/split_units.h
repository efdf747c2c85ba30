/*
 * Units whose debug information lies in files of their own (-gsplit-dwarf).
 */
#ifndef CALLSIG_SYMBOLS_DWARF_SPLIT_UNITS_H
#define CALLSIG_SYMBOLS_DWARF_SPLIT_UNITS_H

#include <elfutils/libdw.h>

/* Of how many units the .dwo file cannot be found or read. `*name` is what the first of them says that it is called, as
 * long as `dwarf` is open; NULL where it says nothing. `dwarf` may be NULL. Not thread-safe. */
unsigned sym_split_units_missing(Dwarf *dwarf, const char **name);

#endif
