/*
 * The interpreter of capture programs.
 *
 * Memory that belongs to the program's own frame is read directly, as far as it is sure to be there: the page that the
 * stack pointer leads to. Any other address goes through prof_read_memory(), which fails where a load would fault, so a
 * dangling argument, or an index that lies about a frame, costs a state and no more.
 */
#include "profiler/tree/capture.h"

#include <errno.h>

#include "profiler/arch/primitives.h"
#include "profiler/base/read_memory.h"
#include "profiler/base/signature.h"
#include "profiler/tree/caller_values.h"
#include "profiler/tree/capture_arithmetic.h"

uintptr_t prof_capture_cfa(const struct prof_site *site, const struct prof_registers *registers)
{
  uintptr_t base =
      registers->general[site->cfa_register & (PROF_REGISTERS - 1)] + (uintptr_t)(intptr_t)site->cfa_offset;
  uint64_t cfa = 0;
  if (site->cfa_kind != FMT_CFA_MEMORY)
    return base;
  return prof_read_frame(&cfa, registers->general[PROF_SP], base, 8) == 0 ? cfa : 0;
}

/* ------------------------------------------------------------------------------------------------------------------ */

struct machine {
  const struct prof_capture *capture;
  uint64_t stack[FMT_STACK_MAX];
  unsigned depth;
  uint64_t *words, *out, *end; /* of the whole signature: start, next, one past the capacity */
  bool overflow;
};

enum outcome { GO_ON, EMITTED, LOST = FMT_STATE_LOST + 16, UNREADABLE = FMT_STATE_UNREADABLE + 16 };

#ifdef __clang_analyzer__
/* It does not know what format/program.c has checked of the program: no operation takes more off the stack than lies
 * there. */
void prof_analysed_stack(uint64_t *stack);
#else
#define prof_analysed_stack(stack) ((void)0)
#endif

static uint64_t *top_of(struct machine *m)
{
  return &m->stack[m->depth - 1];
}

static uintptr_t stack_pointer(const struct machine *m)
{
  return m->capture->registers->general[PROF_SP];
}

static void push(struct machine *m, uint64_t value)
{
  m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
  return m->stack[--m->depth];
}

static void put(struct machine *m, uint64_t word)
{
  if (m->out < m->end)
    *m->out++ = word;
  else
    m->overflow = true;
}

static unsigned level_of(const struct machine *m, unsigned arg)
{
  return m->capture->levels ? m->capture->levels[arg] : FMT_WIDEN_NONE;
}

/* One word of an arg: its value, or the bucket that it lies in. */
static enum outcome emit_word(struct machine *m, const struct fmt_op *op, uint64_t word)
{
  if (level_of(m, op->arg) == FMT_WIDEN_LOG2) {
    prof_signature_set_state(m->words, op->arg, FMT_STATE_LOG2);
    word = (uint64_t)fmt_bucket_log2(word, op->flags & FMT_OPF_SIGNED);
  }
  put(m, word);
  return EMITTED;
}

/* `size` bytes as words, the last one filled up with zeros. */
static void put_bytes(struct machine *m, const uint8_t *bytes, uint64_t size)
{
  uint64_t word = 0;
  for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
    __builtin_memcpy(&word, bytes, sizeof word);
    put(m, word);
  }
  if (!size)
    return;
  word = 0;
  for (uint64_t i = 0; i < size; i++)
    word |= (uint64_t)bytes[i] << 8 * i;
  put(m, word);
}

/* The bytes of a string into words, behind its length: up to `limit`, or to the first NUL unless `counted`. */
static enum outcome emit_bytes(struct machine *m, uintptr_t address, uint64_t length, uint64_t limit, bool counted)
{
  const uint64_t cut = (uint64_t)1 << 63;
  uint8_t bytes[FMT_STRING_MAX];
  size_t size = 0;
  if (limit > FMT_STRING_MAX)
    limit = FMT_STRING_MAX;
  bool is_cut = counted && length > limit;
  if (counted) {
    size = length < limit ? length : limit;
    if (size && prof_read_memory(bytes, address, size) < 0)
      return UNREADABLE;
  } else {
    if (prof_read_text(bytes, address, limit, &size) < 0)
      return UNREADABLE;
    if (size && !bytes[size - 1]) {
      size--;
    } else {
      uint8_t next = 0;
      is_cut = prof_read_memory(&next, address + size, 1) == 0 && next != 0;
    }
  }
  put(m, size | (is_cut ? cut : 0));
  put_bytes(m, bytes, size);
  return EMITTED;
}

static enum outcome emit_string(struct machine *m, const struct fmt_op *op, uint64_t address, uint64_t length,
                                bool counted)
{
  if (address == 0) {
    put(m, UINT64_MAX);
    return EMITTED;
  }
  return emit_bytes(m, address, length, (uint64_t)op->imm, counted);
}

static enum outcome emit_span(struct machine *m, const struct fmt_op *op, uintptr_t address, uint64_t count)
{
  uint8_t bytes[FMT_SPAN_MAX * 8];
  bool is_cut = count > FMT_SPAN_MAX;
  if (is_cut)
    count = FMT_SPAN_MAX;
  if (count && prof_read_memory(bytes, address, count * op->size) < 0)
    return UNREADABLE;
  put(m, count | (is_cut ? (uint64_t)1 << 63 : 0));
  for (uint64_t i = 0; i < count; i++)
    put(m, prof_extend(prof_frame_load((uintptr_t)bytes + i * op->size, op->size), op->size, op->flags));
  return EMITTED;
}

uint64_t prof_capture_range(const int64_t *list, uint64_t value, bool is_signed)
{
  uint64_t above = 0;
  for (int64_t i = 1; i <= list[0]; i++)
    above += is_signed ? list[i] <= (int64_t)value : list[i] < 0 || (uint64_t)list[i] <= value;
  return above;
}

static enum outcome emit_range(struct machine *m, const struct fmt_op *op, uint64_t value)
{
  const int64_t *list = m->capture->site->module->index.ranges + op->imm;
  return emit_word(m, op, prof_capture_range(list, value, op->flags & FMT_OPF_SIGNED));
}

/* What register `reg` held on entry: what the caller says that it put there. */
static enum outcome push_entry(struct machine *m, const struct fmt_op *op)
{
  const struct prof_capture *capture = m->capture;
  uintptr_t pc = prof_capture_return(capture->site, capture->cfa, stack_pointer(m));
  const struct fmt_index_call_value *passed = prof_capture_passed(capture->site, pc, op->reg);
  if (!passed)
    return LOST;
  uint64_t base = 0;
  if (passed->kind == FMT_CALL_REGISTER) {
    const struct fmt_index_saved *saved = prof_capture_saved(capture->site, passed->source);
    base = capture->registers->general[passed->source & (PROF_REGISTERS - 1)];
    if (saved && prof_read_frame(&base, stack_pointer(m), capture->cfa + (uintptr_t)(intptr_t)saved->cfa_offset, 8) < 0)
      return UNREADABLE;
  } else if (passed->kind == FMT_CALL_ADDRESS) {
    base = capture->site->module->bias;
  } else if (passed->kind == FMT_CALL_FRAME) {
    base = capture->cfa;
  }
  push(m, base + (uint64_t)passed->imm);
  return GO_ON;
}

static enum outcome push_tls(struct machine *m, const struct fmt_op *op)
{
  const struct prof_module *module = m->capture->site->module;
  if (!module->tls_known)
    return LOST;
  push(m, prof_thread_pointer() + (uint64_t)module->tls_offset + (uint64_t)op->imm);
  return GO_ON;
}

static enum outcome load(struct machine *m, const struct fmt_op *op)
{
  uint64_t value = 0;
  uintptr_t address = *top_of(m) + (uint64_t)op->imm;
  int failed = op->flags & FMT_OPF_STORAGE ? prof_read_storage(&value, address, op->size)
                                           : prof_read_memory(&value, address, op->size);
  if (failed)
    return UNREADABLE;
  *top_of(m) = value;
  return GO_ON;
}

static enum outcome frame_load(struct machine *m, const struct fmt_op *op)
{
  uint64_t value = 0;
  if (prof_read_frame(&value, stack_pointer(m), *top_of(m) + (uint64_t)op->imm, op->size) < 0)
    return UNREADABLE;
  *top_of(m) = value;
  return GO_ON;
}

static enum outcome divide(struct machine *m, const struct fmt_op *op)
{
  uint64_t b = pop(m), a = pop(m);
  if (b == 0)
    return LOST;
  if (op->code == FMT_OP_MOD)
    push(m, a % b);
  else
    push(m, b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b));
  return GO_ON;
}

/* Rearranges or changes the top of the stack. */
static enum outcome rearrange(struct machine *m, const struct fmt_op *op)
{
  uint64_t *top = top_of(m), kept;
  switch (op->code) {
  case FMT_OP_ADD_CONST:
    *top += (uint64_t)op->imm;
    break;
  case FMT_OP_DUP:
    push(m, *top);
    break;
  case FMT_OP_DROP:
    m->depth--;
    break;
  case FMT_OP_OVER:
    push(m, top[-1]);
    break;
  case FMT_OP_PICK:
    push(m, top[-op->imm]);
    break;
  case FMT_OP_SWAP:
    kept = top[0];
    top[0] = top[-1];
    top[-1] = kept;
    break;
  case FMT_OP_ROT:
    kept = top[0];
    top[0] = top[-1];
    top[-1] = top[-2];
    top[-2] = kept;
    break;
  case FMT_OP_ABS:
    *top = (int64_t)*top < 0 ? 0 - *top : *top;
    break;
  case FMT_OP_NEG:
    *top = 0 - *top;
    break;
  case FMT_OP_NOT:
    *top = ~*top;
    break;
  case FMT_OP_EXTEND:
    *top = prof_extend(*top, op->size, op->flags);
    break;
  default: /* FMT_OP_BITS: `size` is in bits */
    kept = op->size >= 64 ? 0 : 64u - op->size;
    *top = *top >> op->imm << kept;
    *top = op->flags & FMT_OPF_SIGNED ? (uint64_t)((int64_t)*top >> kept) : *top >> kept;
    break;
  }
  return GO_ON;
}

static enum outcome push_value(struct machine *m, const struct fmt_op *op)
{
  const struct prof_capture *capture = m->capture;
  switch (op->code) {
  case FMT_OP_REG:
    push(m, capture->registers->general[op->reg & (PROF_REGISTERS - 1)]);
    return GO_ON;
  case FMT_OP_XMM:
    if (!capture->xmm)
      return LOST;
    push(m, capture->xmm[op->reg & (PROF_VECTORS - 1)]);
    return GO_ON;
  case FMT_OP_CONST:
    push(m, (uint64_t)op->imm);
    return GO_ON;
  case FMT_OP_ADDRESS:
    push(m, (uint64_t)op->imm + capture->site->module->bias);
    return GO_ON;
  case FMT_OP_CFA:
    if (!capture->cfa)
      return LOST;
    push(m, capture->cfa);
    return GO_ON;
  case FMT_OP_ENTRY:
    return push_entry(m, op);
  default:
    return push_tls(m, op);
  }
}

static enum outcome emit_frame(struct machine *m, const struct fmt_op *op, uintptr_t address)
{
  bool nullness = op->code == FMT_OP_EMIT_NULL_FRAME;
  uint64_t value = 0;
  if (prof_read_frame(&value, stack_pointer(m), address, nullness ? 8 : op->size) < 0)
    return UNREADABLE;
  return emit_word(m, op, nullness ? value != 0 : prof_extend(value, op->size, op->flags));
}

/* Whole args in one op: a register, a constant, or memory of the frame. */
static enum outcome emit_direct(struct machine *m, const struct fmt_op *op)
{
  uint64_t reg = m->capture->registers->general[op->reg & (PROF_REGISTERS - 1)];
  switch (op->code) {
  case FMT_OP_EMIT_REG:
    return emit_word(m, op, prof_extend(reg, op->size, op->flags));
  case FMT_OP_EMIT_NULL_REG:
    return emit_word(m, op, reg != 0);
  case FMT_OP_EMIT_CONST:
    return emit_word(m, op, (uint64_t)op->imm);
  default:
    return emit_frame(m, op, reg + (uint64_t)op->imm);
  }
}

static enum outcome emit_from_stack(struct machine *m, const struct fmt_op *op)
{
  uint64_t top = pop(m);
  switch (op->code) {
  case FMT_OP_EMIT:
    return emit_word(m, op, prof_extend(top, op->size, op->flags));
  case FMT_OP_EMIT_NULL:
    return emit_word(m, op, top != 0);
  case FMT_OP_EMIT_STRING:
    return emit_string(m, op, top, 0, false);
  case FMT_OP_EMIT_STRING_N:
    return emit_string(m, op, pop(m), top, true);
  case FMT_OP_EMIT_LOG2:
    return emit_word(m, op, (uint64_t)fmt_bucket_log2(top, op->flags & FMT_OPF_SIGNED));
  case FMT_OP_EMIT_RANGE:
    return emit_range(m, op, top);
  default: /* FMT_OP_EMIT_SPAN, FMT_OP_EMIT_SPAN_FRAME */
    return emit_span(m, op, pop(m), top);
  }
}

static enum outcome run_op(struct machine *m, const struct fmt_op *op)
{
  if (op->code <= FMT_OP_EMIT_NULL_FRAME)
    return emit_direct(m, op);
  if (op->code <= FMT_OP_TLS)
    return push_value(m, op);
  if (op->code >= FMT_OP_EMIT)
    return emit_from_stack(m, op);
  switch (op->code) {
  case FMT_OP_FRAME_LOAD:
    return frame_load(m, op);
  case FMT_OP_LOAD:
    return load(m, op);
  case FMT_OP_DIV:
  case FMT_OP_MOD:
    return divide(m, op);
  case FMT_OP_ADD_CONST:
  case FMT_OP_DUP:
  case FMT_OP_DROP:
  case FMT_OP_OVER:
  case FMT_OP_PICK:
  case FMT_OP_SWAP:
  case FMT_OP_ROT:
  case FMT_OP_ABS:
  case FMT_OP_NEG:
  case FMT_OP_NOT:
  case FMT_OP_EXTEND:
  case FMT_OP_BITS:
    return rearrange(m, op);
  case FMT_OP_LOSE:
    return LOST;
  default:
    break;
  }
  uint64_t b = pop(m), a = pop(m);
  push(m, prof_binary(op->code, a, b));
  return GO_ON;
}

/* Runs the program of the arg that begins at op `at`, and gives where the next one begins. */
static uint32_t run_arg(struct machine *m, uint32_t at)
{
  prof_analysed_stack(m->stack);
  const struct fmt_op *ops = m->capture->site->ops, *op = &ops[at];
  if (level_of(m, op->arg) == FMT_WIDEN_TYPE) {
    /* Nothing about its value is told any more, also not whether it can be read. */
    prof_signature_set_state(m->words, op->arg, FMT_STATE_TYPE);
    return at + (op->skip ? op->skip : 1u);
  }
  uint64_t *start = m->out;
  m->depth = 0;
  for (;;) {
    op = &ops[at];
    if (op->code == FMT_OP_SKIP) {
      at += 1 + (uint32_t)op->imm;
      continue;
    }
    if (op->code == FMT_OP_BRANCH) {
      at += 1 + (pop(m) ? (uint32_t)op->imm : 0);
      continue;
    }
    bool destroyed = m->capture->first && op->flags & FMT_OPF_VOLATILE;
    enum outcome outcome = destroyed ? LOST : run_op(m, op);
    at++;
    if (outcome == GO_ON)
      continue;
    if (outcome != EMITTED) {
      prof_signature_set_state(m->words, op->arg, outcome - 16);
      m->out = start;
      at += op->skip ? op->skip - 1u : 0;
    }
    return at;
  }
}

int prof_capture_words(const struct prof_capture *capture, uint64_t *words, uint32_t capacity, uint32_t *count)
{
  const struct prof_site *site = capture->site;
  if (capacity < site->state_words)
    return -ENOBUFS;
  struct machine m;
  m.capture = capture;
  m.overflow = false;
  m.words = words;
  m.end = words + capacity;
  for (uint32_t i = 0; i < site->state_words; i++)
    words[i] = site->states[i];
  m.out = words + site->state_words;
  for (uint32_t at = 0; at < site->op_count;)
    at = run_arg(&m, at);
  *count = (uint32_t)(m.out - words);
  return m.overflow ? -ENOBUFS : 0;
}

int prof_capture_arg(const struct prof_capture *capture, uint32_t at, uint64_t *words, uint32_t capacity,
                     uint32_t *count)
{
  struct machine m;
  m.capture = capture;
  m.overflow = false;
  m.words = words;
  m.end = words + capacity;
  m.out = words + *count;
  run_arg(&m, at);
  *count = (uint32_t)(m.out - words);
  return m.overflow ? -ENOBUFS : 0;
}
