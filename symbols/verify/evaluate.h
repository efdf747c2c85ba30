/*
 * DWARF location descriptions, as libdwarf gives them, evaluated on a machine.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_EVALUATE_H
#define CALLSIG_SYMBOLS_VERIFY_EVALUATE_H

#include "symbols/verify/place.h"

struct vf_value {
  enum vf_status status;
  uint64_t value;     /* zero-extended bytes */
  bool uses_entry;    /* needs what a register held on entry */
  bool is_object;     /* a pointer to an object that is not in memory: not NULL, and nothing more is known */
  bool is_made;       /* it is computed or a number, and lies in no place: what the function makes of a parameter */
  bool is_begun;      /* there is a description, readable or not */
  bool is_frame_sum;  /* an address in the function's own frame with something added, told as the value: clang also says
                         so of a sum with a spilled register, the load left out */
  bool is_sum;        /* computed with something added */
  bool is_slot_sum;   /* and of what lies in one place of the stack */
  bool is_counted;    /* a sum of constants alone: a constant that was passed, with what was added since */
  uint64_t low;       /* where the description's range begins, of a list */
  bool is_number;     /* a list tells it as a number */
  uint64_t loaded[2]; /* of is_frame_sum: what it is with a load of 4 and of 8 bytes put in */
  bool is_slot;       /* it is read from one place of the function's own frame, or from the address that is there */
  bool is_single;     /* it has one description for all its scope */
  bool is_bit;        /* it is one bit, of a place that may have more */
  bool is_beyond_programs; /* computed by an operation that capture programs do not have */
  const char *why;         /* of LOST and UNKNOWN: static text */
};

/* The `size` (1 to 8) low bytes of the variable `die`; `abstract` is its declaration, for a constant that only that
 * has. */
void vf_evaluate(const struct vf_place *place, Dwarf_Die die, Dwarf_Die abstract, enum vf_moment moment, unsigned size,
                 struct vf_value *value);

/* The value of the expression that attribute `name` of `die` is, as DW_AT_call_value. */
void vf_evaluate_attribute(const struct vf_place *place, Dwarf_Die die, Dwarf_Half name, struct vf_value *value);

/* The register that attribute `name` of `die` names with a single DW_OP_reg, or -1. */
int vf_register_of(const struct vf_place *place, Dwarf_Die die, Dwarf_Half name);

/* Whether a parameter that the function lists before this one is told to be in the same register where this one is
 * first told to be anywhere: then that one is there, and this one, of a clone, is not passed any more. */
bool vf_is_taken(const struct vf_place *place, Dwarf_Die die);

/* Whether the registers in which a parameter and another one are told to be on entry are not in the order in which they
 * are listed: one of them is what the function sets to the other, as where it swaps them. */
bool vf_is_out_of_order(const struct vf_place *place, Dwarf_Die die);

/* Whether another parameter is told to be in the same register behind a sled: one of them is what the function sets to
 * the other. */
bool vf_is_shared(const struct vf_place *place, Dwarf_Die die);

#endif
