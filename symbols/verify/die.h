/*
 * What one debugging information entry says, as libdwarf reads it. The entries handed out live until the module is
 * closed.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_DIE_H
#define CALLSIG_SYMBOLS_VERIFY_DIE_H

#include "symbols/verify/reader.h"

/* Its tag, 0 when it cannot be read. */
Dwarf_Half vf_tag(Dwarf_Die die);

/* Its offset in its section, 0 when it cannot be read. */
uint64_t vf_offset(Dwarf_Die die);

/* Its own DW_AT_name, NULL for none. */
const char *vf_name(Dwarf_Die die);

/* One of its attributes, which the caller gives to dwarf_dealloc_attribute(). False: it has none of this name. */
bool vf_attribute(Dwarf_Die die, Dwarf_Half name, Dwarf_Attribute *attribute);

/* Whether it has an attribute. */
bool vf_has(Dwarf_Die die, Dwarf_Half name);

/* The constant that an attribute is, sign-extended where its form is signed. False: it is none. */
bool vf_unsigned(Dwarf_Die die, Dwarf_Half name, uint64_t *value);

/* The entry that an attribute refers to, NULL for none. */
Dwarf_Die vf_reference(Dwarf_Debug dbg, Dwarf_Die die, Dwarf_Half name);

/* The entry at an offset of the section that `near` lies in, NULL for none. */
Dwarf_Die vf_at(Dwarf_Debug dbg, Dwarf_Die near, uint64_t offset);

/* The first child and the next sibling, NULL for none. */
Dwarf_Die vf_child(Dwarf_Die die);
Dwarf_Die vf_sibling(Dwarf_Debug dbg, Dwarf_Die die);

/* Where its abstract origins lead; itself without any. */
Dwarf_Die vf_root(Dwarf_Debug dbg, Dwarf_Die die);

/* The definition that a type unit has of a type which is only declared here; else `type` itself. */
Dwarf_Die vf_complete(Dwarf_Debug dbg, Dwarf_Die type);

/* The key of an entry among all of its object: its offset, told apart from those of .debug_types, which count anew. */
uint64_t vf_parent_key(Dwarf_Die die);

/* Whether the name of what stands directly in a parent with this tag begins with the parent's: in a namespace or class,
 * and of types in a function, or in a block in one, which is itself no part of names. */
bool vf_is_named_after(Dwarf_Half tag, Dwarf_Half parent);

/* Whether its unit is written in C++, or another language with namespaces; whether clang made it. */
bool vf_is_cxx(Dwarf_Debug dbg, Dwarf_Die die);
bool vf_is_clang(Dwarf_Debug dbg, Dwarf_Die die);

/* Whether gcc made its code at the link (-flto). */
bool vf_is_made_at_link(Dwarf_Debug dbg, Dwarf_Die die);

/* DW_AT_linkage_name of a function, from its declaration or abstract instance where it has none itself; NULL for none.
 */
const char *vf_linkage_name(Dwarf_Debug dbg, Dwarf_Die die);

/* The name with its scopes, as the index prints it; in the module's arena. */
const char *vf_qualified(struct vf_module *module, struct vf_object *object, Dwarf_Die die);

#endif
