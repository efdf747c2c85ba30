/*
 * A second, simple reader of capture programs: a library with the hooks, preloaded into an instrumented program, that
 * writes a line for every call it sees: the function's name and its args, "?" for what is lost, "!" for what cannot be
 * read.
 *
 * At the entry sleds of the program it stops by a trap (trace_sleds.c).
 *
 * TRACE_INDEX names the index of the program (or of the library TRACE_MODULE), TRACE_OUT the file to write.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "format/open.h"
#include "tests/support/symbols/trace.h"

static struct fmt_index trace_index;
static uint64_t bias;
static FILE *out;
static enum { NEW, OFF, ON } state;
static __thread int is_busy;

enum outcome { READ, LOST, UNREADABLE };

/* One call while it is read. */
struct call {
  const uint64_t *registers;
  const struct fmt_index_site *site;
  uint64_t cfa;
  uint64_t stack[FMT_STACK_MAX + 1];
  unsigned depth;
  uint64_t word;
};

static int find_module(struct dl_phdr_info *info, size_t size, void *data)
{
  const char *wanted = getenv("TRACE_MODULE");
  (void)size;
  (void)data;
  if (wanted ? !strstr(info->dlpi_name, wanted) : *info->dlpi_name != '\0')
    return 0;
  bias = info->dlpi_addr;
  return 1;
}

static void start(void)
{
  const char *path = getenv("TRACE_INDEX"), *to = getenv("TRACE_OUT");
  struct stat facts;
  state = OFF;
  int fd = path && to ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0 || fstat(fd, &facts) != 0)
    return;
  void *data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (data == MAP_FAILED || fmt_index_open(data, (size_t)facts.st_size, &trace_index) != 0 ||
      !dl_iterate_phdr(find_module, NULL))
    return;
  out = fopen(to, "w");
  if (!out)
    return;
  state = ON;
  test_trace_sleds(&trace_index, bias);
}

/* The program's sleds must be set before it runs; hooks come by themselves. */
__attribute__((constructor)) static void start_early(void)
{
  if (state == NEW && !getenv("TRACE_MODULE"))
    start();
}

static uint64_t extend(uint64_t value, unsigned bits, int is_signed)
{
  unsigned shift = 64 - bits;
  return is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value << shift >> shift;
}

static enum outcome load(uint64_t address, unsigned size, uint64_t *value)
{
  struct iovec to = {value, size}, from = {(void *)(uintptr_t)address, size};
  *value = 0;
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size ? READ : UNREADABLE;
}

static uint64_t saved_register(const struct call *call, uint8_t reg)
{
  uint64_t value = call->registers[reg];
  for (unsigned i = 0; i < call->site->saved_count; i++) {
    const struct fmt_index_saved *saved = &trace_index.saved[call->site->first_saved + i];
    if (saved->reg == reg)
      load(call->cfa + (uint64_t)(int64_t)saved->cfa_offset, 8, &value);
  }
  return value;
}

static enum outcome entry_value(struct call *call, uint8_t reg)
{
  uint64_t pc;
  if (load(call->cfa - 8, 8, &pc) != READ)
    return LOST;
  for (uint32_t i = 0; i < trace_index.count[FMT_SECTION_CALL_SITES]; i++) {
    const struct fmt_index_call_site *site = &trace_index.call_sites[i];
    if (site->pc != pc - bias || site->physical != call->site->physical)
      continue;
    for (uint32_t k = 0; k < site->value_count; k++) {
      const struct fmt_index_call_value *value = &trace_index.call_values[site->first_value + k];
      if (value->reg != reg)
        continue;
      uint64_t base = value->kind == FMT_CALL_REGISTER  ? saved_register(call, value->source)
                      : value->kind == FMT_CALL_ADDRESS ? bias
                      : value->kind == FMT_CALL_FRAME   ? call->cfa
                                                        : 0;
      call->stack[call->depth++] = base + (uint64_t)value->imm;
      return READ;
    }
  }
  return LOST;
}

static enum outcome arithmetic(struct call *call, uint8_t code)
{
  uint64_t right = call->stack[--call->depth], *top = &call->stack[call->depth - 1], left = *top;
  int64_t signed_left = (int64_t)left, signed_right = (int64_t)right;
  switch (code) {
  case FMT_OP_AND:
    *top = left & right;
    break;
  case FMT_OP_DIV:
    if (right == 0)
      return LOST;
    *top = (uint64_t)(signed_left / signed_right);
    break;
  case FMT_OP_MINUS:
    *top = left - right;
    break;
  case FMT_OP_MOD:
    if (right == 0)
      return LOST;
    *top = left % right;
    break;
  case FMT_OP_MUL:
    *top = left * right;
    break;
  case FMT_OP_OR:
    *top = left | right;
    break;
  case FMT_OP_PLUS:
    *top = left + right;
    break;
  case FMT_OP_SHL:
    *top = right > 63 ? 0 : left << right;
    break;
  case FMT_OP_SHR:
    *top = right > 63 ? 0 : left >> right;
    break;
  case FMT_OP_SHRA:
    *top = (uint64_t)(signed_left >> (right > 63 ? 63 : right));
    break;
  case FMT_OP_XOR:
    *top = left ^ right;
    break;
  case FMT_OP_EQ:
    *top = left == right;
    break;
  case FMT_OP_NE:
    *top = left != right;
    break;
  case FMT_OP_GE:
    *top = signed_left >= signed_right;
    break;
  case FMT_OP_GT:
    *top = signed_left > signed_right;
    break;
  case FMT_OP_LE:
    *top = signed_left <= signed_right;
    break;
  case FMT_OP_LT:
    *top = signed_left < signed_right;
    break;
  default:
    return LOST;
  }
  return READ;
}

/* An op that tells the arg's word, and so is the last of its program. */
static enum outcome emit(struct call *call, const struct fmt_op *op)
{
  int is_signed = (op->flags & FMT_OPF_SIGNED) != 0;
  uint64_t imm = (uint64_t)op->imm, value;
  enum outcome outcome;
  switch ((enum fmt_op_code)op->code) {
  case FMT_OP_EMIT_REG:
    call->word = extend(call->registers[op->reg], op->size * 8u, is_signed);
    return READ;
  case FMT_OP_EMIT_NULL_REG:
    call->word = call->registers[op->reg] != 0;
    return READ;
  case FMT_OP_EMIT_CONST:
    call->word = imm;
    return READ;
  case FMT_OP_EMIT_FRAME:
    outcome = load(call->registers[op->reg] + imm, op->size, &value);
    call->word = extend(value, op->size * 8u, is_signed);
    return outcome;
  case FMT_OP_EMIT_NULL_FRAME:
    outcome = load(call->registers[op->reg] + imm, 8, &value);
    call->word = value != 0;
    return outcome;
  case FMT_OP_EMIT:
    call->word = extend(call->stack[--call->depth], op->size * 8u, is_signed);
    return READ;
  case FMT_OP_EMIT_NULL:
    call->word = call->stack[--call->depth] != 0;
    return READ;
  default:
    return LOST;
  }
}

/* Any one op. */
static enum outcome run(struct call *call, const struct fmt_op *op)
{
  uint64_t *top = &call->stack[call->depth ? call->depth - 1 : 0];
  int is_signed = (op->flags & FMT_OPF_SIGNED) != 0;
  uint64_t imm = (uint64_t)op->imm, value;
  enum outcome outcome;
  switch ((enum fmt_op_code)op->code) {
  case FMT_OP_EMIT_REG:
  case FMT_OP_EMIT_NULL_REG:
  case FMT_OP_EMIT_CONST:
  case FMT_OP_EMIT_FRAME:
  case FMT_OP_EMIT_NULL_FRAME:
  case FMT_OP_EMIT:
  case FMT_OP_EMIT_NULL:
    return emit(call, op);
  case FMT_OP_REG:
    call->stack[call->depth++] = call->registers[op->reg];
    return READ;
  case FMT_OP_XMM:
    call->stack[call->depth++] = call->registers[16 + op->reg];
    return READ;
  case FMT_OP_CONST:
    call->stack[call->depth++] = imm;
    return READ;
  case FMT_OP_ADDRESS:
    call->stack[call->depth++] = imm + bias;
    return READ;
  case FMT_OP_CFA:
    call->stack[call->depth++] = call->cfa;
    return READ;
  case FMT_OP_ENTRY:
    return entry_value(call, op->reg);
  case FMT_OP_FRAME_LOAD:
  case FMT_OP_LOAD:
    outcome = load(*top + imm, op->size, &value);
    *top = value;
    return outcome;
  case FMT_OP_ADD_CONST:
    *top += imm;
    return READ;
  case FMT_OP_DUP:
  case FMT_OP_OVER:
  case FMT_OP_PICK:
    value = call->stack[call->depth - 1 - (op->code == FMT_OP_PICK ? imm : op->code == FMT_OP_OVER)];
    call->stack[call->depth++] = value;
    return READ;
  case FMT_OP_DROP:
    call->depth--;
    return READ;
  case FMT_OP_SWAP:
    value = top[0];
    top[0] = top[-1];
    top[-1] = value;
    return READ;
  case FMT_OP_ROT:
    value = top[0];
    top[0] = top[-1];
    top[-1] = top[-2];
    top[-2] = value;
    return READ;
  case FMT_OP_ABS:
    *top = (int64_t)*top < 0 ? -*top : *top;
    return READ;
  case FMT_OP_NEG:
    *top = -*top;
    return READ;
  case FMT_OP_NOT:
    *top = ~*top;
    return READ;
  case FMT_OP_EXTEND:
    *top = extend(*top, op->size * 8u, is_signed);
    return READ;
  case FMT_OP_BITS:
    *top = extend(*top >> imm, op->size, is_signed);
    return READ;
  default:
    return op->code >= FMT_OP_AND && op->code <= FMT_OP_NE ? arithmetic(call, op->code) : LOST;
  }
}

/* Runs the ops of one arg. */
static enum outcome run_arg(struct call *call, const struct fmt_op *ops, uint32_t count)
{
  enum outcome outcome = READ;
  call->depth = 0;
  for (uint32_t at = 0; at < count && outcome == READ;) {
    const struct fmt_op *op = &ops[at++];
    if (op->code == FMT_OP_SKIP)
      at += (uint32_t)op->imm;
    else if (op->code == FMT_OP_BRANCH)
      at += call->stack[--call->depth] ? (uint32_t)op->imm : 0;
    else
      outcome = run(call, op);
  }
  return outcome;
}

static void print_word(const struct fmt_index_arg *arg, uint64_t word)
{
  const struct fmt_index_type *type = &trace_index.types[arg->type];
  if (type->kind != FMT_TYPE_FUNCTION_POINTER || word == 0) {
    fprintf(out, " %ld", (long)word);
    return;
  }
  const struct fmt_index_symbol *symbol = fmt_index_symbol_at(&trace_index, word - bias);
  fprintf(out, " %s", symbol ? fmt_index_string(&trace_index, symbol->name) : "?");
}

static void print_call(struct call *call)
{
  const struct fmt_index_site *site = call->site;
  const struct fmt_index_function *function = &trace_index.functions[site->function];
  const struct fmt_op *ops = trace_index.ops + site->first_op, *end = ops + site->op_count;
  fputs(fmt_index_string(&trace_index, function->name), out);
  for (uint32_t i = 0; i < function->arg_count; i++) {
    unsigned initial = (unsigned)(trace_index.states[site->first_state + i / 16] >> (i % 16 * 4)) & 15;
    if (initial == FMT_STATE_LOST) {
      fputs(" ?", out);
    } else if (ops == end || ops->arg != i) {
      fputs(" -", out);
    } else {
      enum outcome outcome = run_arg(call, ops, ops->skip);
      ops += ops->skip;
      if (outcome == READ)
        print_word(&trace_index.args[function->first_arg + i], call->word);
      else
        fputs(outcome == LOST ? " ?" : " !", out);
    }
  }
  fputc('\n', out);
}

void test_trace_enter(const uint64_t *registers, uint64_t pc)
{
  if (is_busy)
    return;
  is_busy = 1;
  if (state == NEW)
    start();
  if (state == ON) {
    struct call call = {.registers = registers, .site = fmt_index_site_at(&trace_index, pc - bias)};
    if (call.site) {
      if (call.site->cfa_kind != FMT_CFA_UNKNOWN)
        call.cfa = registers[call.site->cfa_register] + (uint64_t)(int64_t)call.site->cfa_offset;
      if (call.site->cfa_kind == FMT_CFA_MEMORY)
        load(call.cfa, 8, &call.cfa);
      print_call(&call);
    } else {
      fprintf(out, "no site %lx\n", (unsigned long)(pc - bias));
    }
    fflush(out);
  }
  is_busy = 0;
}
