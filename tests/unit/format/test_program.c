/* What the check of capture programs lets pass and what not. */
/* ctest: build _symbols callsig_symbols */
/* ctest: build _runtime callsig_runtime PkgConfig::XXHASH */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "format/machine.h"
#include "format/program.h"

static struct fmt_op op(uint8_t code, uint8_t reg, uint8_t size, int64_t imm)
{
  return (struct fmt_op){.code = code, .reg = reg, .size = size, .imm = imm};
}

#define ASSERT_VALID(...)                                                                                              \
  do {                                                                                                                 \
    const struct fmt_op ops_[] = {__VA_ARGS__};                                                                        \
    assert_true(fmt_program_sound(ops_, sizeof ops_ / sizeof *ops_));                                                  \
  } while (0)
#define ASSERT_INVALID(...)                                                                                            \
  do {                                                                                                                 \
    const struct fmt_op ops_[] = {__VA_ARGS__};                                                                        \
    assert_false(fmt_program_sound(ops_, sizeof ops_ / sizeof *ops_));                                                 \
  } while (0)

static void test_one_op(void **state)
{
  (void)state;
  ASSERT_VALID(op(FMT_OP_EMIT_REG, FMT_REGISTERS_MAX - 1, 8, 0));
  ASSERT_VALID(op(FMT_OP_EMIT_CONST, 0, 0, 7));
  ASSERT_INVALID(op(FMT_OP_EMIT_REG, FMT_REGISTERS_MAX, 8, 0));
  ASSERT_INVALID(op(FMT_OP_EMIT_REG, 0, 0, 0));
  ASSERT_INVALID(op(FMT_OP_EMIT_REG, 0, 9, 0));
  ASSERT_INVALID(op(FMT_OP_REG, 0, 0, 0));
  ASSERT_INVALID(op(FMT_OP_COUNT, 0, 0, 0));
  ASSERT_INVALID(op(255, 0, 0, 0));
  assert_false(fmt_program_sound(NULL, 0));
}

static void test_stack(void **state)
{
  (void)state;
  ASSERT_VALID(op(FMT_OP_CONST, 0, 0, 1), op(FMT_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(op(FMT_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(op(FMT_OP_CONST, 0, 0, 1), op(FMT_OP_PLUS, 0, 0, 0), op(FMT_OP_EMIT, 0, 8, 0));
  /* One value too many is left. */
  ASSERT_INVALID(op(FMT_OP_CONST, 0, 0, 1), op(FMT_OP_CONST, 0, 0, 1), op(FMT_OP_EMIT, 0, 8, 0));
  ASSERT_VALID(op(FMT_OP_CONST, 0, 0, 1), op(FMT_OP_CONST, 0, 0, 2), op(FMT_OP_PICK, 0, 0, 1), op(FMT_OP_DROP, 0, 0, 0),
               op(FMT_OP_PLUS, 0, 0, 0), op(FMT_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(op(FMT_OP_CONST, 0, 0, 1), op(FMT_OP_PICK, 0, 0, 1), op(FMT_OP_DROP, 0, 0, 0),
                 op(FMT_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(op(FMT_OP_CONST, 0, 0, 1), op(FMT_OP_PICK, 0, 0, -1), op(FMT_OP_DROP, 0, 0, 0),
                 op(FMT_OP_EMIT, 0, 8, 0));
}

static void test_depth(void **state)
{
  (void)state;
  struct fmt_op ops[2 * FMT_STACK_MAX + 2];
  uint32_t count = 0;
  for (unsigned i = 0; i < FMT_STACK_MAX; i++)
    ops[count++] = op(FMT_OP_CONST, 0, 0, 1);
  for (unsigned i = 1; i < FMT_STACK_MAX; i++)
    ops[count++] = op(FMT_OP_PLUS, 0, 0, 0);
  ops[count++] = op(FMT_OP_EMIT, 0, 8, 0);
  assert_true(fmt_program_sound(ops, count));
  count = 0;
  for (unsigned i = 0; i <= FMT_STACK_MAX; i++)
    ops[count++] = op(FMT_OP_CONST, 0, 0, 1);
  for (unsigned i = 0; i < FMT_STACK_MAX; i++)
    ops[count++] = op(FMT_OP_PLUS, 0, 0, 0);
  ops[count++] = op(FMT_OP_EMIT, 0, 8, 0);
  assert_false(fmt_program_sound(ops, count));
}

static void test_branches(void **state)
{
  (void)state;
  const struct fmt_op zero = op(FMT_OP_CONST, 0, 0, 0), emit = op(FMT_OP_EMIT, 0, 8, 0);
  ASSERT_VALID(zero, op(FMT_OP_BRANCH, 0, 0, 2), zero, op(FMT_OP_SKIP, 0, 0, 1), zero, emit);
  /* Into the middle with another depth, past the end, backwards, onto itself. */
  ASSERT_INVALID(zero, op(FMT_OP_BRANCH, 0, 0, 2), zero, zero, emit);
  ASSERT_INVALID(zero, zero, op(FMT_OP_BRANCH, 0, 0, 1), emit);
  ASSERT_INVALID(zero, zero, op(FMT_OP_BRANCH, 0, 0, -1), emit);
  ASSERT_INVALID(zero, op(FMT_OP_SKIP, 0, 0, INT64_MAX), emit);
  /* Nothing may follow an emit, and nothing that is never reached. */
  ASSERT_INVALID(zero, emit, zero, emit);
  ASSERT_INVALID(zero, op(FMT_OP_LOSE, 0, 0, 0), emit);
}

static void test_operands(void **state)
{
  (void)state;
  const struct fmt_op zero = op(FMT_OP_CONST, 0, 0, 0);
  ASSERT_VALID(zero, op(FMT_OP_BITS, 0, 3, 61), op(FMT_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(zero, op(FMT_OP_BITS, 0, 3, 62), op(FMT_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(zero, op(FMT_OP_BITS, 0, 0, 0), op(FMT_OP_EMIT, 0, 8, 0));
  ASSERT_VALID(zero, op(FMT_OP_EMIT_STRING, 0, 0, FMT_STRING_MAX));
  ASSERT_INVALID(zero, op(FMT_OP_EMIT_STRING, 0, 0, (int64_t)FMT_STRING_MAX + 1));
  ASSERT_INVALID(zero, op(FMT_OP_LOAD, 0, 9, 0), op(FMT_OP_EMIT, 0, 8, 0));
}

/* What each op takes from the stack and puts there, as docs/index-format.md has it: one value fewer before it, or one
 * more after it, and the program is refused. */
static void test_effects(void **state)
{
  static const struct {
    uint8_t code;
    unsigned pops, pushes;
  } expected[] = {
      {FMT_OP_REG, 0, 1},   {FMT_OP_XMM, 0, 1},       {FMT_OP_CONST, 0, 1},  {FMT_OP_ADDRESS, 0, 1},
      {FMT_OP_CFA, 0, 1},   {FMT_OP_ENTRY, 0, 1},     {FMT_OP_TLS, 0, 1},    {FMT_OP_FRAME_LOAD, 1, 1},
      {FMT_OP_LOAD, 1, 1},  {FMT_OP_ADD_CONST, 1, 1}, {FMT_OP_ABS, 1, 1},    {FMT_OP_NEG, 1, 1},
      {FMT_OP_NOT, 1, 1},   {FMT_OP_EXTEND, 1, 1},    {FMT_OP_BITS, 1, 1},   {FMT_OP_DUP, 1, 2},
      {FMT_OP_PICK, 1, 2},  {FMT_OP_DROP, 1, 0},      {FMT_OP_BRANCH, 1, 0}, {FMT_OP_OVER, 2, 3},
      {FMT_OP_SWAP, 2, 2},  {FMT_OP_ROT, 3, 3},       {FMT_OP_AND, 2, 1},    {FMT_OP_DIV, 2, 1},
      {FMT_OP_MINUS, 2, 1}, {FMT_OP_MOD, 2, 1},       {FMT_OP_MUL, 2, 1},    {FMT_OP_OR, 2, 1},
      {FMT_OP_PLUS, 2, 1},  {FMT_OP_SHL, 2, 1},       {FMT_OP_SHR, 2, 1},    {FMT_OP_SHRA, 2, 1},
      {FMT_OP_XOR, 2, 1},   {FMT_OP_EQ, 2, 1},        {FMT_OP_GE, 2, 1},     {FMT_OP_GT, 2, 1},
      {FMT_OP_LE, 2, 1},    {FMT_OP_LT, 2, 1},        {FMT_OP_NE, 2, 1},     {FMT_OP_SKIP, 0, 0},
  };
  (void)state;
  for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
    for (unsigned have = 0; have <= 3; have++) {
      for (unsigned drop = 0; drop <= 4; drop++) {
        struct fmt_op ops[16];
        uint32_t count = 0;
        for (unsigned k = 0; k < have; k++)
          ops[count++] = op(FMT_OP_REG, 7, 0, 0);
        ops[count++] = op(expected[i].code, 0, 8, 0);
        for (unsigned k = 0; k < drop; k++)
          ops[count++] = op(FMT_OP_DROP, 0, 0, 0);
        ops[count++] = op(FMT_OP_EMIT_CONST, 0, 0, 1);
        bool right = have >= expected[i].pops && have - expected[i].pops + expected[i].pushes == drop;
        if (fmt_program_sound(ops, count) != right)
          fail_msg("op %u of %u values, then %u drops", expected[i].code, have, drop);
      }
    }
  }
}

/* The last op, of which every value is used. */
static void test_emits(void **state)
{
  static const uint8_t emits[][8] = {
      {FMT_OP_EMIT_REG, FMT_OP_EMIT_NULL_REG, FMT_OP_EMIT_CONST, FMT_OP_EMIT_FRAME, FMT_OP_EMIT_NULL_FRAME},
      {FMT_OP_EMIT, FMT_OP_EMIT_NULL, FMT_OP_EMIT_STRING, FMT_OP_EMIT_LOG2, FMT_OP_EMIT_RANGE},
      {FMT_OP_EMIT_STRING_N, FMT_OP_EMIT_SPAN, FMT_OP_EMIT_SPAN_FRAME}};
  (void)state;
  for (unsigned pops = 0; pops < 3; pops++) {
    for (unsigned i = 0; i < 8 && (i == 0 || emits[pops][i]); i++) {
      struct fmt_op ops[4];
      for (unsigned have = 0; have <= 3; have++) {
        for (unsigned k = 0; k < have; k++)
          ops[k] = op(FMT_OP_CONST, 0, 0, 1);
        ops[have] = op(emits[pops][i], 0, 8, 0);
        if (fmt_program_sound(ops, have + 1) != (have == pops))
          fail_msg("op %u of %u values", emits[pops][i], have);
      }
    }
  }
}

/* The frame is loaded from without precautions: only near an address that is the frame's. */
static void test_frame(void **state)
{
  (void)state;
  const struct fmt_op rsp = op(FMT_OP_REG, 7, 0, 0), emit = op(FMT_OP_EMIT, 0, 8, 0), add = op(FMT_OP_PLUS, 0, 0, 0);
  const struct fmt_op load = op(FMT_OP_FRAME_LOAD, 0, 8, 48), zero = op(FMT_OP_CONST, 0, 0, 0);
  ASSERT_VALID(rsp, load, rsp, load, add, emit);
  ASSERT_VALID(op(FMT_OP_CFA, 0, 0, 0), op(FMT_OP_FRAME_LOAD, 0, 8, -FMT_FRAME_REACH), emit);
  ASSERT_INVALID(rsp, op(FMT_OP_FRAME_LOAD, 0, 8, FMT_FRAME_REACH + 1), emit);
  ASSERT_INVALID(zero, load, emit);
  ASSERT_INVALID(rsp, load, load, emit);
  /* A branch that leads right to the load brings another address. */
  ASSERT_INVALID(zero, op(FMT_OP_DUP, 0, 0, 0), op(FMT_OP_BRANCH, 0, 0, 2), op(FMT_OP_DROP, 0, 0, 0), rsp, load, emit);
  ASSERT_VALID(op(FMT_OP_EMIT_FRAME, 7, 4, FMT_FRAME_REACH));
  ASSERT_INVALID(op(FMT_OP_EMIT_FRAME, 7, 4, FMT_FRAME_REACH + 1));
  ASSERT_INVALID(op(FMT_OP_EMIT_NULL_FRAME, 7, 0, -FMT_FRAME_REACH - 1));
  const struct fmt_op ops[] = {op(FMT_OP_REG, 6, 0, 0), load, emit};
  assert_int_equal(fmt_frame_register(ops, 1), 6);
  assert_int_equal(fmt_frame_register(ops, 2), -1);
  const struct fmt_op direct = op(FMT_OP_EMIT_FRAME, 3, 4, 0);
  assert_int_equal(fmt_frame_register(&direct, 0), 3);
}

static void test_length(void **state)
{
  (void)state;
  struct fmt_op ops[FMT_PROGRAM_MAX + 1];
  ops[0] = op(FMT_OP_CONST, 0, 0, 1);
  for (unsigned i = 1; i < FMT_PROGRAM_MAX; i++)
    ops[i] = op(FMT_OP_NEG, 0, 0, 0);
  ops[FMT_PROGRAM_MAX - 1] = ops[FMT_PROGRAM_MAX] = op(FMT_OP_EMIT, 0, 8, 0);
  assert_true(fmt_program_sound(ops, FMT_PROGRAM_MAX));
  ops[FMT_PROGRAM_MAX - 1] = op(FMT_OP_NEG, 0, 0, 0);
  assert_false(fmt_program_sound(ops, FMT_PROGRAM_MAX + 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_op),   cmocka_unit_test(test_stack),    cmocka_unit_test(test_depth),
      cmocka_unit_test(test_branches), cmocka_unit_test(test_operands), cmocka_unit_test(test_effects),
      cmocka_unit_test(test_emits),    cmocka_unit_test(test_length),   cmocka_unit_test(test_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
