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
#include <stdio.h>

#include "base/arena.h"
#include "format/open.h"

/* Where libdwarf puts an error. It ends the process when it finds no place for one, and looks into the skeleton's
 * object for what a .dwo file lacks only when it can see which error that was. What could not be read shows in the
 * result of the call; the error itself belongs to the object and goes with it. */
#define VF_ERROR (&(Dwarf_Error){NULL})

/* One object with DWARF: the module's debug file, or a .dwo file. */
struct vf_object {
  Dwarf_Debug dbg;
  struct vf_parent *parents; /* of named DIEs and blocks in C++ units, ascending by offset */
  size_t parent_count, parent_capacity;
};

/* The scope, function or block that a named DIE or a block stands directly in. */
struct vf_parent {
  uint64_t key;    /* vf_parent_key() of the DIE */
  uint64_t parent; /* offset, in the same section */
};

/* A subprogram with code, or an inlined instance. */
struct vf_scope {
  Dwarf_Die die;
  struct vf_object *object;
  int32_t outer;   /* the scope it is inlined into, -1 for an out-of-line one */
  uint64_t caller; /* the offset of the subprogram that it is in, or is */
  uint16_t depth;  /* of inlining */
  bool is_inlined;
};

struct vf_range {
  uint64_t low, high; /* high exclusive */
  uint32_t scope;
};

/* A call: DW_TAG_call_site. */
struct vf_call {
  uint64_t pc;     /* where it returns to; 0: that is not told, as of a jump */
  uint64_t origin; /* the offset of the function that it is said to call, 0 for none */
  uint64_t root;   /* that of the function's declaration */
  uint64_t caller; /* that of the out-of-line function that it is in */
  Dwarf_Die die;
  struct vf_object *object;
};

/* Call frame information of one section. */
struct vf_frames {
  Dwarf_Debug dbg;
  Dwarf_Cie *cies;
  Dwarf_Fde *fdes;
  Dwarf_Signed cie_count, fde_count;
};

/* .eh_frame, and .debug_frame for code that the former leaves out. */
enum { VF_FRAMES = 2 };

/* Everything that is read of a module. */
struct vf_module {
  const char *path;
  FILE *out;
  struct base_arena arena;
  struct vf_object **objects; /* the first is the debug file */
  size_t object_count;
  Dwarf_Debug own; /* the module itself, which has its .eh_frame */
  struct vf_frames frames[VF_FRAMES];
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

#endif
