/*
 * Names of source files out of the header of a unit's line table.
 *
 * libdw reads the whole table when it is asked for one name (dwarf_getsrcfiles() of elfutils 0.188): hundreds of
 * thousands of rows of a large unit, which who asks whose function a sample is in does not need.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_LINE_HEADER_H
#define CALLSIG_SYMBOLS_DWARF_LINE_HEADER_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of file `number` of the unit (a compile unit's DIE), as dwarf_filesrc() gives it, into `path`. False for
 * what this does not read: a table in another file, a form that is unknown here, a name that does not fit. */
bool sym_line_header_file(Dwarf_Die *unit, uint64_t number, char *path, size_t size);

#endif
