/*
 * The machine that expression.c makes capture ops with: DWARF's stack, of which only the entries' types are known while
 * the ops are made. expression_push.c is what puts entries there, expression_operate.c what is done with them,
 * expression.c goes through the operations. Every function gives why the location is lost, SYM_LOST_NOT when it is not.
 */
#ifndef CALLSIG_SYMBOLS_LOCATION_EXPRESSION_MACHINE_H
#define CALLSIG_SYMBOLS_LOCATION_EXPRESSION_MACHINE_H

#include "symbols/flow/flow.h"
#include "symbols/location/expression.h"

/* What the compiler knows of one stack entry. DWARF's generic type is a 64-bit word whose signedness each operation
 * chooses; typed entries are kept extended to 64 bits by their type. */
struct sym_stack_type {
  enum { SYM_STACK_GENERIC, SYM_STACK_INTEGER, SYM_STACK_FLOATING } kind;
  uint8_t size;
  uint8_t bits; /* that count, of an integer: all of its size, or fewer */
  bool is_signed;
  uint8_t width; /* of a generic one: enum sym_width, or how many bytes clang computes with */
};

/* clang computes with as many bytes as a number has, and tells it as if these were 8: what is above them is nothing
 * that the numbers have, and a sign is the highest bit of these. It is known where it takes them from a register, as a
 * mask, or loads them. */
enum sym_width {
  SYM_WIDTH_WHOLE = 0,      /* 8 bytes, or not known */
  SYM_WIDTH_REGISTER = 254, /* those of a register, or of a sum with it, until some are taken */
  SYM_WIDTH_ANY = 255,      /* a constant */
};

enum { SYM_BRANCHES_MAX = 16 };

struct sym_machine {
  const struct sym_location_context *context;
  enum sym_moment moment;
  Dwarf_Attribute *attribute;
  struct sym_code *code;
  struct sym_stack_type types[FMT_STACK_MAX];
  unsigned depth;
  bool has_typed; /* an entry was not generic */
  struct {
    uint16_t at; /* the branch op */
    bool has_landed;
    Dwarf_Word target; /* byte offset in the expression */
  } branches[SYM_BRANCHES_MAX];
  unsigned branch_count;
};

static const struct sym_stack_type sym_stack_generic = {.kind = SYM_STACK_GENERIC, .size = 8};

/* A generic entry of so many bytes. */
static inline struct sym_stack_type sym_stack_of_width(uint8_t width)
{
  return (struct sym_stack_type){.kind = SYM_STACK_GENERIC, .size = 8, .width = width};
}

/* Cuts the entry on top to its type's size and extends it. */
static inline void sym_machine_extend(struct sym_machine *machine, struct sym_stack_type type)
{
  if (type.bits < type.size * 8)
    sym_code_add(machine->code, FMT_OP_BITS, 0, type.bits, type.is_signed ? FMT_OPF_SIGNED : 0, 0);
  else if (type.size < 8)
    sym_code_add(machine->code, FMT_OP_EXTEND, 0, type.size, type.is_signed ? FMT_OPF_SIGNED : 0, 0);
}

/* Whether an expression may load: loads are done at the hook, so nothing may have been stored between there and the
 * moment that the expression is about. */
static inline bool sym_machine_keeps_memory(const struct sym_machine *machine)
{
  return machine->moment != SYM_LATER || machine->context->flow->store_count == 0;
}

/* ---- expression_push.c ---- */

/* Notes an entry that an op pushes. */
enum sym_lost sym_machine_push(struct sym_machine *machine, struct sym_stack_type type);
/* The canonical frame address. */
enum sym_lost sym_machine_cfa(struct sym_machine *machine);
/* A register as an address: breg. */
enum sym_lost sym_machine_base(struct sym_machine *machine, Dwarf_Word reg, int64_t offset);
enum sym_lost sym_machine_typed(struct sym_machine *machine, const Dwarf_Op *op);
enum sym_lost sym_machine_entry_value(struct sym_machine *machine, const Dwarf_Op *op);
/* False: the operation is no literal. */
bool sym_machine_literal(struct sym_machine *machine, const Dwarf_Op *op, enum sym_lost *lost);
bool sym_machine_operand_type(struct sym_machine *machine, const Dwarf_Op *op, struct sym_stack_type *type);
/* The register of an entry value's expression, or -1. */
int sym_entry_value_register(Dwarf_Attribute *attribute, const Dwarf_Op *op);

/* ---- expression_operate.c ---- */

/* convert and reinterpret. */
enum sym_lost sym_machine_convert(struct sym_machine *machine, const Dwarf_Op *op);
enum sym_lost sym_machine_load(struct sym_machine *machine, Dwarf_Word size);
/* dup, drop, over, pick, swap, rot. */
enum sym_lost sym_machine_move(struct sym_machine *machine, const Dwarf_Op *op);
/* False: the operation is no arithmetic. */
bool sym_machine_arithmetic(struct sym_machine *machine, const Dwarf_Op *op, enum sym_lost *lost);

#endif
