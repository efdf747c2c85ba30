/*
 * DWARF operations as libdwarf decodes them.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_EXPRESSIONS_H
#define CALLSIG_SYMBOLS_VERIFY_EXPRESSIONS_H

#include "symbols/verify/reader.h"

enum { VF_OPS_MAX = 512, VF_DESCRIPTIONS_MAX = 4 };

struct vf_op {
  uint8_t atom;
  uint64_t operands[3];
  uint64_t offset; /* of the operation in its expression */
};

struct vf_expression {
  struct vf_op ops[VF_OPS_MAX];
  size_t count;
  uint64_t low; /* of the range of a list that it holds for */
};

/* Decodes the descriptions that hold at `pc` one after another: `number` counts from 0. False: there is no such one, or
 * it has more than VF_OPS_MAX operations. Operands that are addresses of blocks are valid while `head` is open. */
struct vf_list {
  Dwarf_Loc_Head_c head;
  Dwarf_Unsigned count;
  Dwarf_Die die; /* whose list it is; NULL for a bare expression */
};
/* Decodes the first description that begins in [low, high] and ends where it begins. False: there is none. */
bool vf_list_empty_in(const struct vf_list *list, uint64_t low, uint64_t high, struct vf_expression *expression);

/* Decodes the description that begins first after `pc`. False: there is none. */
bool vf_list_after(const struct vf_list *list, uint64_t pc, struct vf_expression *expression);

/* Whether it is one description for the whole scope, in place of a list. */
bool vf_list_is_single(const struct vf_list *list);

/* Whether the list has an entry whose addresses libdwarf cannot tell. */
bool vf_list_is_incomplete(const struct vf_list *list);
bool vf_list_open(Dwarf_Die die, Dwarf_Half name, struct vf_list *list);
bool vf_list_at(const struct vf_list *list, uint64_t pc, size_t number, struct vf_expression *expression);
void vf_list_close(struct vf_list *list);

/* Decodes a bare expression. `list` must be closed after use. */
bool vf_list_of_block(Dwarf_Debug dbg, Dwarf_Die near, const void *block, uint64_t length, struct vf_list *list,
                      struct vf_expression *expression);

#endif
