/*
 * Machine code that hashes and compares the arguments of a call.
 */
#include "profiler/arch/x86_64/stub/argument_code.h"

#include "format/index.h"
#include "profiler/arch/x86_64/stub/follow.h"
#include "profiler/arch/x86_64/stub/stub.h"
#include "profiler/hook/asm_offsets.h"

/* Where follow.h has what it is told of a text: by the register that the hook saves there. */
enum { TEXT_LIMIT = 4, TEXT_WORDS = 14 };

/* Of the registers as DWARF numbers them. */
static const uint8_t encoded[16] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

void prof_piece_miss_if(struct prof_piece *p, unsigned condition)
{
  uint8_t *place = prof_code_jump_if(&p->w, condition);
  if (p->miss_count < PROF_PIECE_MISSES)
    p->misses[p->miss_count++] = place;
  else
    p->w.failed = true;
}

static unsigned size_of(const struct prof_fast_compare_op *op)
{
  switch (op->kind) {
  case PROF_COMPARE_FRAME8:
  case PROF_COMPARE_FRAME_NULL:
    return 8;
  case PROF_COMPARE_FRAME4:
    return 4;
  case PROF_COMPARE_FRAME2:
    return 2;
  case PROF_COMPARE_FRAME1:
    return 1;
  default:
    return 8 - op->shift / 8u;
  }
}

static bool is_frame(const struct prof_fast_compare_op *op)
{
  return op->kind >= PROF_COMPARE_FRAME8 && op->kind <= PROF_COMPARE_FRAME_NULL;
}

/* Does it load from memory that may not be there? */
static bool follows(const struct prof_fast_compare_op *op)
{
  return op->kind == PROF_COMPARE_LOAD || op->kind == PROF_COMPARE_TEXT || op->kind == PROF_COMPARE_STEP;
}

static bool is_null(const struct prof_fast_compare_op *op)
{
  return op->kind == PROF_COMPARE_REG_NULL || op->kind == PROF_COMPARE_FRAME_NULL;
}

bool prof_compare_names_spare(const struct prof_fast_compare_op *op)
{
  return op->kind != PROF_COMPARE_SKIP && (op->reg == 8 || op->reg == 9);
}

bool prof_compare_is_known(const struct prof_fast_compare_op *op, bool crc)
{
  if (op->kind == PROF_COMPARE_SKIP)
    return true;
  /* rax, r10 and r11 are the code's own. */
  if (op->reg > 15 || op->reg == 0 || op->reg == 10 || op->reg == 11)
    return false;
  if (is_frame(op))
    return true;
  if (op->reg == PROF_SP)
    return false;
  if (op->kind == PROF_COMPARE_TEXT)
    return crc;
  if (op->kind == PROF_COMPARE_REG_NULL || op->kind == PROF_COMPARE_STEP)
    return true;
  unsigned size = size_of(op);
  bool whole = op->shift % 8 == 0 && (size == 8 || size == 4 || size == 2 || size == 1);
  return whole && (op->kind == PROF_COMPARE_REG || op->kind == PROF_COMPARE_LOG2 || op->kind == PROF_COMPARE_LOAD);
}

/* Is the program's value of this register where the code has put it away? */
static bool is_put_away(const struct prof_piece *p, unsigned reg)
{
  return (reg == PROF_RCX && p->rcx_saved) || (reg == PROF_RDX && p->rdx_saved);
}

bool prof_compare_takes_register(const struct prof_fast_compare_op *op)
{
  return op->kind == PROF_COMPARE_LOG2 || follows(op) || (is_frame(op) && encoded[op->reg] == PROF_RDX);
}

/* The stack pointer is lower by the return address of the sled's call. */
static int32_t frame_offset(const struct prof_fast_compare_op *op)
{
  return op->offset + (op->reg == PROF_SP ? 8 : 0);
}

/* The register that an op names; `temporary`, with its value, where it was put away. */
static unsigned base(struct prof_piece *p, const struct prof_fast_compare_op *op, unsigned temporary)
{
  unsigned reg = encoded[op->reg];
  if (!is_put_away(p, reg))
    return reg;
  PROF_CODE_LOAD(&p->w, temporary, PROF_RSP, prof_code_saved(op->reg));
  return temporary;
}

/* The value of an op, or what of it may be compared, in a register: its own where nothing has to be done, else
 * `temporary`. */
static unsigned value(struct prof_piece *p, const struct prof_fast_compare_op *op, unsigned temporary)
{
  unsigned reg = base(p, op, temporary), size = size_of(op);
  if (is_frame(op)) {
    prof_code_memory(&p->w, size < 4 ? 4 : size,
                     size == 2   ? 0x0fb7
                     : size == 1 ? 0x0fb6
                                 : 0x8b,
                     temporary, reg, frame_offset(op));
    return temporary;
  }
  if (!op->offset)
    return reg;
  prof_code_memory(&p->w, 8, 0x8d, temporary, reg, op->offset);
  return temporary;
}

/* rdx: this register. */
static void move(struct prof_piece *p, unsigned reg)
{
  if (reg != PROF_RDX)
    prof_code_registers(&p->w, 8, 0x8b, PROF_RDX, reg);
}

/* rdx: the log2 bucket of the value in it; a negative one is left to the hook. */
static void bucket(struct prof_piece *p, const struct prof_fast_compare_op *op)
{
  struct prof_code_writer *w = &p->w;
  if (op->shift) {
    PROF_CODE(w, 0x48, 0xc1, 0xe2, op->shift);                                     /* shl rdx, shift */
    PROF_CODE(w, 0x48, 0xc1, op->flags & FMT_OPF_SIGNED ? 0xfa : 0xea, op->shift); /* sar or shr */
  }
  if (op->flags & FMT_OPF_SIGNED) {
    prof_code_registers(w, 8, 0x85, PROF_RDX, PROF_RDX);
    prof_piece_miss_if(p, PROF_IF_NEGATIVE);
  }
  prof_code_registers(w, 8, 0x0fbd, PROF_RDX, PROF_RDX); /* bsr */
  PROF_CODE(w, 0x75, 0x04);                              /* jnz over the next */
  PROF_CODE(w, 0x48, 0x83, 0xca, 0xff);                  /* or rdx, -1 */
  PROF_CODE(w, 0x48, 0xff, 0xc2);                        /* inc rdx */
}

/* Where the value that comes from behind the piece's next pointer is kept between hashing and comparing: in the places
 * of registers that the code of a site leaves alone. */
static int32_t next_load(struct prof_piece *p)
{
  static const uint8_t places[PROF_PIECE_LOADS] = {7, 8, 9, 13};
  return prof_code_saved(places[p->loads++ % PROF_PIECE_LOADS]);
}

/* The register with the address that an op follows, while arguments are hashed: where the op before has led is in rdx.
 */
static unsigned followed(struct prof_piece *p, const struct prof_fast_compare_op *op)
{
  return op->flags & PROF_COMPARE_BEHIND ? PROF_RDX : base(p, op, PROF_RDX);
}

/* rdx: what the argument's pointer leads to, or the bucket of that. */
static void follow(struct prof_piece *p, const struct prof_fast_compare_op *op)
{
  const unsigned size = size_of(op);
  void (*const load)(void) = size == 8   ? prof_follow_8
                             : size == 4 ? prof_follow_4
                             : size == 2 ? prof_follow_2
                                         : prof_follow_1;
  prof_code_memory(&p->w, 8, 0x8d, PROF_RDX, followed(p, op), op->offset); /* lea */
  prof_code_call(&p->w, load);
  prof_piece_miss_if(p, PROF_IF_BELOW);
  if (op->flags & PROF_COMPARE_BUCKET)
    bucket(p, op);
  PROF_CODE_STORE(&p->w, PROF_RDX, PROF_RSP, next_load(p));
}

/* Adds a text to the hash. */
static void mix_text(struct prof_piece *p, const struct prof_fast_compare_op *op)
{
  move(p, followed(p, op));
  prof_code_memory(&p->w, 4, 0xc7, 0, PROF_RSP, prof_code_saved(TEXT_LIMIT));
  prof_code_word(&p->w, op->shift + 1u);
  prof_code_call(&p->w, prof_follow_text);
  prof_piece_miss_if(p, PROF_IF_BELOW);
}

/* Compares a text with the edge's words, whose end then lies where the next ones are. */
static void verify_text(struct prof_piece *p, const struct prof_fast_compare_op *op)
{
  struct prof_code_writer *w = &p->w;
  if (p->behind_text) {
    prof_code_memory(w, 8, 0x81, 0, PROF_RSP, prof_code_saved(TEXT_WORDS)); /* add qword, place */
    prof_code_word(w, (uint32_t)p->place);
  } else {
    prof_code_memory(w, 8, 0x8d, PROF_RDX, PROF_RAX, p->place); /* lea */
    PROF_CODE_STORE(w, PROF_RDX, PROF_RSP, prof_code_saved(TEXT_WORDS));
  }
  if (op->flags & PROF_COMPARE_BEHIND)
    PROF_CODE_LOAD(w, PROF_RDX, PROF_RSP, p->stepped);
  else
    move(p, base(p, op, PROF_RDX));
  prof_code_call(w, prof_follow_same);
  prof_piece_miss_if(p, PROF_IF_BELOW);
  p->behind_text = true;
  p->place = 0;
}

/* What mixes an operand of this size into the hash, eax: crc32, or xor, which a multiplication follows. */
static unsigned begin_mixing(struct prof_piece *p, unsigned size)
{
  if (!p->crc)
    return size == 1 ? 0x32 : 0x33;
  prof_code_byte(&p->w, 0xf2);
  return size == 1 ? 0x0f38f0 : 0x0f38f1;
}

static void end_mixing(struct prof_piece *p)
{
  if (p->crc)
    return;
  PROF_CODE(&p->w, 0x69, 0xc0); /* imul eax, eax, factor */
  prof_code_word(&p->w, PROF_CACHE_FACTOR);
}

void prof_piece_mix_register(struct prof_piece *p, unsigned size, unsigned reg)
{
  const unsigned opcode = begin_mixing(p, size);
  prof_code_registers(&p->w, size, opcode, PROF_RAX, reg);
  end_mixing(p);
}

static void mix_memory(struct prof_piece *p, unsigned size, unsigned reg, int32_t offset)
{
  const unsigned opcode = begin_mixing(p, size);
  prof_code_memory(&p->w, size, opcode, PROF_RAX, reg, offset);
  end_mixing(p);
}

/* Adds to the hash whether a pointer is NULL: eax twice, and 1 if it is. */
static void mix_null(struct prof_piece *p, const struct prof_fast_compare_op *op)
{
  struct prof_code_writer *w = &p->w;
  const unsigned reg = encoded[op->reg];
  if (is_frame(op)) {
    prof_code_memory(w, 8, 0x83, 7, base(p, op, PROF_RDX), frame_offset(op)); /* cmp qword, 1 */
    prof_code_byte(w, 1);
  } else if (op->offset) {
    return;
  } else if (is_put_away(p, reg)) {
    prof_code_memory(w, 8, 0x83, 7, PROF_RSP, prof_code_saved(op->reg));
    prof_code_byte(w, 1);
  } else {
    PROF_CODE(w, (uint8_t)(0x48 | (reg & 8 ? 1 : 0)), 0x83, (uint8_t)(0xf8 | (reg & 7)), 1); /* cmp reg, 1 */
  }
  PROF_CODE(w, 0x11, 0xc0); /* adc eax, eax */
}

/* The hash is made of registers as they are: what is added to them is the same for all calls. */
static void mix(struct prof_piece *p, const struct prof_fast_compare_op *op)
{
  const unsigned size = size_of(op);
  if (op->kind == PROF_COMPARE_SKIP || is_null(op))
    return;
  if (op->kind == PROF_COMPARE_LOG2) {
    move(p, value(p, op, PROF_RDX));
    bucket(p, op);
    prof_piece_mix_register(p, 4, PROF_RDX);
  } else if (op->kind == PROF_COMPARE_TEXT) {
    mix_text(p, op);
  } else if (op->kind == PROF_COMPARE_STEP) {
    follow(p, op);
  } else if (op->kind == PROF_COMPARE_LOAD) {
    follow(p, op);
    prof_piece_mix_register(p, size, PROF_RDX); /* a bucket is less than 256, so that its lowest byte says all */
  } else if (is_frame(op)) {
    mix_memory(p, size, base(p, op, PROF_RDX), frame_offset(op));
  } else if (is_put_away(p, encoded[op->reg])) {
    mix_memory(p, size, PROF_RSP, prof_code_saved(op->reg));
  } else {
    prof_piece_mix_register(p, size, encoded[op->reg]);
  }
}

void prof_piece_hash_arguments(struct prof_piece *p)
{
  prof_code_memory(&p->w, 4, 0x8b, PROF_RAX, PROF_R11, offsetof(struct prof_site_link, hash));
  for (uint32_t i = 0; i < p->compare->count; i++) {
    const struct prof_fast_compare_op *op = &p->compare->ops[i];
    if (i < PROF_COMPARE_NULLS && p->nulls >> i & 1)
      mix_null(p, op);
    else
      mix(p, op);
  }
}

void prof_piece_verify_argument(struct prof_piece *p, const struct prof_fast_compare_op *op)
{
  unsigned size = size_of(op), reg, words = PROF_RAX;
  if (op->kind == PROF_COMPARE_TEXT) {
    verify_text(p, op);
    return;
  }
  if (op->kind == PROF_COMPARE_STEP) {
    p->stepped = next_load(p);
    return;
  }
  p->place += 8;
  if (op->kind == PROF_COMPARE_SKIP)
    return;
  if (op->kind == PROF_COMPARE_LOG2) {
    move(p, value(p, op, PROF_RDX));
    bucket(p, op);
    reg = PROF_RDX;
    size = 8;
  } else if (is_null(op)) {
    reg = value(p, op, p->temporary);
    prof_code_registers(&p->w, 8, 0x85, reg, reg);
    reg = p->temporary;
    prof_code_registers(&p->w, 1, 0x0f95, 0, reg); /* setne */
    size = 1;
  } else if (op->kind == PROF_COMPARE_LOAD) {
    reg = p->temporary;
    size = op->flags & PROF_COMPARE_BUCKET ? 8 : size;
    PROF_CODE_LOAD(&p->w, reg, PROF_RSP, next_load(p));
  } else {
    reg = value(p, op, p->temporary);
  }
  if (p->behind_text) {
    words = PROF_RDX;
    if (reg == PROF_RDX) {
      reg = p->temporary;
      prof_code_registers(&p->w, 8, 0x8b, reg, PROF_RDX);
    }
    PROF_CODE_LOAD(&p->w, words, PROF_RSP, prof_code_saved(TEXT_WORDS));
  }
  prof_code_memory(&p->w, size, size == 1 ? 0x38 : 0x39, reg, words, p->place - 8); /* cmp [word], value */
  prof_piece_miss_if(p, PROF_IF_NOT_EQUAL);
}
