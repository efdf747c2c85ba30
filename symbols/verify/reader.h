/*
 * The second reader of DWARF: libdwarf alone. It shares nothing with the first (elfutils) but the index format, so that
 * a mistake of one does not repeat itself in the other.
 *
 * libdw and libdwarf give their functions the same names. The objects of this folder are linked with libdwarf.a into
 * one object in which only sym_index_verify() is global; nothing else may be called from outside.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_READER_H
#define CALLSIG_SYMBOLS_VERIFY_READER_H

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "symbols/index/symbols.h"

/* Where libdwarf puts an error. It ends the process when it finds no place for one, and looks into the skeleton's
 * object for what a .dwo file lacks only when it can see which error that was. What could not be read shows in the
 * result of the call; the error itself belongs to the object and goes with it. */
#define VF_ERROR (&(Dwarf_Error){NULL})

/* One object with DWARF: the module's debug file, or a .dwo file. */
struct vf_object {
  Dwarf_Debug dbg;
  struct vf_parent *parents; /* of named DIEs in C++ units, ascending by offset */
  size_t parent_count, parent_capacity;
};

/* The scope that a named DIE stands directly in. */
struct vf_parent {
  uint64_t key;    /* vf_parent_key() of the DIE */
  uint64_t parent; /* offset, in the same section */
};

/* A subprogram with code, or an inlined instance. */
struct vf_scope {
  Dwarf_Die die;
  struct vf_object *object;
  int32_t outer;  /* the scope it is inlined into, -1 for an out-of-line one */
  uint16_t depth; /* of inlining */
  bool is_inlined;
};

struct vf_range {
  uint64_t low, high; /* high exclusive */
  uint32_t scope;
};

/* A call with a known return address: DW_TAG_call_site. */
struct vf_call {
  uint64_t pc;
  Dwarf_Die die;
  struct vf_object *object;
};

/* Everything that is read of a module. */
struct vf_module {
  const char *path;
  FILE *out;
  struct base_arena arena;
  struct vf_object **objects; /* the first is the debug file */
  size_t object_count;
  Dwarf_Debug frames; /* the module itself: its .eh_frame */
  Dwarf_Cie *cies;
  Dwarf_Fde *fdes;
  Dwarf_Signed cie_count, fde_count;
  struct vf_scope *scopes;
  size_t scope_count, scope_capacity;
  struct vf_range *ranges; /* ascending by low */
  uint64_t *reach;         /* of each range: the highest end of it and all before */
  size_t range_count, range_capacity;
  struct vf_call *calls; /* ascending by pc */
  size_t call_count, call_capacity;
  struct vf_type **types; /* hash table by object and offset */
  size_t type_slots, type_count;
  uint64_t unreadable_units;  /* split units whose .dwo file is missing or cannot be read */
  uint64_t unreadable_ranges; /* functions and inlined instances whose list of ranges libdwarf cannot read */
};

/* Opens the module and reads its scopes. -ENOENT: it has no DWARF that libdwarf finds. */
int vf_module_open(struct vf_module *module, const char *path, FILE *out, sym_message_fn message, void *data);
void vf_module_close(struct vf_module *module);

/* The innermost scope that holds `pc`, or NULL. */
struct vf_scope *vf_scope_at(struct vf_module *module, uint64_t pc);

/* The range of a scope that holds `pc`. False: none does. */
bool vf_scope_range(const struct vf_module *module, const struct vf_scope *scope, uint64_t pc, uint64_t *low,
                    uint64_t *high);

/* DIEs. Those handed out live until the module is closed. */
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
