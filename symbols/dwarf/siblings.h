/*
 * The DIE behind another one, also where a producer does not say where that is.
 *
 * libdw finds it by DW_AT_sibling. clang writes none, so that libdw reads every DIE inside of the one that is passed
 * over, each attribute by its form. What lies between the attributes' ends is known by their abbreviation: this keeps
 * it for each abbreviation of a unit, and passes over the same DIEs in a third of the instructions.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_SIBLINGS_H
#define CALLSIG_SYMBOLS_DWARF_SIBLINGS_H

#include <elfutils/libdw.h>

/* What is known of the units that DIEs were passed over in. Zero-initialise; not thread-safe. */
struct sym_siblings {
  struct sym_sibling_unit *units; /* the one that was used last first */
};

/* As dwarf_siblingof(): 0 and `next`, which may be `die`, or 1 when it is the last one, or -1. Where memory is short,
 * or a form is not known, libdw is asked. */
int sym_siblings_next(struct sym_siblings *siblings, Dwarf_Die *die, Dwarf_Die *next);

void sym_siblings_free(struct sym_siblings *siblings);

#endif
