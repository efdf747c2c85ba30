/*
 * Follows what leads to the jump of a switch:
 *
 *     cmp $last, %i; ja default                         or: and $last, %i
 *     lea table(%rip), %t; movslq (%t,%i,4), %e; add %t, %e; jmp *%e     (position-independent code)
 *     jmp *table(,%i,8)                                                   (other code)
 *
 * How long a table is, nothing but the bound of the very register that is the index tells: neither what lies behind the
 * table nor another comparison counts. Where any part is not seen, there is no table.
 */
#include "symbols/flow/jump_table.h"

#include <string.h>

#include "base/vector.h"

static uint16_t bit(uint8_t machine)
{
  return (uint16_t)(machine < 16 ? 1u << machine : 0u);
}

/* Operands' bits are DWARF's numbers. */
static uint16_t machine_registers(uint64_t dwarf)
{
  static const uint8_t machine[8] = {0, 2, 1, 3, 6, 7, 5, 4};
  uint16_t registers = (uint16_t)(dwarf & 0xff00);
  for (unsigned i = 0; i < 8; i++)
    if (dwarf >> i & 1)
      registers |= bit(machine[i]);
  return registers;
}

/* Group 1, 80 81 83, and 3c 3d: the register that a constant is compared with, or that `and` cuts. 0: none. */
static uint16_t constant_operand(const struct sym_instruction *one, unsigned operation)
{
  const bool is_accumulator = one->opcode == (operation << 3 | 4) || one->opcode == (operation << 3 | 5);
  if (one->is_vex || one->map != SYM_MAP_ONE_BYTE || one->immediate < 0)
    return 0;
  if (is_accumulator)
    return bit(0);
  const bool is_high = one->opcode == 0x80 && !one->has_rex && one->rm >= 4 && one->rm < 8;
  return (one->opcode == 0x80 || one->opcode == 0x81 || one->opcode == 0x83) && !one->is_memory && !is_high &&
                 (one->reg & 7) == operation
             ? bit(one->rm)
             : 0;
}

/* mov and movzx between registers. False: it is none. */
static bool copies(const struct sym_instruction *one, uint16_t *from, uint16_t *to)
{
  if (one->is_vex || one->is_memory || one->operand_size < 4)
    return false;
  const bool is_store = one->map == SYM_MAP_ONE_BYTE && one->opcode == 0x89;
  const bool is_load = one->map == SYM_MAP_ONE_BYTE && one->opcode == 0x8b;
  const bool is_byte = one->map == SYM_MAP_0F && one->opcode == 0xb6 && (one->has_rex || one->rm < 4);
  const bool is_word = one->map == SYM_MAP_0F && one->opcode == 0xb7;
  *from = bit(is_store ? one->reg : one->rm);
  *to = bit(is_store ? one->rm : one->reg);
  return is_store || is_load || is_byte || is_word;
}

static bool is_one_byte(const struct sym_instruction *one, uint8_t opcode, bool is_memory)
{
  return !one->is_vex && one->map == SYM_MAP_ONE_BYTE && one->opcode == opcode && one->operand_size == 8 &&
         one->is_memory == is_memory && !one->has_other_addresses;
}

/* movslq (%t,%i,4), %e */
static bool loads_entry(const struct sym_switch *known, const struct sym_instruction *one)
{
  return is_one_byte(one, 0x63, true) && one->scale == 4 && one->displacement == 0 && one->base < 16 &&
         known->addresses[one->base] && known->bounded & bit(one->index);
}

/* Which register becomes the target: that of an entry to which its table's address is added, or the other way round. */
static uint16_t makes_target(const struct sym_switch *known, const struct sym_instruction *one)
{
  if (!known->entry || known->is_target || (!is_one_byte(one, 0x01, false) && !is_one_byte(one, 0x03, false)))
    return 0;
  const uint8_t other = known->entry == bit(one->rm) ? one->reg : one->rm;
  const bool is_both = (bit(one->rm) | bit(one->reg)) == (known->entry | bit(other));
  return is_both && known->addresses[other] == known->table ? bit(one->opcode == 0x01 ? one->rm : one->reg) : 0;
}

void sym_switch_step(struct sym_switch *known, uint64_t at, const struct sym_step *step,
                     const struct sym_operands *operands)
{
  const struct sym_instruction *one = &step->instruction;
  const uint16_t writes = machine_registers(operands->writes), compared = constant_operand(one, 7);
  const uint16_t cut = constant_operand(one, 4), target = makes_target(known, one);
  uint16_t from = 0, to = 0;
  if (step->is_call) {
    *known = (struct sym_switch){0};
    return;
  }
  const bool is_copy = copies(one, &from, &to) && known->bounded & from, is_entry = loads_entry(known, one);
  const uint64_t table = is_entry ? known->addresses[one->base] : 0;
  known->bounded &= (uint16_t)~writes;
  known->compared = compared;
  known->limit = compared ? (uint64_t)one->immediate + 1 : 0;
  if (known->entry & writes && !target)
    known->entry = 0;
  for (unsigned i = 0; i < 16; i++)
    if (writes >> i & 1)
      known->addresses[i] = 0;
  if (is_copy)
    known->bounded |= to;
  if (cut) {
    known->bounded = cut;
    known->count = (uint64_t)one->immediate + 1;
  }
  if (is_entry) {
    known->entry = bit(one->reg);
    known->is_target = false;
    known->table = table;
    known->table_count = known->count;
  } else if (target) {
    known->entry = target;
    known->is_target = true;
  } else if (is_one_byte(one, 0x8d, true) && one->base == SYM_RIP_REGISTER) {
    known->addresses[one->reg] = at + step->size + (uint64_t)(int64_t)one->displacement;
  }
}

struct sym_switch sym_switch_behind(const struct sym_switch *known, const struct sym_step *jump, bool is_taken)
{
  struct sym_switch behind = *known;
  /* jb, jae, jbe, ja */
  const uint8_t condition = jump->instruction.opcode & 15;
  const bool is_below = condition == 2 || condition == 6, is_above = condition == 3 || condition == 7;
  if (known->compared && (is_taken ? is_below : is_above)) {
    behind.bounded = known->compared;
    behind.count = condition == 2 || condition == 3 ? known->limit - 1 : known->limit;
  }
  behind.compared = 0;
  return behind;
}

/* The `size` bytes at `address`, where one section of constants has them all; else NULL. */
static const uint8_t *constants_at(const struct sym_hook *hook, uint64_t address, uint64_t size)
{
  for (uint32_t i = 0; i < hook->constants.count; i++) {
    const struct sym_code_bytes *section = base_vector_at(&hook->constants, i);
    const uint64_t offset = address - section->address;
    if (address >= section->address && offset < section->size)
      return section->size - offset >= size ? section->bytes + offset : NULL;
  }
  return NULL;
}

uint64_t sym_jump_table_target(const struct sym_jump_table *table, uint32_t i)
{
  uint64_t target;
  int32_t distance;
  if (table->is_absolute) {
    memcpy(&target, table->entries + (size_t)i * sizeof target, sizeof target);
    return target;
  }
  memcpy(&distance, table->entries + (size_t)i * sizeof distance, sizeof distance);
  return table->at + (uint64_t)(int64_t)distance;
}

bool sym_switch_table(const struct sym_hook *hook, const struct sym_switch *known, const struct sym_step *step,
                      uint64_t low, uint64_t high, struct sym_jump_table *table)
{
  const struct sym_instruction *jump = &step->instruction;
  if ((jump->reg & 7) != 4 || jump->has_other_addresses)
    return false;
  uint64_t count = 0;
  if (!jump->is_memory && known->is_target && known->entry && known->entry == bit(jump->rm)) {
    *table = (struct sym_jump_table){.at = known->table};
    count = known->table_count;
  } else if (jump->is_memory && jump->base == SYM_NO_REGISTER && jump->scale == 8 &&
             known->bounded & bit(jump->index)) {
    *table = (struct sym_jump_table){.at = (uint64_t)(int64_t)jump->displacement, .is_absolute = true};
    count = known->count;
  }
  if (!count || count > SYM_JUMPS_MOST)
    return false;
  table->count = (uint32_t)count;
  table->entries = constants_at(hook, table->at, count * (table->is_absolute ? sizeof(uint64_t) : sizeof(int32_t)));
  for (uint32_t i = 0; table->entries && i < table->count; i++) {
    const uint64_t target = sym_jump_table_target(table, i);
    if (target < low || target >= high)
      return false;
  }
  return table->entries != NULL;
}
