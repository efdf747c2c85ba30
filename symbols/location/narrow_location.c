/* Holds what clang tells of inlined functions' parameters against the bits that these look at, and what was computed.
 */
#include "symbols/location/narrow_location.h"

#include <dwarf.h>

#include "symbols/dwarf/die.h"
#include "symbols/elf/list_bounds.h"
#include "symbols/flow/made.h"
#include "symbols/flow/operands.h"
#include "symbols/flow/spill.h"
#include "symbols/location/parameter_kept.h"
#include "symbols/location/statements.h"
#include "symbols/processor/processor.h"
#include "symbols/processor/x86_64.h"

/* All bits of a parameter's type; of a truth value it is one. 0: of a number with a fraction none is told apart. */
static uint64_t bits_of_type(Dwarf_Die *die)
{
  Dwarf_Die type;
  Dwarf_Attribute attribute;
  Dwarf_Word encoding = 0;
  if (!sym_type_of(die, &type) || !sym_type_strip(&type))
    return 0;
  const uint64_t size = sym_type_size(&type);
  dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding);
  if (encoding == DW_ATE_boolean || encoding == DW_ATE_float)
    return encoding == DW_ATE_boolean;
  return size >= sizeof(uint64_t) ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;
}

/* Whether an operation takes a constant of which the highest bit is the highest of `bits`: it may be what is left of a
 * negative number. */
static bool is_cut_off(const struct fmt_op *constant, uint64_t bits)
{
  const uint64_t value = (uint64_t)constant->imm;
  return value && (constant->code == FMT_OP_CONST || constant->code == FMT_OP_ADD_CONST) &&
         __builtin_clzll(value) == __builtin_clzll(bits);
}

/* Whether something is computed with a constant that may have lost bits. */
static bool is_computed_so(const struct sym_location *location, uint64_t bits)
{
  const struct fmt_op *ops = location->code.ops;
  for (unsigned i = 1; location->kind == SYM_LOCATION_VALUE && i < location->code.count; i++)
    switch (ops[i].code) {
    case FMT_OP_ADD_CONST:
      if (is_cut_off(&ops[i], bits))
        return true;
      break;
    case FMT_OP_PLUS:
    case FMT_OP_MINUS:
    case FMT_OP_MUL:
    case FMT_OP_OR:
    case FMT_OP_XOR:
      if (is_cut_off(&ops[i - 1], bits))
        return true;
      break;
    default:
      break;
    }
  return false;
}

/* A place, and what code that leads, in the order of addresses, to the hook's call has put there. */
struct origin {
  struct sym_made made;
  uint64_t reg;    /* the bit of the register that it is, or is told from */
  int64_t offset;  /* of a slot of the frame */
  uint64_t copies; /* of a slot, registers that were loaded from it since it was filled */
};

/* Notes which registers hold what lies in the slot. */
static void note_copies(struct origin *origin, const struct sym_step *step)
{
  const struct sym_instruction *instruction = &step->instruction;
  const struct sym_operands operands = sym_operands_of(instruction);
  const bool is_of_slot = instruction->has_modrm && instruction->is_memory && instruction->index == SYM_NO_REGISTER &&
                          instruction->displacement == origin->offset &&
                          sym_general_register(instruction->base) == origin->reg;
  const bool is_load = is_of_slot && instruction->map == SYM_MAP_ONE_BYTE && !instruction->is_vex &&
                       (instruction->opcode == 0x8a || instruction->opcode == 0x8b);
  origin->copies &= step->is_call ? sym_x86_64.callee_saved : is_of_slot && operands.stores ? 0 : ~operands.writes;
  origin->copies |= is_load ? operands.writes : 0;
}

/* Follows the code. False: the call is not found. */
static bool follow_code(const struct sym_location_context *context, struct origin *origin)
{
  struct sym_step step;
  Dwarf_Die physical = *context->physical;
  Dwarf_Addr base, low, high;
  ptrdiff_t next = 0;
  while ((next = sym_ranges_next(&physical, next, &base, &low, &high)) > 0) {
    if (context->call < low || context->call >= high)
      continue;
    for (; low < context->call && sym_step_at(context->hook, low, high, &step); low += step.size) {
      sym_made_step(&origin->made, &step);
      note_copies(origin, &step);
    }
    return low == context->call;
  }
  return false;
}

/* Whether the place from which the parameter is told holds what the function that it was inlined into has computed. */
static bool is_made(const struct sym_location_context *context, const struct sym_location *location,
                    struct origin *origin)
{
  Dwarf_Die physical = *context->physical;
  const int frame = sym_frame_register(&physical);
  const struct fmt_op *ops = location->code.ops;
  uint64_t reg = location->kind == SYM_LOCATION_REGISTER ? sym_register_bit(location->reg) : 0;
  if (location->kind == SYM_LOCATION_VALUE || location->kind == SYM_LOCATION_MEMORY)
    reg = location->code.count && ops[0].code == FMT_OP_REG ? sym_register_bit(ops[0].reg) : 0;
  *origin = (struct origin){.reg = reg,
                            .offset = location->code.count > 1 ? ops[1].imm : 0,
                            .made.frame = sym_register_bit(context->hook->processor->stack_pointer) |
                                          (frame < 0 ? 0 : sym_register_bit((uint64_t)frame))};
  if (!reg || !follow_code(context, origin))
    return false;
  if (!(reg & origin->made.frame))
    return reg & origin->made.registers;
  return sym_made_has_slot(&origin->made, reg, origin->offset);
}

bool sym_may_be_narrowed(const struct sym_location_context *context, Dwarf_Die *die,
                         const struct sym_location *location)
{
  const uint64_t all = bits_of_type(die), bits = sym_parameter_bits(context, die) & all;
  if (bits == 0 || bits == all || location->kind == SYM_LOCATION_LOST || sym_location_is_constant(location))
    return false;
  /* Whole bytes are what conversions take, for which hardly anything is computed otherwise. */
  const bool is_conversion = bits == UINT8_MAX || bits == UINT16_MAX || bits == UINT32_MAX;
  struct origin origin;
  return is_computed_so(location, bits) || (!is_conversion && is_made(context, location, &origin));
}

bool sym_may_be_inverted(const struct sym_location_context *context, Dwarf_Die *die,
                         const struct sym_location *location)
{
  bool is_truth = false;
  struct origin origin;
  for (unsigned i = 0; location->kind == SYM_LOCATION_VALUE && i < location->code.count; i++)
    is_truth |= location->code.ops[i].code == FMT_OP_BITS && location->code.ops[i].size == 1;
  if (!is_truth || !is_made(context, location, &origin))
    return false;
  const uint64_t held = origin.reg & origin.made.frame ? origin.copies : origin.reg;
  return !sym_parameter_goes_on(context, die, held, origin.made.frame);
}
