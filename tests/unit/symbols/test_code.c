/* What the check of capture programs lets pass and what not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "code.h"

static struct cs_op op(uint8_t code, uint8_t reg, uint8_t size, int64_t imm)
{
  return (struct cs_op){.code = code, .reg = reg, .size = size, .imm = imm};
}

#define ASSERT_VALID(...)                                                                                              \
  do {                                                                                                                 \
    const struct cs_op ops_[] = {__VA_ARGS__};                                                                         \
    assert_int_equal(cs_code_check(ops_, sizeof ops_ / sizeof *ops_), 0);                                              \
  } while (0)
#define ASSERT_INVALID(...)                                                                                            \
  do {                                                                                                                 \
    const struct cs_op ops_[] = {__VA_ARGS__};                                                                         \
    assert_int_not_equal(cs_code_check(ops_, sizeof ops_ / sizeof *ops_), 0);                                          \
  } while (0)

static void test_one_op(void **state)
{
  (void)state;
  ASSERT_VALID(op(CS_OP_EMIT_REG, 15, 8, 0));
  ASSERT_VALID(op(CS_OP_EMIT_CONST, 0, 0, 7));
  ASSERT_INVALID(op(CS_OP_EMIT_REG, 16, 8, 0));
  ASSERT_INVALID(op(CS_OP_EMIT_REG, 0, 0, 0));
  ASSERT_INVALID(op(CS_OP_EMIT_REG, 0, 9, 0));
  ASSERT_INVALID(op(CS_OP_REG, 0, 0, 0));
  ASSERT_INVALID(op(CS_OP_COUNT, 0, 0, 0));
  ASSERT_INVALID(op(255, 0, 0, 0));
  assert_int_not_equal(cs_code_check(NULL, 0), 0);
}

static void test_stack(void **state)
{
  (void)state;
  ASSERT_VALID(op(CS_OP_CONST, 0, 0, 1), op(CS_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(op(CS_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(op(CS_OP_CONST, 0, 0, 1), op(CS_OP_PLUS, 0, 0, 0), op(CS_OP_EMIT, 0, 8, 0));
  /* One value too many is left. */
  ASSERT_INVALID(op(CS_OP_CONST, 0, 0, 1), op(CS_OP_CONST, 0, 0, 1), op(CS_OP_EMIT, 0, 8, 0));
  ASSERT_VALID(op(CS_OP_CONST, 0, 0, 1), op(CS_OP_CONST, 0, 0, 2), op(CS_OP_PICK, 0, 0, 1), op(CS_OP_DROP, 0, 0, 0),
               op(CS_OP_PLUS, 0, 0, 0), op(CS_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(op(CS_OP_CONST, 0, 0, 1), op(CS_OP_PICK, 0, 0, 1), op(CS_OP_DROP, 0, 0, 0), op(CS_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(op(CS_OP_CONST, 0, 0, 1), op(CS_OP_PICK, 0, 0, -1), op(CS_OP_DROP, 0, 0, 0), op(CS_OP_EMIT, 0, 8, 0));
}

static void test_depth(void **state)
{
  (void)state;
  struct cs_op ops[2 * CS_STACK_MAX + 2];
  uint32_t count = 0;
  for (unsigned i = 0; i < CS_STACK_MAX; i++)
    ops[count++] = op(CS_OP_CONST, 0, 0, 1);
  for (unsigned i = 1; i < CS_STACK_MAX; i++)
    ops[count++] = op(CS_OP_PLUS, 0, 0, 0);
  ops[count++] = op(CS_OP_EMIT, 0, 8, 0);
  assert_int_equal(cs_code_check(ops, count), 0);
  count = 0;
  for (unsigned i = 0; i <= CS_STACK_MAX; i++)
    ops[count++] = op(CS_OP_CONST, 0, 0, 1);
  for (unsigned i = 0; i < CS_STACK_MAX; i++)
    ops[count++] = op(CS_OP_PLUS, 0, 0, 0);
  ops[count++] = op(CS_OP_EMIT, 0, 8, 0);
  assert_int_not_equal(cs_code_check(ops, count), 0);
}

static void test_branches(void **state)
{
  (void)state;
  const struct cs_op zero = op(CS_OP_CONST, 0, 0, 0), emit = op(CS_OP_EMIT, 0, 8, 0);
  ASSERT_VALID(zero, op(CS_OP_BRANCH, 0, 0, 2), zero, op(CS_OP_SKIP, 0, 0, 1), zero, emit);
  /* Into the middle with another depth, past the end, backwards, onto itself. */
  ASSERT_INVALID(zero, op(CS_OP_BRANCH, 0, 0, 2), zero, zero, emit);
  ASSERT_INVALID(zero, zero, op(CS_OP_BRANCH, 0, 0, 1), emit);
  ASSERT_INVALID(zero, zero, op(CS_OP_BRANCH, 0, 0, -1), emit);
  ASSERT_INVALID(zero, op(CS_OP_SKIP, 0, 0, INT64_MAX), emit);
  /* Nothing may follow an emit, and nothing that is never reached. */
  ASSERT_INVALID(zero, emit, zero, emit);
  ASSERT_INVALID(zero, op(CS_OP_LOSE, 0, 0, 0), emit);
}

static void test_operands(void **state)
{
  (void)state;
  const struct cs_op zero = op(CS_OP_CONST, 0, 0, 0);
  ASSERT_VALID(zero, op(CS_OP_BITS, 0, 3, 61), op(CS_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(zero, op(CS_OP_BITS, 0, 3, 62), op(CS_OP_EMIT, 0, 8, 0));
  ASSERT_INVALID(zero, op(CS_OP_BITS, 0, 0, 0), op(CS_OP_EMIT, 0, 8, 0));
  ASSERT_VALID(zero, op(CS_OP_EMIT_STRING, 0, 0, CS_STRING_MAX));
  ASSERT_INVALID(zero, op(CS_OP_EMIT_STRING, 0, 0, (int64_t)CS_STRING_MAX + 1));
  ASSERT_INVALID(zero, op(CS_OP_LOAD, 0, 9, 0), op(CS_OP_EMIT, 0, 8, 0));
}

static void test_merging(void **state)
{
  (void)state;
  struct cs_code code = {0};
  cs_code_add(&code, CS_OP_REG, 7, 0, 0, 0);
  cs_code_add_constant(&code, 16);
  cs_code_add_constant(&code, -8);
  cs_code_load(&code, 4, 4, -1);
  assert_int_equal(code.count, 2);
  assert_int_equal(code.ops[1].code, CS_OP_FRAME_LOAD);
  assert_int_equal(code.ops[1].imm, 12);
  /* A register that is not the frame's may point anywhere. */
  cs_code_clear(&code);
  cs_code_add(&code, CS_OP_REG, 3, 0, 0, 0);
  cs_code_load(&code, 8, 0, 6);
  assert_int_equal(code.ops[1].code, CS_OP_LOAD);
  /* So may an address far from the frame. */
  cs_code_clear(&code);
  cs_code_add(&code, CS_OP_REG, 7, 0, 0, 0);
  cs_code_load(&code, 8, (int64_t)CS_FRAME_REACH + 1, -1);
  assert_int_equal(code.ops[1].code, CS_OP_LOAD);
}

static void test_too_long(void **state)
{
  (void)state;
  struct cs_code code = {0};
  for (unsigned i = 0; i <= CS_CODE_MAX; i++)
    cs_code_constant(&code, 1);
  assert_true(code.too_long);
  assert_int_equal(code.count, CS_CODE_MAX);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_op),   cmocka_unit_test(test_stack),    cmocka_unit_test(test_depth),
      cmocka_unit_test(test_branches), cmocka_unit_test(test_operands), cmocka_unit_test(test_merging),
      cmocka_unit_test(test_too_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
