/*
 * What the operations of a DWARF expression do to the entries of its stack.
 */
#include "symbols/verify/stack.h"

#include "symbols/verify/die.h"

bool vf_stop(struct vf_run *run, enum vf_status status, const char *why)
{
  run->status = status;
  run->why = why;
  return false;
}

bool vf_push_entry(struct vf_run *run, struct vf_stack_entry entry)
{
  if (run->depth == VF_STACK_MAX)
    return vf_stop(run, VF_LOST, "stack overflow");
  run->stack[run->depth++] = entry;
  return true;
}

bool vf_push(struct vf_run *run, uint64_t word)
{
  return vf_push_entry(run, (struct vf_stack_entry){.word = word});
}

bool vf_need(struct vf_run *run, unsigned count)
{
  return run->depth >= count || vf_stop(run, VF_LOST, "stack underflow");
}

uint64_t vf_extended(struct vf_stack_entry entry)
{
  if (!entry.size || !entry.bits)
    return entry.word;
  const unsigned above = 64u - entry.bits;
  const uint64_t cut = entry.word << above;
  return entry.is_signed ? (uint64_t)((int64_t)cut >> above) : cut >> above;
}

/* Both operands of an operation other than a shift must have one type. LLVM writes untyped constants beside typed
 * values all the same: where the low bits of the result follow from the low bits of the operands, the type that is
 * there is meant; elsewhere signedness would have to be guessed. */
static bool settle_types(struct vf_run *run, uint8_t atom, struct vf_stack_entry *left,
                         const struct vf_stack_entry *right)
{
  bool is_modular = atom == DW_OP_plus || atom == DW_OP_minus || atom == DW_OP_mul || atom == DW_OP_and ||
                    atom == DW_OP_or || atom == DW_OP_xor;
  if (atom == DW_OP_shl || atom == DW_OP_shr || atom == DW_OP_shra ||
      (left->size == right->size && left->bits == right->bits && left->is_signed == right->is_signed))
    return true;
  if (!is_modular || (left->size && right->size))
    return vf_stop(run, VF_LOST, "operands of two types");
  if (!left->size) {
    left->size = right->size;
    left->bits = right->bits;
    left->is_signed = right->is_signed;
  }
  return true;
}

/* Whether the operation is a comparison; `found` is what it finds then. */
static bool compare(uint8_t atom, bool is_less, bool is_equal, uint64_t *found)
{
  switch (atom) {
  case DW_OP_eq:
    *found = is_equal;
    return true;
  case DW_OP_ne:
    *found = !is_equal;
    return true;
  case DW_OP_lt:
    *found = is_less;
    return true;
  case DW_OP_le:
    *found = is_less || is_equal;
    return true;
  case DW_OP_gt:
    *found = !is_less && !is_equal;
    return true;
  case DW_OP_ge:
    *found = !is_less;
    return true;
  default:
    return false;
  }
}

/* DW_OP_div and DW_OP_mod. Of generic entries the quotient is signed and the remainder is not. */
static bool divide(struct vf_run *run, uint8_t atom, struct vf_stack_entry *left, uint64_t divisor)
{
  bool is_division = atom == DW_OP_div;
  bool as_signed = left->size ? left->is_signed : is_division;
  int64_t a = (int64_t)left->word, b = (int64_t)divisor;
  if (b == 0)
    return vf_stop(run, VF_LOST, "division by zero");
  if (!as_signed)
    left->word = is_division ? left->word / divisor : left->word % divisor;
  else if (b == -1) /* a / b would trap for the lowest number, whose quotient does not fit */
    left->word = is_division ? (uint64_t) - (uint64_t)a : 0;
  else
    left->word = (uint64_t)(is_division ? a / b : a % b);
  return true;
}

/* An operation on two words that is neither a comparison nor a division. */
static bool combine(struct vf_run *run, uint8_t atom, struct vf_stack_entry *left, uint64_t right)
{
  switch (atom) {
  case DW_OP_and:
    left->word &= right;
    return true;
  case DW_OP_or:
    left->word |= right;
    return true;
  case DW_OP_xor:
    left->word ^= right;
    return true;
  case DW_OP_plus:
    left->word += right;
    return true;
  case DW_OP_minus:
    left->word -= right;
    return true;
  case DW_OP_mul:
    left->word *= right;
    return true;
  case DW_OP_shl:
    left->word = right < 64 ? left->word << right : 0;
    return true;
  case DW_OP_shr:
    left->word = right < 64 ? vf_extend(left->word, left->size ? left->size : 8, false) >> right : 0;
    return true;
  case DW_OP_shra:
    left->word = (uint64_t)((int64_t)left->word >> (right < 64 ? right : 63));
    return true;
  default:
    return vf_stop(run, VF_UNKNOWN, "operation not evaluated");
  }
}

/* How many bytes the result of an operation has that clang tells. */
static uint8_t width_of_result(uint8_t atom, const struct vf_stack_entry *left, const struct vf_stack_entry *right)
{
  if (atom == DW_OP_and && left->width == VF_WIDTH_REGISTER && right->width == VF_WIDTH_ANY)
    return right->word == UINT32_MAX ? 4 : right->word == UINT16_MAX ? 2 : right->word == UINT8_MAX ? 1 : 0;
  if (left->width == VF_WIDTH_ANY || left->width == right->width)
    return right->width == VF_WIDTH_REGISTER ? 0 : right->width;
  return right->width == VF_WIDTH_ANY && left->width != VF_WIDTH_REGISTER ? left->width : 0;
}

/* An operation with a constant whose result depends on the sign of what clang has in fewer bytes than 8. False: it is
 * none. */
static bool narrow(struct vf_stack_entry *left, uint8_t atom, const struct vf_stack_entry *right)
{
  const bool is_cut = left->size == 0 && left->width && left->width < VF_WIDTH_REGISTER;
  const uint64_t sign = is_cut ? UINT64_C(1) << (left->width * 8 - 1) : 0;
  const uint64_t low = is_cut ? left->word & (sign | (sign - 1)) : 0, word = (low ^ sign) - sign;
  if (!is_cut || right->width != VF_WIDTH_ANY || (right->word == 0 && atom != DW_OP_shra))
    return false;
  if (atom == DW_OP_shra)
    left->word = (uint64_t)((int64_t)word >> (right->word < 64 ? right->word : 63));
  else if (atom == DW_OP_shr)
    left->word = right->word < 64 ? low >> right->word : 0;
  else if (atom == DW_OP_div)
    left->word = (uint64_t)((int64_t)word / (int64_t)right->word);
  else if (atom == DW_OP_mod)
    left->word = (uint64_t)((int64_t)word % (int64_t)right->word);
  else
    return false;
  return true;
}

bool vf_arithmetic(struct vf_run *run, uint8_t atom)
{
  if (!vf_need(run, 2))
    return false;
  struct vf_stack_entry right = run->stack[--run->depth];
  struct vf_stack_entry *left = &run->stack[run->depth - 1];
  if (left->is_float || right.is_float)
    return vf_stop(run, VF_UNKNOWN, "floating arithmetic");
  if (!settle_types(run, atom, left, &right))
    return false;
  const uint8_t width = width_of_result(atom, left, &right);
  if (run->near && vf_is_clang(run->place->object->dbg, run->near) && narrow(left, atom, &right))
    return true;
  left->width = width;
  bool as_signed = left->size == 0 || left->is_signed;
  bool is_less = as_signed ? (int64_t)left->word < (int64_t)right.word : left->word < right.word;
  bool divides = atom == DW_OP_div || atom == DW_OP_mod;
  bool has_sign = divides || atom == DW_OP_lt || atom == DW_OP_le || atom == DW_OP_gt || atom == DW_OP_ge;
  run->is_beyond_programs |= has_sign && left->size && (atom == DW_OP_mod ? left->is_signed : !as_signed);
  uint64_t found;
  if (compare(atom, is_less, left->word == right.word, &found)) {
    left->word = found;
    left->size = left->width = 0;
    return true;
  }
  if (divides ? !divide(run, atom, left, right.word) : !combine(run, atom, left, right.word))
    return false;
  left->word = vf_extended(*left);
  return true;
}

bool vf_shuffle(struct vf_run *run, const struct vf_op *op)
{
  struct vf_stack_entry *top = run->stack + run->depth, kept;
  uint64_t index = op->atom == DW_OP_pick ? op->operands[0] : op->atom == DW_OP_over;
  switch (op->atom) {
  case DW_OP_drop:
    if (!vf_need(run, 1))
      return false;
    run->depth--;
    return true;
  case DW_OP_swap:
    if (!vf_need(run, 2))
      return false;
    kept = top[-1];
    top[-1] = top[-2];
    top[-2] = kept;
    return true;
  case DW_OP_rot:
    if (!vf_need(run, 3))
      return false;
    kept = top[-1];
    top[-1] = top[-2];
    top[-2] = top[-3];
    top[-3] = kept;
    return true;
  default:
    return vf_need(run, (unsigned)index + 1) && vf_push_entry(run, top[-1 - (int)index]);
  }
}

bool vf_unary(struct vf_run *run, const struct vf_op *op)
{
  if (!vf_need(run, 1))
    return false;
  struct vf_stack_entry *top = &run->stack[run->depth - 1];
  if (top->is_float)
    return vf_stop(run, VF_UNKNOWN, "floating arithmetic");
  switch (op->atom) {
  case DW_OP_abs:
    if ((top->size == 0 || top->is_signed) && (int64_t)top->word < 0)
      top->word = -top->word;
    break;
  case DW_OP_neg:
    top->word = -top->word;
    break;
  case DW_OP_not:
    top->word = ~top->word;
    break;
  case DW_OP_plus_uconst:
    top->word += op->operands[0];
    break;
  case DW_OP_deref:
    *top = (struct vf_stack_entry){.word = vf_machine_load(run->place->machine, top->word, 8)};
    break;
  case DW_OP_deref_size:
    /* clang, from 16 on, loads all bytes of a spilled vector register, of which the lower ones are the value. */
    if (op->operands[0] < 1 || op->operands[0] > 64)
      return vf_stop(run, VF_LOST, "size of a load");
    *top = (struct vf_stack_entry){
        .word = vf_machine_load(run->place->machine, top->word, op->operands[0] < 8 ? (unsigned)op->operands[0] : 8),
        .width = op->operands[0] < 8 ? (uint8_t)op->operands[0] : 0};
    break;
  case DW_OP_form_tls_address:
  case DW_OP_GNU_push_tls_address:
    top->word += run->place->machine->thread_block;
    break;
  default:
    return vf_stop(run, VF_UNKNOWN, "operation not evaluated");
  }
  top->word = vf_extended(*top);
  return true;
}
