#include "flow.h"

#include "flow_instructions.h"
#include "flow_values.h"
#include "frame.h"

static void begin(struct cs_flow *flow, const struct cs_hook *hook, uint64_t pc, int frame_register)
{
  flow->hook = hook;
  flow->frame_register = frame_register;
  flow->at = pc;
  flow->steps = 0;
  flow->store_count = 0;
  for (uint8_t reg = 0; reg < 16; reg++) {
    flow->registers[reg] = cs_flow_one(CS_OP_REG, reg, 0);
    flow->vectors[reg] = cs_flow_one(CS_OP_XMM, reg, 0);
  }
}

void cs_flow_begin_function(struct cs_flow *flow, const struct cs_hook *hook, uint64_t entry)
{
  begin(flow, hook, entry, -1);
}

void cs_flow_begin(struct cs_flow *flow, const struct cs_hook *hook, uint64_t pc, int frame_register)
{
  begin(flow, hook, pc, frame_register);
  for (uint8_t reg = 0; reg < 16; reg++) {
    if (!cs_is_callee_saved(reg) && reg != CS_RSP)
      flow->registers[reg] = cs_flow_unknown;
    flow->vectors[reg] = cs_flow_unknown;
  }
}

/* A direct jump. False when it leaves the section. */
static bool jump(struct cs_flow *flow, const struct cs_instruction *instruction)
{
  flow->at = flow->at + instruction->size + (uint64_t)instruction->immediate;
  return cs_hook_code_at(flow->hook, flow->at) != NULL;
}

bool cs_flow_step(struct cs_flow *flow)
{
  const struct cs_code_section *section = cs_hook_code_at(flow->hook, flow->at);
  struct cs_instruction instruction;
  if (!section || flow->steps++ >= CS_FLOW_STEPS_MAX)
    return false;
  size_t offset = (size_t)(flow->at - section->address);
  if (!cs_decode(section->bytes + offset, section->size - offset, &instruction))
    return false;
  if (instruction.map == CS_MAP_ONE_BYTE && (instruction.opcode == 0xe9 || instruction.opcode == 0xeb))
    return jump(flow, &instruction);
  if (!cs_flow_execute(flow, &instruction))
    return false;
  flow->at += instruction.size;
  return true;
}

static void append(const struct cs_flow_value *value, struct cs_code *code)
{
  for (uint8_t i = 0; i < value->count; i++) {
    const struct cs_op *op = &value->ops[i];
    cs_code_add(code, op->code, op->reg, op->size, op->flags, op->imm);
  }
}

uint8_t cs_flow_push(const struct cs_flow *flow, unsigned reg, struct cs_code *code)
{
  const struct cs_flow_value *value = reg <= CS_R15                       ? &flow->registers[reg]
                                      : reg >= CS_XMM0 && reg <= CS_XMM15 ? &flow->vectors[reg - CS_XMM0]
                                                                          : &cs_flow_unknown;
  append(value, code);
  return value->known;
}

enum cs_flow_memory cs_flow_memory_at(const struct cs_flow *flow, unsigned base, int64_t offset, uint8_t size,
                                      struct cs_code *code)
{
  struct cs_flow_value value;
  enum cs_flow_memory found = cs_flow_look_up(flow, (uint8_t)base, offset, size, &value);
  if (found == CS_FLOW_STORED && code)
    append(&value, code);
  return found;
}
