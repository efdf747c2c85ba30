/*
 * Tells from a function's code whether a slot of its frame is a spill, and of what size.
 */
#include "symbols/flow/spill.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>

#include "symbols/elf/list_bounds.h"
#include "symbols/flow/decode.h"
#include "symbols/processor/x86_64.h"

enum {
  MACHINE_RSP = 4, /* as instructions number it */
  MACHINE_RBP = 5,
  OP_PUSH_RSP = 0x54,
  OP_STORE = 0x89,
  OP_LOAD = 0x8b,
  OP_LEA = 0x8d,
  OP_STORE_CONSTANT = 0xc7,
  DEPTH_MAX = 512, /* nested scopes; deeper is a corrupt file */
};

/* An instruction that stores to a slot of the frame or forms its address. */
struct use {
  int64_t offset; /* from the canonical frame address */
  uint8_t stored; /* bytes; 0: the address is formed, or indexed from */
};

/* A variable that lies in the frame wherever it is in scope. */
struct home {
  unsigned base; /* DWARF number */
  int64_t offset;
  uint64_t size;
};

void sym_spills_init(struct sym_spills *spills, const struct sym_debugfile *file, const struct sym_hook *hook)
{
  *spills = (struct sym_spills){
      .file = file, .hook = hook, .uses = BASE_VECTOR_OF(struct use), .homes = BASE_VECTOR_OF(struct home)};
}

void sym_spills_free(struct sym_spills *spills)
{
  base_vector_free(&spills->uses);
  base_vector_free(&spills->homes);
}

static int add_use(struct sym_spills *spills, int64_t offset, uint8_t stored)
{
  struct use *use = base_vector_add(&spills->uses, 1);
  if (!use)
    return -ENOMEM;
  *use = (struct use){.offset = offset, .stored = stored};
  return 0;
}

/* Whether the instruction puts the stack pointer itself elsewhere: what lies at its top has its address taken. */
static bool copies_stack_pointer(const struct sym_instruction *instruction)
{
  if (instruction->is_vex || instruction->map != SYM_MAP_ONE_BYTE || instruction->is_memory)
    return false;
  switch (instruction->opcode) {
  case OP_PUSH_RSP:
    return instruction->rm == MACHINE_RSP;
  case OP_STORE:
    return instruction->reg == MACHINE_RSP;
  case OP_LOAD:
    return instruction->rm == MACHINE_RSP;
  default:
    return false;
  }
}

/* Notes whether an instruction stores to the frame or forms an address in it. -ENOMEM; -ENOTSUP: it forms one from the
 * stack pointer where the distance of that from the canonical frame address is not known. */
static int note(struct sym_spills *spills, const struct sym_frame *frame, const struct sym_instruction *instruction)
{
  bool is_rsp = frame->cfa_register == SYM_RSP;
  if (copies_stack_pointer(instruction))
    return is_rsp ? add_use(spills, -(int64_t)frame->cfa_offset, 0) : 0;
  if (!instruction->is_memory || (instruction->base != MACHINE_RSP && instruction->base != MACHINE_RBP))
    return 0;
  bool is_plain = !instruction->is_vex && instruction->map == SYM_MAP_ONE_BYTE;
  bool is_address = instruction->index != SYM_NO_REGISTER || instruction->has_other_addresses ||
                    (is_plain && instruction->opcode == OP_LEA);
  bool is_store = is_plain && (instruction->opcode == OP_STORE || instruction->opcode == OP_STORE_CONSTANT);
  if (instruction->base != (is_rsp ? MACHINE_RSP : MACHINE_RBP))
    return instruction->base == MACHINE_RSP && is_address ? -ENOTSUP : 0;
  if (!is_address && !is_store)
    return 0;
  return add_use(spills, (int64_t)instruction->displacement - frame->cfa_offset,
                 is_address ? 0 : instruction->operand_size);
}

/* Notes what the code from `low` to `high` does with the frame. */
static int note_code(struct sym_spills *spills, uint64_t low, uint64_t high)
{
  const struct sym_code_bytes *section = sym_hook_code_at(spills->hook, low);
  struct sym_frame frame = {.cfa_kind = FMT_CFA_UNKNOWN};
  if (!section || high - section->address > section->size)
    return -ENOTSUP;
  for (uint64_t pc = low; pc < high;) {
    struct sym_instruction instruction;
    if (!sym_decode(section->bytes + (pc - section->address), high - pc, &instruction))
      return -ENOTSUP;
    if (pc == low || pc >= frame.end)
      sym_frame_at(spills->file, pc, &frame);
    if (frame.cfa_kind != FMT_CFA_REGISTER)
      return -ENOTSUP;
    int error = note(spills, &frame, &instruction);
    if (error)
      return error;
    pc += instruction.size;
  }
  return 0;
}

int sym_frame_register(Dwarf_Die *function)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) ||
      dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 || ops[0].atom < DW_OP_reg0 ||
      ops[0].atom > DW_OP_reg31)
    return -1;
  return ops[0].atom - DW_OP_reg0;
}

static uint64_t size_of(Dwarf_Die *variable)
{
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  Dwarf_Word size;
  if (!dwarf_attr_integrate(variable, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type) ||
      dwarf_aggregate_size(&type, &size) != 0)
    return 1;
  return size;
}

/* Notes the home of a variable: it has one description for all its scope, which is a slot of the frame. */
static int note_home(struct sym_spills *spills, Dwarf_Die *variable, int frame_base)
{
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t count;
  if (!dwarf_attr(variable, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &ops, &count) != 0 ||
      count == 0 || ops[count - 1].atom == DW_OP_stack_value)
    return 0;
  int base = ops[0].atom == DW_OP_fbreg                                  ? frame_base
             : ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 ? ops[0].atom - DW_OP_breg0
                                                                         : -1;
  if (base < 0)
    return 0;
  struct home *home = base_vector_add(&spills->homes, 1);
  if (!home)
    return -ENOMEM;
  *home = (struct home){.base = (unsigned)base, .offset = (int64_t)ops[0].number, .size = size_of(variable)};
  return 0;
}

static int note_homes(struct sym_spills *spills, Dwarf_Die *scope, int frame_base, unsigned depth)
{
  Dwarf_Die child;
  int error = 0;
  if (dwarf_child(scope, &child) != 0)
    return 0;
  if (depth > DEPTH_MAX)
    return -ENOTSUP;
  do {
    switch (dwarf_tag(&child)) {
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
      error = note_home(spills, &child, frame_base);
      break;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_inlined_subroutine:
      error = note_homes(spills, &child, frame_base, depth + 1);
      break;
    default:
      break;
    }
  } while (!error && dwarf_siblingof(&child, &child) == 0);
  return error;
}

static int read_function(struct sym_spills *spills, Dwarf_Die *physical)
{
  Dwarf_Addr base, low, high;
  ptrdiff_t offset = 0;
  int error = 0;
  while (!error && (offset = sym_ranges_next(physical, offset, &base, &low, &high)) > 0)
    if (low < high)
      error = note_code(spills, low, high);
  return error ? error : note_homes(spills, physical, sym_frame_register(physical), 0);
}

/* The size of the moves that write the slot: 4 or 8 when all of them have it and nothing forms its address, else 0. */
static uint8_t stored_size(const struct sym_spills *spills, int64_t offset)
{
  uint8_t size = 0;
  for (uint32_t i = 0; i < spills->uses.count; i++) {
    const struct use *use = base_vector_at(&spills->uses, i);
    if (use->offset != offset)
      continue;
    if (use->stored < 4 || (size && use->stored != size))
      return 0;
    size = use->stored;
  }
  return size;
}

static bool is_home(const struct sym_spills *spills, unsigned base, int64_t offset)
{
  for (uint32_t i = 0; i < spills->homes.count; i++) {
    const struct home *home = base_vector_at(&spills->homes, i);
    if (home->base == base && offset >= home->offset && (uint64_t)(offset - home->offset) < home->size)
      return true;
  }
  return false;
}

/* Looks at the function, unless it was the last that was looked at. False: the slot is not in its frame, or its code
 * cannot be followed. */
static bool look_at(struct sym_spills *spills, const Dwarf_Die *physical, const struct sym_frame *frame, unsigned base)
{
  if (!spills->hook->processor->has_flow || frame->cfa_kind != FMT_CFA_REGISTER || frame->cfa_register != base)
    return false;
  if (spills->function != physical->addr) {
    Dwarf_Die function = *physical;
    spills->uses.count = spills->homes.count = 0;
    spills->error = read_function(spills, &function);
    spills->function = physical->addr;
  }
  return !spills->error;
}

uint8_t sym_spill_size(struct sym_spills *spills, const Dwarf_Die *physical, const struct sym_frame *frame,
                       unsigned base, int64_t offset)
{
  if (!look_at(spills, physical, frame, base) || is_home(spills, base, offset))
    return 0;
  return stored_size(spills, offset - frame->cfa_offset);
}

bool sym_spill_is_named(struct sym_spills *spills, const Dwarf_Die *physical, const struct sym_frame *frame,
                        unsigned base, int64_t offset)
{
  if (!look_at(spills, physical, frame, base))
    return true;
  for (uint32_t i = 0; i < spills->uses.count; i++) {
    const struct use *use = base_vector_at(&spills->uses, i);
    if (use->offset == offset - frame->cfa_offset && !use->stored)
      return true;
  }
  return false;
}
