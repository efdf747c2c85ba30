/*
 * The source file that declares something.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_DECLFILE_H
#define CALLSIG_SYMBOLS_DWARF_DECLFILE_H

#include <elfutils/libdw.h>

#define SYM_FILE_MAX 4096u /* of names that the header of a line table gives */

/* The file of DW_AT_decl_file as DWARF spells it, found through abstract origins; NULL when unknown. It lies in `path`,
 * or is libdw's. libdw's own dwarf_decl_file() ends the process on units of split DWARF whose lines are read before
 * their files. */
const char *sym_decl_file(Dwarf_Die *die, char path[SYM_FILE_MAX]);

/* The same of DW_AT_call_file: where a function was inlined. */
const char *sym_call_file(Dwarf_Die *die, char path[SYM_FILE_MAX]);

#endif
