/*
 * The ops of a fast comparison, made from the programs of a site's args.
 */
#include "profiler/tree/compare_ops.h"

#include "format/index.h"
#include "profiler/arch/registers.h"
#include "profiler/base/signature.h"
#include "profiler/tree/caller_values.h"
#include "profiler/tree/capture.h"

/* What one arg's ops come to: a value in one of the ways that the fast path knows, and how it is emitted. */
struct summary {
  enum { FROM_REGISTER, FROM_FRAME, CONSTANT, LOST } source; /* LOST: no word, each time */
  bool nullness;
  uint8_t reg, size, flags;
  int64_t offset;
};

static bool summarize_single(const struct fmt_op *op, struct summary *summary)
{
  *summary = (struct summary){.reg = op->reg, .size = op->size, .flags = op->flags};
  switch (op->code) {
  case FMT_OP_EMIT_CONST:
    summary->source = CONSTANT;
    return true;
  case FMT_OP_EMIT_NULL_REG:
    summary->nullness = true;
    return true;
  case FMT_OP_EMIT_REG:
    return true;
  case FMT_OP_EMIT_FRAME:
  case FMT_OP_EMIT_NULL_FRAME:
    summary->nullness = op->code == FMT_OP_EMIT_NULL_FRAME;
    summary->source = FROM_FRAME;
    summary->offset = op->imm;
    return true;
  default:
    return false;
  }
}

/* What the caller that it is made for passed in register `reg`, plus summary->offset. */
static bool summarize_entry(const struct prof_fast_compare *compare, uint8_t reg, struct summary *summary)
{
  const struct prof_site *site = compare->site;
  if (!compare->return_pc || site->cfa_kind != FMT_CFA_REGISTER)
    return false;
  const struct fmt_index_call_value *passed = prof_capture_passed(site, compare->return_pc, reg);
  if (!passed || passed->kind == FMT_CALL_CONST || passed->kind == FMT_CALL_ADDRESS) {
    summary->source = passed ? CONSTANT : LOST;
    return true;
  }
  if (passed->kind == FMT_CALL_FRAME) {
    summary->source = FROM_REGISTER;
    summary->reg = site->cfa_register;
    summary->offset += passed->imm + site->cfa_offset;
    return true;
  }
  const struct fmt_index_saved *saved = prof_capture_saved(site, passed->source);
  summary->offset += passed->imm;
  if (saved && summary->offset != 0)
    return false;
  summary->source = saved ? FROM_FRAME : FROM_REGISTER;
  summary->reg = saved ? site->cfa_register : passed->source;
  summary->offset += saved ? site->cfa_offset + saved->cfa_offset : 0;
  return true;
}

/* A register, the frame's address, or what the caller passed, plus a constant. */
static bool summarize_sum(const struct prof_fast_compare *compare, const struct fmt_op *ops, uint32_t count,
                          struct summary *summary)
{
  const struct prof_site *site = compare->site;
  const struct fmt_op *emit = &ops[count - 1];
  if (count < 2 || count > 3 || (count == 3 && ops[1].code != FMT_OP_ADD_CONST) ||
      (emit->code != FMT_OP_EMIT && emit->code != FMT_OP_EMIT_NULL))
    return false;
  *summary = (struct summary){.nullness = emit->code == FMT_OP_EMIT_NULL, .size = emit->size, .flags = emit->flags};
  summary->offset = count == 3 ? ops[1].imm : 0;
  if (ops[0].code == FMT_OP_CONST || ops[0].code == FMT_OP_ADDRESS) {
    summary->source = CONSTANT;
  } else if (ops[0].code == FMT_OP_ENTRY) {
    return summarize_entry(compare, ops[0].reg, summary);
  } else if (ops[0].code == FMT_OP_REG) {
    summary->reg = ops[0].reg;
  } else if (ops[0].code == FMT_OP_CFA && site->cfa_kind == FMT_CFA_REGISTER) {
    summary->reg = site->cfa_register;
    summary->offset += site->cfa_offset;
  } else {
    return false;
  }
  return true;
}

/* False where nothing but the interpreter knows what the arg's ops come to. */
static bool summarize(const struct prof_fast_compare *compare, const struct fmt_op *ops, uint32_t count,
                      struct summary *summary)
{
  return count == 1 ? summarize_single(ops, summary) : summarize_sum(compare, ops, count, summary);
}

static uint8_t frame_kind(uint8_t size)
{
  return size == 8   ? PROF_COMPARE_FRAME8
         : size == 4 ? PROF_COMPARE_FRAME4
         : size == 2 ? PROF_COMPARE_FRAME2
                     : PROF_COMPARE_FRAME1;
}

/* Around a frame: the red zone below it, and above it arguments that the caller left in its own. */
enum { RED_ZONE = 128, PASSED_MOST = 128 };

/* May it be read without looking whether it is there: is it in the frame that was proven when the site was met? */
static bool is_in_frame(const struct prof_site *site, uint8_t reg, int64_t offset)
{
  if (site->frame_size == 0 || (reg != PROF_SP && reg != site->cfa_register))
    return false;
  int64_t from_cfa = offset - (reg == site->cfa_register ? site->cfa_distance : (int64_t)site->frame_size);
  return from_cfa >= -(int64_t)site->frame_size - RED_ZONE && from_cfa <= PASSED_MOST - 8;
}

/* The op that compares such a value at this level of widening; false when there is none. */
static bool compare_op(const struct prof_site *site, const struct summary *summary, unsigned level,
                       struct prof_fast_compare_op *op)
{
  if (summary->source == CONSTANT) {
    *op = (struct prof_fast_compare_op){.kind = PROF_COMPARE_SKIP};
    return true;
  }
  uint8_t size = summary->size;
  bool in_frame = summary->source == FROM_FRAME;
  if (in_frame && !is_in_frame(site, summary->reg, summary->offset))
    return false;
  if (summary->reg >= PROF_REGISTERS || summary->offset != (int32_t)summary->offset ||
      (in_frame && level == FMT_WIDEN_LOG2) ||
      (in_frame && size != 8 && size != 4 && size != 2 && size != 1 && !summary->nullness))
    return false;
  *op = (struct prof_fast_compare_op){.reg = summary->reg,
                                      .shift = size >= 8 ? 0 : (uint8_t)(64 - 8 * size),
                                      .flags = summary->flags & FMT_OPF_SIGNED,
                                      .offset = (int32_t)summary->offset};
  if (level == FMT_WIDEN_LOG2)
    op->kind = PROF_COMPARE_LOG2;
  else if (in_frame)
    op->kind = summary->nullness ? PROF_COMPARE_FRAME_NULL : frame_kind(size);
  else
    op->kind = summary->nullness ? PROF_COMPARE_REG_NULL : PROF_COMPARE_REG;
  return true;
}

/* The first ops of what holds for one return address: is this call one that returns there? Where that lies is known,
 * since it was read there. */
static void compare_return(struct prof_fast_compare *compare)
{
  uint64_t pc = compare->return_pc;
  int32_t offset = 0;
  prof_capture_return_offset(compare->site, &offset);
  compare->ops[0] = (struct prof_fast_compare_op){
      .kind = PROF_COMPARE_RETURN, .reg = compare->site->cfa_register, .offset = compare->site->cfa_offset + offset};
  _Static_assert(sizeof compare->ops[1] == sizeof pc, "an address takes the place of an op");
  __builtin_memcpy(&compare->ops[1], &pc, sizeof pc);
  compare->count = 2;
}

/* The op of the word that says where the call was made: what the hook was given, the top of the stack at a sled, and
 * where a function was inlined its site, which no other call has. */
static struct prof_fast_compare_op call_site_op(const struct prof_site *site)
{
  if (site->inlined)
    return (struct prof_fast_compare_op){.kind = PROF_COMPARE_SKIP};
  if (site->sled)
    return (struct prof_fast_compare_op){.kind = PROF_COMPARE_FRAME8, .reg = PROF_SP};
  return (struct prof_fast_compare_op){.kind = PROF_COMPARE_REG, .reg = PROF_CALL_SITE};
}

/* Ops of the arg whose program begins here. */
static uint32_t arg_ops(const struct fmt_op *ops)
{
  uint32_t count = 1;
  while (ops[count - 1].code > FMT_OP_EMIT_NULL_FRAME && ops[count - 1].code < FMT_OP_EMIT)
    count++;
  return count;
}

static bool is_whole(uint8_t size)
{
  return size == 8 || size == 4 || size == 2 || size == 1;
}

/* Adds the ops of the arg whose program begins at the site's op `first`, and has `count`, when it follows pointers from
 * a register to a value or a text: each leads to the next, at an offset. */
static bool fill_behind(struct prof_fast_compare *compare, uint32_t first, uint32_t count, unsigned level)
{
  const struct fmt_op *ops = &compare->site->ops[first], *emit = &ops[count - 1];
  struct prof_fast_compare_op next = {.reg = ops[0].reg};
  uint32_t added = compare->count;
  int64_t offset = 0;
  if (ops[0].code != FMT_OP_REG || ops[0].reg >= PROF_REGISTERS)
    return false;
  for (const struct fmt_op *op = ops + 1; op != emit; op++) {
    if (op->code == FMT_OP_ADD_CONST) {
      offset += op->imm;
      continue;
    }
    offset += op->imm;
    const bool is_last = op + 1 == emit && emit->code == FMT_OP_EMIT;
    if (op->code != FMT_OP_LOAD || op->flags & FMT_OPF_STORAGE || offset != (int32_t)offset ||
        !(is_last ? is_whole(emit->size) && emit->size <= op->size : op->size == 8))
      return false;
    next.kind = is_last ? PROF_COMPARE_LOAD : PROF_COMPARE_STEP;
    next.shift = is_last ? (uint8_t)(64 - 8 * emit->size) : 0;
    if (is_last)
      next.flags |= (emit->flags & FMT_OPF_SIGNED) | (level == FMT_WIDEN_LOG2 ? PROF_COMPARE_BUCKET : 0);
    next.offset = (int32_t)offset;
    compare->ops[added++] = next;
    next.flags = PROF_COMPARE_BEHIND;
    offset = 0;
  }
  if (emit->code == FMT_OP_EMIT_STRING && offset == 0 && emit->imm >= 1 && emit->imm <= FMT_STRING_MAX) {
    next.kind = PROF_COMPARE_TEXT;
    next.shift = (uint8_t)(emit->imm - 1);
    next.offset = (int32_t)first;
    compare->ops[added++] = next;
    compare->texts = true;
  } else if (added == compare->count || compare->ops[added - 1].kind != PROF_COMPARE_LOAD) {
    return false;
  }
  compare->count = added;
  compare->compared++;
  return true;
}

/* Fills the ops, one for each word of a signature whose args are all read; false when the interpreter has to
 * run. */
static bool fill_ops(struct prof_fast_compare *compare, const uint8_t *levels)
{
  const struct prof_site *site = compare->site;
  if (compare->return_pc && !is_in_frame(site, site->cfa_register, site->cfa_distance - 8))
    return false;
  if (compare->return_pc)
    compare_return(compare);
  for (uint32_t first = 0, count; first < site->op_count; first += count) {
    const struct fmt_op *ops = &site->ops[first];
    count = arg_ops(ops);
    unsigned level = levels ? levels[ops->arg] : FMT_WIDEN_NONE;
    struct summary summary;
    bool known = summarize(compare, ops, count, &summary);
    if (level == FMT_WIDEN_TYPE || (known && summary.source == LOST))
      continue;
    if (!known || !compare_op(site, &summary, level, &compare->ops[compare->count])) {
      if (!fill_behind(compare, first, count, level))
        return false;
      continue;
    }
    compare->count++;
    compare->compared++;
  }
  return !compare->texts || !(compare->call_site || site->uses_entry || site->uses_xmm);
}

/* Fills the ops of a comparison whose words are those of args and then the call site. */
static bool fill(struct prof_fast_compare *compare, const uint8_t *levels)
{
  if (compare->arguments && !fill_ops(compare, levels))
    return false;
  if (compare->call_site) {
    compare->ops[compare->count++] = call_site_op(compare->site);
    compare->compared++;
  }
  return true;
}

static void set_states(struct prof_fast_compare *compare)
{
  for (uint32_t i = 0; i < compare->site->state_words; i++)
    prof_compare_states(compare)[i] = compare->site->states[i];
}

/* The same with what a signature has at these levels if all of its args are read. */
static void set_read_states(struct prof_fast_compare *compare, const uint8_t *levels)
{
  const struct prof_site *site = compare->site;
  set_states(compare);
  for (uint32_t first = 0, count; levels && first < site->op_count; first += count) {
    const struct fmt_op *ops = &site->ops[first];
    count = arg_ops(ops);
    if (levels[ops->arg] == FMT_WIDEN_TYPE)
      prof_signature_set_state(prof_compare_states(compare), ops->arg, FMT_STATE_TYPE);
    else if (levels[ops->arg] == FMT_WIDEN_LOG2 && ops[count - 1].code != FMT_OP_EMIT_STRING)
      prof_signature_set_state(prof_compare_states(compare), ops->arg, FMT_STATE_LOG2);
  }
}

/* The same where the interpreter has to run: for those args alone that need it. They are told by all of their words,
 * with what the others emit, and by the states. */
static void fill_programs(struct prof_fast_compare *compare, const uint8_t *levels)
{
  const struct prof_site *site = compare->site;
  uint32_t needed = compare->call_site;
  for (uint32_t first = 0; first < site->op_count; first += arg_ops(&site->ops[first]))
    needed++;
  if (needed > PROF_PROBE_OPS || site->uses_xmm || site->uses_entry)
    return;
  compare->probed = (uint16_t)needed;
  set_states(compare);
  uint64_t *states = prof_compare_states(compare);
  struct prof_fast_compare_op *op = compare->ops;
  for (uint32_t first = 0, count; first < site->op_count; first += count, op++) {
    const struct fmt_op *ops = &site->ops[first];
    count = arg_ops(ops);
    unsigned level = levels ? levels[ops->arg] : FMT_WIDEN_NONE;
    struct summary summary;
    bool known = summarize(compare, ops, count, &summary);
    if (!known || level == FMT_WIDEN_TYPE || summary.source == CONSTANT || summary.source == LOST ||
        !compare_op(site, &summary, level, op))
      *op = (struct prof_fast_compare_op){.kind = PROF_COMPARE_PROGRAM, .offset = (int32_t)first};
    else if (level == FMT_WIDEN_LOG2)
      prof_signature_set_state(states, ops->arg, FMT_STATE_LOG2);
  }
  if (compare->call_site)
    *op = call_site_op(site);
}

static void fill_all(struct prof_fast_compare *compare, const uint8_t *levels)
{
  compare->fast = fill(compare, levels);
  if (!compare->fast) {
    compare->count = compare->compared = 0;
    compare->texts = false;
    fill_programs(compare, levels);
  } else if (compare->count <= PROF_PROBE_OPS) {
    compare->probed = (uint16_t)compare->count;
    if (compare->texts)
      set_read_states(compare, levels);
  }
}

void prof_compare_fill_ops(struct prof_fast_compare *compare, const uint8_t *levels)
{
  fill_all(compare, levels);
  compare->registers = compare->count && compare->probed;
  for (uint32_t i = 0; i < compare->count; i++) {
    const uint8_t kind = compare->ops[i].kind;
    compare->registers = compare->registers && kind == PROF_COMPARE_REG;
    compare->loads = compare->loads || kind == PROF_COMPARE_LOAD || kind == PROF_COMPARE_STEP;
  }
}
