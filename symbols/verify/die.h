/*
 * What one debugging information entry says, as libdwarf reads it. The entries handed out live until the module is
 * closed.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_DIE_H
#define CALLSIG_SYMBOLS_VERIFY_DIE_H

#include "symbols/verify/reader.h"

Dwarf_Half vf_tag(Dwarf_Die die);
uint64_t vf_offset(Dwarf_Die die);
const char *vf_name(Dwarf_Die die); /* its own DW_AT_name, NULL for none */
bool vf_attribute(Dwarf_Die die, Dwarf_Half name, Dwarf_Attribute *attribute);
bool vf_has(Dwarf_Die die, Dwarf_Half name);
bool vf_unsigned(Dwarf_Die die, Dwarf_Half name, uint64_t *value);
Dwarf_Die vf_reference(Dwarf_Debug dbg, Dwarf_Die die, Dwarf_Half name); /* NULL for none */
Dwarf_Die vf_at(Dwarf_Debug dbg, Dwarf_Die near, uint64_t offset);
Dwarf_Die vf_child(Dwarf_Die die);
Dwarf_Die vf_sibling(Dwarf_Debug dbg, Dwarf_Die die);
Dwarf_Die vf_root(Dwarf_Debug dbg, Dwarf_Die die);      /* abstract origins followed */
Dwarf_Die vf_complete(Dwarf_Debug dbg, Dwarf_Die type); /* the definition that a type unit has, or `type` */
uint64_t vf_parent_key(Dwarf_Die die);                  /* struct vf_parent.key: .debug_types counts on its own */
bool vf_is_cxx(Dwarf_Debug dbg, Dwarf_Die die);
bool vf_is_clang(Dwarf_Debug dbg, Dwarf_Die die); /* made by clang */

/* DW_AT_linkage_name of a function, from its declaration or abstract instance where it has none itself; NULL for none.
 */
const char *vf_linkage_name(Dwarf_Debug dbg, Dwarf_Die die);

/* The name with its scopes, as the index prints it; in the module's arena. */
const char *vf_qualified(struct vf_module *module, struct vf_object *object, Dwarf_Die die);

#endif
