/*
 * Joins a function's plan with where its parameters are at one site: the site's capture program.
 */
#include "symbols/index/lower.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/location/locate.h"

/* How many implicit pointers may lead from one to the next. */
enum { POINTERS_MAX = 8 };

/* Where a path has come to: into a variable, or to an address that `address` pushes. */
struct cursor {
  bool is_variable;
  Dwarf_Die die;
  Dwarf_Die *abstract;
  struct sym_code address;
  int64_t offset; /* bytes on from there */
};

struct lowering {
  const struct sym_location_context *context;
  const struct sym_plan *plan;
  Dwarf_Die *parameters; /* by ordinal, of this instance */
  bool *present;         /* by ordinal */
};

/* Finds this instance's parameters. */
static void find_parameters(struct lowering *lowering, Dwarf_Die *parent)
{
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0)
    return;
  do {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_GNU_formal_parameter_pack) {
      find_parameters(lowering, &child);
      continue;
    }
    if (tag != DW_TAG_formal_parameter)
      continue;
    int ordinal = sym_plan_ordinal(lowering->plan, &child);
    if (ordinal >= 0 && ordinal < lowering->plan->parameter_count && !lowering->present[ordinal]) {
      lowering->parameters[ordinal] = child;
      lowering->present[ordinal] = true;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

static struct sym_frame_bases bases(const struct lowering *lowering)
{
  return sym_location_bases(lowering->context);
}

/* Pushes the `size` bytes that the cursor stands on. `is_nullness`: only whether they are NULL will be asked. */
static enum sym_lost load(const struct lowering *lowering, struct cursor *cursor, uint8_t size, bool is_nullness,
                          struct sym_code *code)
{
  if (cursor->is_variable) {
    struct sym_location location;
    sym_locate(lowering->context, &cursor->die, cursor->abstract, cursor->offset, size, &location);
    if (location.kind == SYM_LOCATION_VALUE && location.is_moved && !is_nullness)
      return SYM_LOST_NO_RANGE;
    return sym_location_load(lowering->context, &location, size, code);
  }
  struct sym_code address = cursor->address;
  sym_code_load(&address, size, cursor->offset, bases(lowering));
  sym_code_append(code, &address);
  return SYM_LOST_NOT;
}

/* Follows the pointer that the cursor stands on. */
static enum sym_lost dereference(const struct lowering *lowering, struct cursor *cursor)
{
  struct sym_code value = {0};
  if (cursor->is_variable) {
    struct sym_location location;
    sym_locate(lowering->context, &cursor->die, cursor->abstract, cursor->offset, 8, &location);
    if (location.kind == SYM_LOCATION_POINTER && location.inner == 0) {
      *cursor = (struct cursor){.is_variable = true, .die = location.die, .offset = location.target_offset};
      return SYM_LOST_NOT;
    }
    if (location.kind == SYM_LOCATION_VALUE && location.is_moved)
      return SYM_LOST_NO_RANGE;
    enum sym_lost lost =
        location.is_doubtful ? SYM_LOST_FRAME_NUMBER : sym_location_load(lowering->context, &location, 8, &value);
    if (lost)
      return lost == SYM_LOST_IMPLICIT_POINTER ? SYM_LOST_PIECE : lost;
  } else {
    value = cursor->address;
    sym_code_load(&value, 8, cursor->offset, bases(lowering));
  }
  *cursor = (struct cursor){.address = value};
  return SYM_LOST_NOT;
}

/* Walks a path up to what it reaches; SYM_STEP_BITS is left for the load. */
static enum sym_lost walk(const struct lowering *lowering, const struct sym_plan_path *path, struct cursor *cursor,
                          const struct sym_step **bits)
{
  *bits = NULL;
  if (path->parameter >= lowering->plan->parameter_count || !lowering->present[path->parameter])
    return SYM_LOST_NO_PARAMETER;
  *cursor = (struct cursor){.is_variable = true, .die = lowering->parameters[path->parameter]};
  cursor->abstract = (Dwarf_Die *)&lowering->plan->parameters[path->parameter].die;
  unsigned pointers = 0;
  for (unsigned i = 0; i < path->step_count; i++) {
    const struct sym_step *step = &path->steps[i];
    if (step->kind == SYM_STEP_OFFSET) {
      cursor->offset += step->offset;
    } else if (step->kind == SYM_STEP_BITS) {
      *bits = step;
    } else {
      enum sym_lost lost = ++pointers > POINTERS_MAX ? SYM_LOST_TOO_LONG : dereference(lowering, cursor);
      if (lost)
        return lost;
    }
  }
  return SYM_LOST_NOT;
}

/* Pushes the value that a path reaches, its low path->size bytes meant; a bit-field's is extended already. */
static enum sym_lost push_value(const struct lowering *lowering, const struct sym_plan_path *path, bool is_nullness,
                                struct sym_code *code)
{
  struct cursor cursor;
  const struct sym_step *bits;
  if (path->size < 1 || path->size > 8)
    return SYM_LOST_OPERATION;
  enum sym_lost lost = walk(lowering, path, &cursor, &bits);
  if (!lost)
    lost = load(lowering, &cursor, (uint8_t)path->size, is_nullness, code);
  if (!lost && bits)
    sym_code_add(code, FMT_OP_BITS, 0, bits->bit_size, path->is_signed ? FMT_OPF_SIGNED : 0, bits->offset);
  return lost;
}

/* Pushes an integer. An integer is no address in the frame: a description by which it would be one is clang's, of a sum
 * with a spilled register, and lacks the load of that register (spill.h). It is tried once more with the load put in.
 */
static enum sym_lost push_integer(const struct lowering *lowering, const struct sym_plan_path *path,
                                  struct sym_code *code)
{
  enum sym_lost lost = push_value(lowering, path, false, code);
  if (lost || !sym_location_is_frame_address(lowering->context, code))
    return lost;
  if (!lowering->context->writes_after_call)
    return SYM_LOST_FRAME_NUMBER;
  struct sym_location_context context = *lowering->context;
  struct lowering spilled = *lowering;
  context.is_spilled = true;
  spilled.context = &context;
  sym_code_clear(code);
  lost = push_value(&spilled, path, false, code);
  return lost || sym_location_is_frame_address(&context, code) ? SYM_LOST_FRAME_NUMBER : SYM_LOST_NOT;
}

/* Pushes the address that a path reaches. */
static enum sym_lost push_address(const struct lowering *lowering, const struct sym_plan_path *path,
                                  struct sym_code *code, bool *is_frame)
{
  struct cursor cursor;
  const struct sym_step *bits;
  enum sym_lost lost = walk(lowering, path, &cursor, &bits);
  if (lost)
    return lost;
  if (cursor.is_variable) {
    struct sym_location location;
    sym_locate(lowering->context, &cursor.die, cursor.abstract, cursor.offset, 1, &location);
    if (location.kind == SYM_LOCATION_LOST)
      return (enum sym_lost)location.lost;
    if (location.kind != SYM_LOCATION_MEMORY)
      return SYM_LOST_NO_ADDRESS;
    cursor.address = location.code;
    cursor.offset = location.inner;
  }
  *is_frame = sym_code_is_frame(&cursor.address, cursor.offset, bases(lowering));
  *code = cursor.address;
  sym_code_add_constant(code, cursor.offset);
  return SYM_LOST_NOT;
}

/* A value cut to `size` bytes and extended by sign. */
static int64_t extend(int64_t value, unsigned size, bool is_signed)
{
  if (size >= 8)
    return value;
  uint64_t shifted = (uint64_t)value << (64 - size * 8);
  return is_signed ? (int64_t)shifted >> (64 - size * 8) : (int64_t)(shifted >> (64 - size * 8));
}

/* Ends a program whose value is on top with the emit that fits best: in one op where the whole is one read. */
static void emit_value(struct sym_code *code, uint8_t size, bool is_signed)
{
  uint8_t flags = is_signed ? FMT_OPF_SIGNED : 0;
  struct fmt_op *ops = code->ops;
  if (code->count == 1 && ops[0].code == FMT_OP_REG) {
    ops[0].code = FMT_OP_EMIT_REG;
    ops[0].size = size;
    ops[0].flags |= flags;
  } else if (code->count == 1 && ops[0].code == FMT_OP_CONST) {
    ops[0].code = FMT_OP_EMIT_CONST;
    ops[0].imm = extend(ops[0].imm, size, is_signed);
  } else if (code->count == 2 && ops[0].code == FMT_OP_REG && ops[1].code == FMT_OP_FRAME_LOAD && ops[1].size == size) {
    ops[0] = (struct fmt_op){.code = FMT_OP_EMIT_FRAME,
                             .reg = ops[0].reg,
                             .size = size,
                             .flags = (uint8_t)(ops[0].flags | flags),
                             .imm = ops[1].imm};
    code->count = 1;
  } else {
    sym_code_add(code, FMT_OP_EMIT, 0, size, flags, 0);
  }
}

static void emit_nullness(struct sym_code *code)
{
  struct fmt_op *ops = code->ops;
  if (code->count == 1 && ops[0].code == FMT_OP_REG) {
    ops[0].code = FMT_OP_EMIT_NULL_REG;
  } else if (code->count == 1 && (ops[0].code == FMT_OP_CONST || ops[0].code == FMT_OP_ADDRESS)) {
    ops[0].imm = ops[0].code == FMT_OP_ADDRESS || ops[0].imm != 0;
    ops[0].code = FMT_OP_EMIT_CONST;
  } else if (code->count == 2 && ops[0].code == FMT_OP_REG && ops[1].code == FMT_OP_FRAME_LOAD && ops[1].size == 8) {
    ops[0].code = FMT_OP_EMIT_NULL_FRAME;
    ops[0].imm = ops[1].imm;
    code->count = 1;
  } else {
    sym_code_add(code, FMT_OP_EMIT_NULL, 0, 0, 0, 0);
  }
}

/* A pointer to something that is not in memory is not NULL, whatever it would be. */
static enum sym_lost lower_nullness(const struct lowering *lowering, const struct sym_plan_path *path,
                                    struct sym_code *code)
{
  enum sym_lost lost = push_value(lowering, path, true, code);
  if (lost == SYM_LOST_IMPLICIT_POINTER) {
    sym_code_clear(code);
    sym_code_constant(code, 1);
    lost = SYM_LOST_NOT;
  }
  if (!lost)
    emit_nullness(code);
  return lost;
}

/* Whether the last op of a path leaves a value that is extended already. */
static uint8_t emitted_size(const struct sym_plan_path *path)
{
  bool is_bits = path->step_count && path->steps[path->step_count - 1].kind == SYM_STEP_BITS;
  return is_bits ? 8 : (uint8_t)path->size;
}

static enum sym_lost push_extended(const struct lowering *lowering, const struct sym_plan_path *path,
                                   struct sym_code *code)
{
  enum sym_lost lost = push_integer(lowering, path, code);
  if (lost)
    return lost;
  uint8_t size = emitted_size(path);
  if (size < 8 && code->count == 1 && code->ops[0].code == FMT_OP_CONST)
    code->ops[0].imm = extend(code->ops[0].imm, size, path->is_signed);
  else if (size < 8)
    sym_code_add(code, FMT_OP_EXTEND, 0, size, path->is_signed ? FMT_OPF_SIGNED : 0, 0);
  return SYM_LOST_NOT;
}

static enum sym_lost push_count(const struct lowering *lowering, const struct sym_count *count, struct sym_code *code)
{
  struct sym_code more = {0};
  enum sym_lost lost = SYM_LOST_NOT;
  if (count->is_constant)
    sym_code_constant(&more, (int64_t)count->constant);
  else
    lost = push_extended(lowering, &count->path, &more);
  code->barrier = code->count;
  sym_code_append(code, &more);
  return lost;
}

static enum sym_lost lower_address(const struct lowering *lowering, const struct sym_plan_arg *arg,
                                   struct sym_code *code)
{
  bool is_frame = false;
  enum sym_lost lost = push_address(lowering, &arg->path, code, &is_frame);
  if (!lost && arg->emit != SYM_EMIT_STRING)
    lost = push_count(lowering, &arg->count, code);
  if (lost)
    return lost;
  if (arg->emit == SYM_EMIT_STRING)
    sym_code_add(code, FMT_OP_EMIT_STRING, 0, 0, 0, arg->limit);
  else if (arg->emit == SYM_EMIT_STRING_LENGTH)
    sym_code_add(code, FMT_OP_EMIT_STRING_N, 0, 0, 0, arg->limit);
  else
    sym_code_add(code, is_frame ? FMT_OP_EMIT_SPAN_FRAME : FMT_OP_EMIT_SPAN, 0, (uint8_t)arg->path.size,
                 arg->path.is_signed ? FMT_OPF_SIGNED : 0, 0);
  return SYM_LOST_NOT;
}

static enum sym_lost lower_distance(const struct lowering *lowering, const struct sym_plan_arg *arg,
                                    struct sym_code *code)
{
  enum sym_lost lost = push_integer(lowering, &arg->path, code);
  if (!lost)
    lost = push_count(lowering, &arg->count, code);
  if (lost)
    return lost;
  sym_code_add(code, FMT_OP_MINUS, 0, 0, 0, 0);
  sym_code_add(code, FMT_OP_CONST, 0, 0, 0, arg->limit);
  sym_code_add(code, FMT_OP_DIV, 0, 0, 0, 0);
  sym_code_add(code, FMT_OP_EMIT, 0, 8, FMT_OPF_SIGNED, 0);
  return SYM_LOST_NOT;
}

static enum sym_lost lower_arg(const struct lowering *lowering, const struct sym_plan_arg *arg, struct sym_code *code)
{
  enum sym_lost lost;
  uint8_t flags = arg->path.is_signed ? FMT_OPF_SIGNED : 0;
  switch ((enum sym_emit)arg->emit) {
  case SYM_EMIT_VALUE:
    lost = push_integer(lowering, &arg->path, code);
    if (!lost)
      emit_value(code, emitted_size(&arg->path), arg->path.is_signed);
    return lost;
  case SYM_EMIT_NULLNESS:
    return lower_nullness(lowering, &arg->path, code);
  case SYM_EMIT_LOG2:
    lost = push_extended(lowering, &arg->path, code);
    sym_code_add(code, FMT_OP_EMIT_LOG2, 0, 0, flags, 0);
    return lost;
  case SYM_EMIT_RANGE:
    lost = push_extended(lowering, &arg->path, code);
    sym_code_add(code, FMT_OP_EMIT_RANGE, 0, 0, flags, arg->arg.aux);
    return lost;
  case SYM_EMIT_STRING:
  case SYM_EMIT_STRING_LENGTH:
  case SYM_EMIT_SPAN:
    return lower_address(lowering, arg, code);
  case SYM_EMIT_DISTANCE:
    return lower_distance(lowering, arg, code);
  case SYM_EMIT_NONE:
    break;
  }
  return SYM_LOST_NOT;
}

/* Compiles one arg and appends it, or says why it is lost. */
static int add_arg(const struct lowering *lowering, uint16_t index, struct base_vector *ops, uint8_t *state,
                   uint8_t *lost)
{
  const struct sym_plan_arg *arg = &lowering->plan->args[index];
  struct sym_code code;
  sym_code_clear(&code);
  *state = FMT_STATE_READ;
  *lost = SYM_LOST_NOT;
  if (arg->arg.flags & FMT_ARG_RETURN) {
    *state = FMT_STATE_LOST;
    return 0;
  }
  if (arg->emit == SYM_EMIT_NONE)
    return 0;
  enum sym_lost reason = lower_arg(lowering, arg, &code);
  if (!reason && (code.too_long || !fmt_program_sound(code.ops, code.count)))
    reason = SYM_LOST_TOO_LONG;
  if (reason) {
    *state = FMT_STATE_LOST;
    *lost = (uint8_t)reason;
    return 0;
  }
  struct fmt_op *added = base_vector_add(ops, code.count);
  if (!added)
    return -ENOMEM;
  for (uint16_t i = 0; i < code.count; i++) {
    added[i] = code.ops[i];
    added[i].arg = index;
    added[i].skip = (uint16_t)(code.count - i);
  }
  return 0;
}

int sym_lower(const struct sym_location_context *context, const struct sym_plan *plan, Dwarf_Die *instance,
              struct base_vector *ops, uint8_t *states, uint8_t *lost)
{
  size_t slots = plan->parameter_count ? plan->parameter_count : 1;
  struct lowering lowering = {.context = context, .plan = plan};
  lowering.parameters = calloc(slots, sizeof *lowering.parameters);
  lowering.present = calloc(slots, sizeof *lowering.present);
  int error = lowering.parameters && lowering.present ? 0 : -ENOMEM;
  uint32_t first = ops->count;
  if (!error && instance)
    find_parameters(&lowering, instance);
  for (uint16_t i = 0; !error && i < plan->arg_count; i++)
    error = add_arg(&lowering, i, ops, &states[i], &lost[i]);
  if (!error && ops->count - first > UINT16_MAX)
    error = -E2BIG;
  free(lowering.parameters);
  free(lowering.present);
  return error;
}
