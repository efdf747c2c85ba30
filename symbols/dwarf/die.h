/*
 * Questions that one debugging information entry answers by itself: its type, its root, its language.
 *
 * Nothing here keeps anything; the DIEs belong to libdw and are read only.
 */
#ifndef CALLSIG_SYMBOLS_DWARF_DIE_H
#define CALLSIG_SYMBOLS_DWARF_DIE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* The declaring DIE of a subprogram, inlined_subroutine or parameter: abstract origins followed, specifications not. */
void sym_die_root(Dwarf_Die *die, Dwarf_Die *root);

/* The symbol of a function or variable as its DIE or what that refers to tells it; NULL when none does, as in C. */
const char *sym_die_linkage_name(Dwarf_Die *die);

/* The type of `die` (its DW_AT_type, through abstract origins) with typedefs and qualifiers kept. False: void. */
bool sym_type_of(Dwarf_Die *die, Dwarf_Die *type);

/* Whether a DIE with this tag is a type with a qualifier: const, volatile, restrict, atomic and the like. */
bool sym_type_is_qualifier(int tag);

/* Removes typedefs, cv, atomic and restrict from `type`, in place. False: what is left is void or unreadable. */
bool sym_type_strip(Dwarf_Die *type);

/* Follows a declaration to the definition that a type signature names; other DIEs are left as they are. */
void sym_type_complete(Dwarf_Die *type);

/* The size of the type's values in bytes, 0 when unknown. */
uint32_t sym_type_size(Dwarf_Die *type);

/* Whether the unit of `die` is written in C++ (or another language with namespaces). */
bool sym_die_is_cxx(Dwarf_Die *die);

/* Whether the unit of `die` is written in Fortran. */
bool sym_die_is_fortran(Dwarf_Die *die);

/* Whether gcc compiled the unit of `die`. */
bool sym_die_is_gnu(Dwarf_Die *die);

/* Whether the unit of a function tells of no parameters, though it has the function: gcc's -g1. K&R's f() in a unit of
 * -g2 has none and is known. */
bool sym_die_lacks_parameters(Dwarf_Die *function);

/* Whether a function is a thunk that is told of by its symbol alone, as by clang: neither a name nor parameters. */
bool sym_die_is_thunk(Dwarf_Die *function);

/* Whether clang compiled the unit of `die` from C, C++ or Objective-C. */
bool sym_die_is_clang(Dwarf_Die *die);

/* The calling convention of a subprogram (DW_CC_...): DW_CC_normal where it names none. */
Dwarf_Word sym_die_convention(Dwarf_Die *subprogram);

/* Whether a subprogram is said to tell of all its calls: clang tells of them where it optimises. DWARF before 4 has no
 * words for it, and is taken to. */
bool sym_die_tells_calls(Dwarf_Die *subprogram);

/* Whether the unit of `die` tells of the parameters that a clone of a function is not passed what its callers would
 * have passed, before it tells what the function makes of them: gcc does, but where it compiles at the link (-flto) or
 * without variable tracking. */
bool sym_die_tracks_arguments(Dwarf_Die *die);

/* Whether what compiled the unit of `die` marks functions whose interface it changed: clang from 16 on gives them
 * DW_CC_nocall. */
bool sym_die_marks_changes(Dwarf_Die *die);

/* Whether what the unit of `die` tells of a parameter can be where it is when its function is entered: without variable
 * tracking gcc tells the one register that it has been given for the body, and without views of addresses as well what
 * the first statement makes of it. */
bool sym_die_tracks_entry(Dwarf_Die *die);

#endif
