/*
 * Follows straight code, instruction by instruction, and tells what registers and memory hold then.
 */
#include "symbols/flow/flow.h"

#include <string.h>

#include "symbols/flow/flow_instructions.h"
#include "symbols/flow/flow_values.h"
#include "symbols/flow/step.h"

static void begin(struct sym_flow *flow, const struct sym_hook *hook, uint64_t pc, struct sym_frame_bases bases)
{
  flow->hook = hook;
  flow->bases = bases;
  flow->at = pc;
  flow->steps = 0;
  flow->store_count = 0;
  flow->spills = NULL;
  for (uint8_t reg = 0; reg < FMT_REGISTERS_MAX; reg++) {
    flow->registers[reg] = sym_flow_one(FMT_OP_REG, reg, 0);
    flow->vectors[reg] = sym_flow_one(FMT_OP_XMM, reg, 0);
  }
}

void sym_flow_begin_function(struct sym_flow *flow, const struct sym_hook *hook, uint64_t entry)
{
  begin(flow, hook, entry, (struct sym_frame_bases){hook->processor->stack_pointer, -1});
}

/* Forgets the registers that a call may change. */
static void forget_registers(struct sym_flow *flow)
{
  const struct sym_processor *processor = flow->hook->processor;
  for (uint8_t reg = 0; reg < FMT_REGISTERS_MAX; reg++) {
    if (!sym_is_callee_saved(processor, reg) && reg != processor->stack_pointer)
      flow->registers[reg] = sym_flow_unknown;
    flow->vectors[reg] = sym_flow_unknown;
  }
}

void sym_flow_begin(struct sym_flow *flow, const struct sym_hook *hook, uint64_t pc, struct sym_frame_bases bases)
{
  begin(flow, hook, pc, bases);
  forget_registers(flow);
}

/* A direct jump. False when it leaves the section. */
static bool jump(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  flow->at = flow->at + instruction->size + (uint64_t)instruction->immediate;
  return sym_hook_code_at(flow->hook, flow->at) != NULL;
}

bool sym_flow_step(struct sym_flow *flow)
{
  const struct sym_code_bytes *section = sym_hook_code_at(flow->hook, flow->at);
  struct sym_instruction instruction;
  if (!section || !flow->hook->processor->has_flow || flow->steps++ >= SYM_FLOW_STEPS_MAX)
    return false;
  size_t offset = (size_t)(flow->at - section->address);
  if (!sym_decode(section->bytes + offset, section->size - offset, &instruction))
    return false;
  if (instruction.map == SYM_MAP_ONE_BYTE && (instruction.opcode == 0xe9 || instruction.opcode == 0xeb))
    return jump(flow, &instruction);
  if (!sym_flow_execute(flow, &instruction))
    return false;
  flow->at += instruction.size;
  return true;
}

static bool is_same(const struct sym_flow_value *one, const struct sym_flow_value *other)
{
  return one->known == other->known && one->count == other->count &&
         memcmp(one->ops, other->ops, one->count * sizeof *one->ops) == 0;
}

/* Leaves of registers what both ways hold, which begin at `before` and lead to here. */
static void meet(struct sym_flow *flow, const struct sym_flow *before)
{
  for (uint8_t reg = 0; reg < FMT_REGISTERS_MAX; reg++) {
    if (!is_same(&flow->registers[reg], &before->registers[reg]))
      flow->registers[reg] = sym_flow_unknown;
    if (!is_same(&flow->vectors[reg], &before->vectors[reg]))
      flow->vectors[reg] = sym_flow_unknown;
  }
  for (unsigned i = before->store_count; i < flow->store_count; i++)
    flow->stores[i].value = sym_flow_unknown;
}

bool sym_flow_step_over(struct sym_flow *flow)
{
  struct sym_step step;
  if (!sym_step_at(flow->hook, flow->at, UINT64_MAX, &step) || !step.falls_through || step.target <= flow->at)
    return sym_flow_step(flow);
  const struct sym_flow before = *flow;
  flow->at += step.size;
  while (flow->at < step.target)
    if (!sym_flow_step(flow))
      return false;
  meet(flow, &before);
  return flow->at == step.target;
}

bool sym_flow_step_past_call(struct sym_flow *flow)
{
  struct sym_step step;
  if (!sym_step_at(flow->hook, flow->at, UINT64_MAX, &step) || !step.is_call)
    return sym_flow_step(flow);
  forget_registers(flow);
  flow->at += step.size;
  return flow->steps++ < SYM_FLOW_STEPS_MAX && sym_flow_store(flow, &sym_flow_unknown, 1, sym_flow_unknown);
}

bool sym_flow_step_past_jump(struct sym_flow *flow, bool is_taken)
{
  struct sym_step step;
  if (!sym_step_at(flow->hook, flow->at, UINT64_MAX, &step) || !step.target || !step.falls_through || step.is_call)
    return sym_flow_step(flow);
  flow->at = is_taken ? step.target : flow->at + step.size;
  return flow->steps++ < SYM_FLOW_STEPS_MAX && sym_hook_code_at(flow->hook, flow->at);
}

static void append(const struct sym_flow_value *value, struct sym_code *code)
{
  for (uint8_t i = 0; i < value->count; i++) {
    const struct fmt_op *op = &value->ops[i];
    sym_code_add(code, op->code, op->reg, op->size, op->flags, op->imm);
  }
}

uint8_t sym_flow_push(const struct sym_flow *flow, unsigned reg, struct sym_code *code)
{
  const struct sym_processor *processor = flow->hook->processor;
  const struct sym_flow_value *value = reg < processor->register_count ? &flow->registers[reg]
                                       : sym_is_vector(processor, reg) ? &flow->vectors[reg - processor->first_vector]
                                                                       : &sym_flow_unknown;
  append(value, code);
  return value->known;
}

enum sym_flow_memory sym_flow_memory_at(const struct sym_flow *flow, unsigned base, int64_t offset, uint8_t size,
                                        struct sym_code *code)
{
  struct sym_flow_value value;
  enum sym_flow_memory found = sym_flow_look_up(flow, (uint8_t)base, offset, size, &value);
  if (found == SYM_FLOW_STORED && code)
    append(&value, code);
  return found;
}
