/*
 * Units, and what of them lies in files of their own (-gsplit-dwarf).
 */
#ifndef CALLSIG_SYMBOLS_DWARF_SPLIT_UNITS_H
#define CALLSIG_SYMBOLS_DWARF_SPLIT_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

struct sym_unit {
  Dwarf_CU *cu;      /* NULL: before the first */
  Dwarf_Die die;     /* in the file itself */
  Dwarf_Die content; /* what it holds: of a skeleton that in its .dwo file, else, or where that is lacking, `die` */
  bool is_lacking;   /* the .dwo file is not found, cannot be read, or is of another build */
};

/* Goes on to the next unit: *unit is {0} before the first. False: there are no more, or `dwarf` is NULL. What stands in
 * a .dwo file's place and is no file is not opened. Not thread-safe. */
bool sym_unit_next(Dwarf *dwarf, struct sym_unit *unit);

/* How many units are lacking. Where `path` is not NULL, *path is where the compiler wrote the first one's file, from
 * malloc(); NULL where there is none, it does not say, or memory is short. Not thread-safe. */
unsigned sym_split_units_missing(Dwarf *dwarf, char **path);

#endif
