/*
 * A machine with arbitrary contents, and capture programs run on it.
 */
#include "symbols/verify/machine.h"

#include <string.h>

/* Sebastiano Vigna's splitmix64: every input gives an unrelated output. */
static uint64_t mix(uint64_t x)
{
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

void vf_machine_init(struct vf_machine *machine, uint64_t seed)
{
  uint64_t *words = machine->registers;
  machine->seed = mix(seed);
  for (unsigned i = 0; i < VF_REGISTERS; i++) {
    words[i] = mix(machine->seed + 1 + i);
    machine->vectors[i] = mix(machine->seed + 101 + i);
    machine->entry[i] = mix(machine->seed + 201 + i);
  }
  machine->bias = mix(machine->seed + 301) & ~0xfffull;
  machine->thread_block = mix(machine->seed + 302);
}

/* The byte that the newest store to it left. False: none was stored, or it is not known. */
static bool stored_byte(struct vf_stores *stores, uint64_t address, uint64_t *byte, bool *is_known)
{
  for (unsigned i = stores->count; i-- > 0;) {
    uint64_t offset = address - stores->list[i].address;
    if (offset >= stores->list[i].size)
      continue;
    stores->reads++;
    *is_known = stores->list[i].is_known;
    *byte = stores->list[i].value >> (8 * (offset & 7)) & 0xff;
    return true;
  }
  return false;
}

bool vf_machine_read(const struct vf_machine *machine, uint64_t address, unsigned size, uint64_t *value)
{
  bool all_known = true;
  *value = 0;
  for (unsigned i = 0; i < size; i++) {
    uint64_t byte = mix(machine->seed ^ (address + i)) & 0xff;
    bool is_known = true;
    if (machine->stores)
      stored_byte(machine->stores, address + i, &byte, &is_known);
    all_known &= is_known;
    *value |= byte << (8 * i);
  }
  return all_known;
}

uint64_t vf_machine_load(const struct vf_machine *machine, uint64_t address, unsigned size)
{
  uint64_t value;
  vf_machine_read(machine, address, size, &value);
  return value;
}

uint64_t vf_extend(uint64_t value, unsigned size, bool is_signed)
{
  if (size >= 8)
    return value;
  if (size == 0)
    return 0;
  uint64_t bits = size * 8;
  value &= (UINT64_C(1) << bits) - 1;
  if (is_signed && (value >> (bits - 1)) & 1)
    value |= ~UINT64_C(0) << bits;
  return value;
}

bool vf_site_cfa(const struct vf_machine *machine, const struct fmt_index_site *site, uint64_t *cfa)
{
  if (site->cfa_kind == FMT_CFA_UNKNOWN || site->cfa_register >= VF_REGISTERS)
    return false;
  *cfa = machine->registers[site->cfa_register] + (uint64_t)(int64_t)site->cfa_offset;
  if (site->cfa_kind == FMT_CFA_MEMORY)
    *cfa = vf_machine_load(machine, *cfa, 8);
  return true;
}

/* The stack of a running program. */
struct stack {
  uint64_t words[FMT_STACK_MAX];
  unsigned depth;
};

static bool push(struct stack *stack, uint64_t word)
{
  if (stack->depth == FMT_STACK_MAX)
    return false;
  stack->words[stack->depth++] = word;
  return true;
}

static bool binary(struct stack *stack, uint8_t code)
{
  if (stack->depth < 2)
    return false;
  uint64_t b = stack->words[--stack->depth];
  uint64_t *a = &stack->words[stack->depth - 1];
  int64_t sa = (int64_t)*a, sb = (int64_t)b;
  switch (code) {
  case FMT_OP_AND:
    *a &= b;
    return true;
  case FMT_OP_OR:
    *a |= b;
    return true;
  case FMT_OP_XOR:
    *a ^= b;
    return true;
  case FMT_OP_PLUS:
    *a += b;
    return true;
  case FMT_OP_MINUS:
    *a -= b;
    return true;
  case FMT_OP_MUL:
    *a *= b;
    return true;
  case FMT_OP_DIV:
    if (b == 0)
      return false;
    *a = sb == -1 ? -*a : (uint64_t)(sa / sb);
    return true;
  case FMT_OP_MOD:
    if (b == 0)
      return false;
    *a %= b;
    return true;
  case FMT_OP_SHL:
    *a = b < 64 ? *a << b : 0;
    return true;
  case FMT_OP_SHR:
    *a = b < 64 ? *a >> b : 0;
    return true;
  case FMT_OP_SHRA:
    *a = (uint64_t)(sa >> (b < 64 ? b : 63));
    return true;
  case FMT_OP_EQ:
    *a = sa == sb;
    return true;
  case FMT_OP_NE:
    *a = sa != sb;
    return true;
  case FMT_OP_GE:
    *a = sa >= sb;
    return true;
  case FMT_OP_GT:
    *a = sa > sb;
    return true;
  case FMT_OP_LE:
    *a = sa <= sb;
    return true;
  case FMT_OP_LT:
    *a = sa < sb;
    return true;
  default:
    return false;
  }
}

static bool shuffle(struct stack *stack, const struct fmt_op *op)
{
  uint64_t *top = stack->words + stack->depth;
  uint64_t kept;
  switch (op->code) {
  case FMT_OP_DUP:
    return stack->depth >= 1 && push(stack, top[-1]);
  case FMT_OP_OVER:
    return stack->depth >= 2 && push(stack, top[-2]);
  case FMT_OP_PICK:
    return op->imm >= 0 && (uint64_t)op->imm < stack->depth && push(stack, top[-1 - op->imm]);
  case FMT_OP_DROP:
    return stack->depth && stack->depth--;
  case FMT_OP_SWAP:
    if (stack->depth < 2)
      return false;
    kept = top[-1];
    top[-1] = top[-2];
    top[-2] = kept;
    return true;
  case FMT_OP_ROT:
    if (stack->depth < 3)
      return false;
    kept = top[-1];
    top[-1] = top[-2];
    top[-2] = top[-3];
    top[-3] = kept;
    return true;
  default:
    return false;
  }
}

static bool unary(const struct vf_machine *machine, struct stack *stack, const struct fmt_op *op)
{
  if (!stack->depth)
    return false;
  uint64_t *top = &stack->words[stack->depth - 1];
  bool is_signed = op->flags & FMT_OPF_SIGNED;
  switch (op->code) {
  case FMT_OP_FRAME_LOAD:
  case FMT_OP_LOAD:
    *top = vf_machine_load(machine, *top + (uint64_t)op->imm, op->size);
    return true;
  case FMT_OP_ADD_CONST:
    *top += (uint64_t)op->imm;
    return true;
  case FMT_OP_ABS:
    *top = (int64_t)*top < 0 ? -*top : *top;
    return true;
  case FMT_OP_NEG:
    *top = -*top;
    return true;
  case FMT_OP_NOT:
    *top = ~*top;
    return true;
  case FMT_OP_EXTEND:
    *top = vf_extend(*top, op->size, is_signed);
    return true;
  case FMT_OP_BITS:
    *top >>= op->imm;
    if (op->size < 64) {
      *top &= (UINT64_C(1) << op->size) - 1;
      if (is_signed && (*top >> (op->size - 1)) & 1)
        *top |= ~UINT64_C(0) << op->size;
    }
    return true;
  default:
    return false;
  }
}

static bool push_source(const struct vf_machine *machine, const struct fmt_index_site *site, struct stack *stack,
                        const struct fmt_op *op, bool *is_source)
{
  uint64_t cfa;
  *is_source = true;
  if ((op->code == FMT_OP_REG || op->code == FMT_OP_XMM || op->code == FMT_OP_ENTRY) && op->reg >= VF_REGISTERS)
    return false;
  switch (op->code) {
  case FMT_OP_REG:
    return push(stack, machine->registers[op->reg]);
  case FMT_OP_XMM:
    return push(stack, machine->vectors[op->reg]);
  case FMT_OP_ENTRY:
    return push(stack, machine->entry[op->reg]);
  case FMT_OP_CONST:
    return push(stack, (uint64_t)op->imm);
  case FMT_OP_ADDRESS:
    return push(stack, (uint64_t)op->imm + machine->bias);
  case FMT_OP_TLS:
    return push(stack, (uint64_t)op->imm + machine->thread_block);
  case FMT_OP_CFA:
    return vf_site_cfa(machine, site, &cfa) && push(stack, cfa);
  default:
    *is_source = false;
    return true;
  }
}

/* Ops that emit. True: `emitted` holds the value. */
static bool emit(const struct vf_machine *machine, const struct stack *stack, const struct fmt_op *op,
                 struct vf_emitted *emitted)
{
  bool is_signed = op->flags & FMT_OPF_SIGNED;
  uint64_t top = stack->depth ? stack->words[stack->depth - 1] : 0;
  switch (op->code) {
  case FMT_OP_EMIT_REG:
    emitted->value = vf_extend(machine->registers[op->reg % VF_REGISTERS], op->size, is_signed);
    return true;
  case FMT_OP_EMIT_NULL_REG:
    emitted->value = machine->registers[op->reg % VF_REGISTERS];
    emitted->is_nullness = true;
    return true;
  case FMT_OP_EMIT_CONST:
    emitted->value = (uint64_t)op->imm;
    emitted->is_constant = true;
    return true;
  case FMT_OP_EMIT_FRAME:
  case FMT_OP_EMIT_NULL_FRAME:
    emitted->is_nullness = op->code == FMT_OP_EMIT_NULL_FRAME;
    emitted->value = machine->registers[op->reg % VF_REGISTERS] + (uint64_t)op->imm;
    emitted->value = vf_machine_load(machine, emitted->value, emitted->is_nullness ? 8 : op->size);
    emitted->value = vf_extend(emitted->value, emitted->is_nullness ? 8 : op->size, is_signed);
    return true;
  case FMT_OP_EMIT:
    emitted->value = vf_extend(top, op->size, is_signed);
    return stack->depth > 0;
  case FMT_OP_EMIT_NULL:
    emitted->value = top;
    emitted->is_nullness = true;
    return stack->depth > 0;
  case FMT_OP_EMIT_LOG2:
  case FMT_OP_EMIT_RANGE:
    emitted->value = top;
    return stack->depth > 0;
  default:
    return false;
  }
}

bool vf_run_ops(const struct vf_machine *machine, const struct fmt_index *index, const struct fmt_index_site *site,
                uint16_t arg, struct vf_emitted *emitted)
{
  struct stack stack = {.depth = 0};
  *emitted = (struct vf_emitted){0};
  for (uint32_t i = 0; i < site->op_count; i++) {
    const struct fmt_op *op = &index->ops[site->first_op + i];
    bool done;
    if (op->arg != arg)
      continue;
    if (emit(machine, &stack, op, emitted))
      return true;
    if (!push_source(machine, site, &stack, op, &done))
      return false;
    if (done)
      continue;
    if (op->code == FMT_OP_SKIP) {
      i += (uint32_t)op->imm;
    } else if (op->code == FMT_OP_BRANCH) {
      if (!stack.depth)
        return false;
      if (stack.words[--stack.depth] != 0)
        i += (uint32_t)op->imm;
    } else if (!unary(machine, &stack, op) && !shuffle(&stack, op) && !binary(&stack, op->code)) {
      return false;
    }
  }
  return false;
}
