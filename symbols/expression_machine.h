/*
 * The machine that expression.c makes capture ops with: DWARF's stack, of which only the entries' types are known while
 * the ops are made. expression_push.c is what puts entries there, expression_operate.c what is done with them,
 * expression.c goes through the operations. Every function gives why the location is lost, CS_LOST_NOT when it is not.
 */
#ifndef CALLSIG_SYMBOLS_EXPRESSION_MACHINE_H
#define CALLSIG_SYMBOLS_EXPRESSION_MACHINE_H

#include "expression.h"
#include "flow.h"

/* What the compiler knows of one stack entry. DWARF's generic type is a 64-bit word whose signedness each operation
 * chooses; typed entries are kept extended to 64 bits by their type. */
struct cs_entry_type {
  enum { CS_ENTRY_GENERIC, CS_ENTRY_INTEGER, CS_ENTRY_FLOATING } kind;
  uint8_t size;
  bool is_signed;
};

enum { CS_BRANCHES_MAX = 16 };

struct cs_machine {
  const struct cs_location_context *context;
  enum cs_moment moment;
  Dwarf_Attribute *attribute;
  struct cs_code *code;
  struct cs_entry_type types[CS_STACK_MAX];
  unsigned depth;
  bool has_typed; /* an entry was not generic */
  struct {
    uint16_t at; /* the branch op */
    bool has_landed;
    Dwarf_Word target; /* byte offset in the expression */
  } branches[CS_BRANCHES_MAX];
  unsigned branch_count;
};

static const struct cs_entry_type cs_generic_entry = {.kind = CS_ENTRY_GENERIC, .size = 8};

static inline void cs_machine_extend(struct cs_machine *machine, struct cs_entry_type type)
{
  if (type.size < 8)
    cs_code_add(machine->code, CS_OP_EXTEND, 0, type.size, type.is_signed ? CS_OPF_SIGNED : 0, 0);
}

/* Loads inside of an expression are done at the hook. */
static inline bool cs_machine_keeps_memory(const struct cs_machine *machine)
{
  return machine->moment != CS_LATER || machine->context->flow->store_count == 0;
}

/* Goes through operations (expression.c). */
enum cs_lost cs_machine_run(struct cs_machine *machine, const Dwarf_Op *ops, size_t count);

/* ---- expression_push.c ---- */

/* Notes an entry that an op pushes. */
enum cs_lost cs_machine_push(struct cs_machine *machine, struct cs_entry_type type);
/* The canonical frame address. */
enum cs_lost cs_machine_cfa(struct cs_machine *machine);
/* A register as an address: breg. */
enum cs_lost cs_machine_base(struct cs_machine *machine, Dwarf_Word reg, int64_t offset);
enum cs_lost cs_machine_frame_base(struct cs_machine *machine, int64_t offset);
enum cs_lost cs_machine_typed(struct cs_machine *machine, const Dwarf_Op *op);
enum cs_lost cs_machine_entry_value(struct cs_machine *machine, const Dwarf_Op *op);
/* False: the operation is no literal. */
bool cs_machine_literal(struct cs_machine *machine, const Dwarf_Op *op, enum cs_lost *lost);
bool cs_machine_operand_type(struct cs_machine *machine, const Dwarf_Op *op, struct cs_entry_type *type);
/* The register of an entry value's expression, or -1. */
int cs_entry_register(Dwarf_Attribute *attribute, const Dwarf_Op *op);

/* ---- expression_operate.c ---- */

enum cs_lost cs_machine_convert(struct cs_machine *machine, const Dwarf_Op *op);
enum cs_lost cs_machine_load(struct cs_machine *machine, Dwarf_Word size);
/* dup, drop, over, pick, swap, rot. */
enum cs_lost cs_machine_move(struct cs_machine *machine, const Dwarf_Op *op);
/* False: the operation is no arithmetic. */
bool cs_machine_arithmetic(struct cs_machine *machine, const Dwarf_Op *op, enum cs_lost *lost);

#endif
