/*
 * Carries function addresses through instructions of aarch64, in registers and slots of the frame.
 */
#include "symbols/flow/constants.h"
#include "symbols/processor/aarch64_code.h"

enum { FP = 29, LR = 30, SP = 31 };

/* What address mode a load or store of one or two 8-byte registers has. */
struct access {
  bool is_load, is_pair, has_unknown_size;
  unsigned base, first, second;
  int64_t offset;    /* from the base, of what is accessed */
  int64_t writeback; /* what the base changes by */
};

/* The key of the slot at a register's value plus `offset`. False: it is none of the frame's. */
static bool slot_key(const struct sym_constants *state, unsigned base, int64_t offset, int64_t *key)
{
  *key = base == FP ? SYM_FRAME_KEYS + offset : offset - state->depth;
  return base == FP || (base == SP && state->has_depth);
}

static void set(struct sym_constants *state, unsigned reg, uint64_t value)
{
  if (reg != SP) /* which means the zero register */
    state->registers[reg] = value;
}

static bool is_known(uint64_t value)
{
  return value != SYM_CONSTANT_NONE && value != SYM_CONSTANT_SEVERAL;
}

/* add and sub of a constant, 8 bytes. */
static void add_constant(struct sym_constants *state, uint32_t word)
{
  unsigned target = word & 31, source = word >> 5 & 31;
  int64_t amount = (int64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);
  if (word >> 30 & 1)
    amount = -amount;
  bool sets_flags = word >> 29 & 1;
  if (target == SP && !sets_flags) {
    state->has_depth &= source == SP;
    state->depth -= amount;
    return;
  }
  uint64_t value = source == SP ? SYM_CONSTANT_NONE : state->registers[source];
  set(state, target, is_known(value) ? value + (uint64_t)amount : SYM_CONSTANT_NONE);
}

/* Reads a load or store that names its address by a register and a constant. False: it is another instruction. */
static bool read_access(uint32_t word, struct access *access)
{
  *access =
      (struct access){.base = word >> 5 & 31, .first = word & 31, .second = word >> 10 & 31, .is_load = word >> 22 & 1};
  bool is_vector = word >> 26 & 1;
  if ((word & 0x3a000000) == 0x28000000) { /* ldp, stp and those of vector registers */
    unsigned mode = word >> 23 & 3;
    unsigned size = is_vector ? 4u << (word >> 30) : word >> 31 ? 8 : 4;
    int64_t offset = sym_aarch64_signed(word, 15, 7) * (int64_t)size;
    access->is_pair = true;
    access->has_unknown_size = word >> 30 != 2 || is_vector;
    access->offset = mode == 1 ? 0 : offset;
    access->writeback = mode == 1 || mode == 3 ? offset : 0;
    return true;
  }
  if ((word & 0x3b000000) == 0x39000000) { /* with an unsigned multiple */
    access->offset = (int64_t)(word >> 10 & 0xfff) << (is_vector && word >> 23 & 1 ? 4 : word >> 30);
    access->is_load = is_vector ? word >> 22 & 1 : (word >> 22 & 3) != 0;
    access->has_unknown_size = word >> 30 != 3 || is_vector || word >> 22 & 2;
    return true;
  }
  if ((word & 0x3b200000) == 0x38000000) { /* with a signed number: plain, or before or after changing the base */
    unsigned mode = word >> 10 & 3;
    int64_t offset = sym_aarch64_signed(word, 12, 9);
    access->offset = mode == 1 ? 0 : offset;
    access->writeback = mode == 1 || mode == 3 ? offset : 0;
    access->is_load = is_vector ? word >> 22 & 1 : (word >> 22 & 3) != 0;
    access->has_unknown_size = word >> 30 != 3 || is_vector || word >> 22 & 2;
    return true;
  }
  return false;
}

/* What a load of 8 bytes at a register's value plus `offset` gives: a slot of the frame, or one of the global offset
 * table. */
static uint64_t loaded(struct sym_constants *state, struct sym_constant_slots *slots, const struct sym_hook *hook,
                       unsigned base, int64_t offset)
{
  int64_t key;
  if (slot_key(state, base, offset, &key)) {
    const uint64_t *slot = sym_constants_slot(state, slots, key, false);
    return slot ? *slot : SYM_CONSTANT_NONE;
  }
  if (base == SP || !is_known(state->registers[base]))
    return SYM_CONSTANT_NONE;
  const struct sym_hook_slot *slot = sym_hook_slot_at(hook, state->registers[base] + (uint64_t)offset);
  return slot ? slot->value : SYM_CONSTANT_NONE;
}

static void move_memory(struct sym_constants *state, struct sym_constant_slots *slots, const struct sym_hook *hook,
                        const struct access *access)
{
  unsigned count = access->is_pair ? 2 : 1;
  if (access->base == SP)
    state->depth -= access->writeback; /* the stack pointer as it is after, and the slots from there */
  int64_t back = access->base == SP ? access->writeback : 0, key;
  for (unsigned i = 0; i < count; i++) {
    unsigned reg = i ? access->second : access->first;
    int64_t offset = access->offset - back + 8 * (int64_t)i;
    if (access->is_load)
      set(state, reg, access->has_unknown_size ? SYM_CONSTANT_NONE : loaded(state, slots, hook, access->base, offset));
    else if (slot_key(state, access->base, offset, &key) && access->has_unknown_size)
      sym_constants_overwrite(state, slots, key, 32);
    else if (slot_key(state, access->base, offset, &key))
      sym_constants_store(state, slots, key, reg == SP ? SYM_CONSTANT_NONE : state->registers[reg]);
  }
  if (access->writeback && access->base != SP)
    state->registers[access->base] = SYM_CONSTANT_NONE;
}

static void call(struct sym_constants *state)
{
  for (unsigned reg = 0; reg <= 18; reg++)
    state->registers[reg] = SYM_CONSTANT_NONE;
  state->registers[LR] = SYM_CONSTANT_NONE;
}

/* Forgets every general register that an instruction which is not followed may write: more than it does write, never
 * less. */
static void forget(struct sym_constants *state, uint32_t word)
{
  bool is_memory = (word & 0x0a000000) == 0x08000000;
  bool may_write_stack_pointer = (word & 0x1fe00000) == 0x0b200000 || (word & 0x1f800000) == 0x12000000;
  set(state, word & 31, SYM_CONSTANT_NONE);
  if (is_memory) {
    set(state, word >> 5 & 31, SYM_CONSTANT_NONE);
    set(state, word >> 10 & 31, SYM_CONSTANT_NONE);
    set(state, word >> 16 & 31, SYM_CONSTANT_NONE);
  }
  if (may_write_stack_pointer && (word & 31) == SP)
    state->has_depth = false;
}

void sym_constants_apply_aarch64(struct sym_constants *state, struct sym_constant_slots *slots,
                                 const struct sym_hook *hook, uint64_t at, uint32_t word)
{
  struct access access;
  unsigned target = word & 31;
  if (sym_aarch64_is_bl(word) || (word & 0xfffffc1f) == 0xd63f0000) {
    call(state);
  } else if ((word & 0x1c000000) == 0x14000000) {
    if ((word & 0xfff00000) == 0xd5300000) /* mrs; the others are branches, exceptions and what writes no register */
      set(state, target, SYM_CONSTANT_NONE);
  } else if ((word & 0x9f000000) == 0x90000000) {
    set(state, target, sym_aarch64_page(word, at));
  } else if ((word & 0x9f000000) == 0x10000000) {
    set(state, target, sym_aarch64_near(word, at));
  } else if ((word & 0x9f800000) == 0x91000000) {
    add_constant(state, word);
  } else if ((word & 0xffe0ffe0) == 0xaa0003e0) { /* mov */
    unsigned source = word >> 16 & 31;
    set(state, target, source == SP ? SYM_CONSTANT_NONE : state->registers[source]);
  } else if (read_access(word, &access)) {
    move_memory(state, slots, hook, &access);
  } else {
    forget(state, word);
  }
}
