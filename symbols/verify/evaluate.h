/*
 * DWARF location descriptions, as libdwarf gives them, evaluated on a machine.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_EVALUATE_H
#define CALLSIG_SYMBOLS_VERIFY_EVALUATE_H

#include "symbols/verify/machine.h"
#include "symbols/verify/reader.h"

/* When registers are read; named after enum sym_moment of the first reader, which it must not include. */
enum vf_moment {
  VF_AT_CALL,    /* at the call instruction, with the registers of the hook's first instruction */
  VF_IN_CALL,    /* at its last byte, PC = site - 1, with the same registers */
  VF_AFTER_CALL, /* right after the hook's return, PC = site: only what a call leaves alone */
  VF_LATER,      /* where the next description begins, with what a call leaves alone */
  VF_RUNNING,    /* at place->running, with what instructions since the call have left (emulate.h) */
  VF_MOMENTS = VF_RUNNING
};

/* A probe site or call while it is looked at. */
struct vf_place {
  struct vf_module *module;
  struct vf_object *object; /* that the DIEs are of */
  const struct vf_machine *machine;
  Dwarf_Die physical; /* the out-of-line function: its frame base is meant; may be NULL */
  uint64_t pc;        /* of the site */
  uint64_t call;      /* in the call instruction, as near to its first byte as is known without decoding it */
  uint64_t running;   /* of VF_RUNNING */
  bool is_caller;     /* a call instruction of a caller: any register that a function may rely on is known there */
};

enum vf_status {
  VF_LOST,
  VF_READ,
  VF_UNKNOWN, /* an operation that this reader does not evaluate */
};

struct vf_value {
  enum vf_status status;
  uint64_t value;     /* zero-extended bytes */
  bool uses_entry;    /* needs what a register held on entry */
  bool is_object;     /* a pointer to an object that is not in memory: not NULL, and nothing more is known */
  bool is_begun;      /* there is a description, readable or not */
  bool is_frame_sum;  /* an address in the function's own frame with something added, told as the value: clang also says
                         so of a sum with a spilled register, the load left out */
  bool is_counted;    /* a sum of constants alone: a constant that was passed, with what was added since */
  uint64_t loaded[2]; /* of is_frame_sum: what it is with a load of 4 and of 8 bytes put in */
  bool is_slot;       /* it is read from one place of the function's own frame */
  bool is_single;     /* it has one description for all its scope */
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

/* The canonical frame address at the hook's call, and what `reg` held on entry, both from call frame information. */
bool vf_frame_cfa(const struct vf_place *place, uint64_t *cfa);
bool vf_frame_entry(const struct vf_place *place, unsigned reg, uint64_t *value);

/* The value of an expression of `length` bytes, with `initial` pushed first when it is not NULL. */
bool vf_evaluate_block(const struct vf_place *place, const void *block, uint64_t length, const uint64_t *initial,
                       uint64_t *value);

#endif
