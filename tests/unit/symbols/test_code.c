/* How capture programs are put together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "symbols/capture/code.h"

static void test_merging(void **state)
{
  (void)state;
  struct sym_code code = {0};
  sym_code_add(&code, FMT_OP_REG, 7, 0, 0, 0);
  sym_code_add_constant(&code, 16);
  sym_code_add_constant(&code, -8);
  sym_code_load(&code, 4, 4, -1);
  assert_int_equal(code.count, 2);
  assert_int_equal(code.ops[1].code, FMT_OP_FRAME_LOAD);
  assert_int_equal(code.ops[1].imm, 12);
  /* A register that is not the frame's may point anywhere. */
  sym_code_clear(&code);
  sym_code_add(&code, FMT_OP_REG, 3, 0, 0, 0);
  sym_code_load(&code, 8, 0, 6);
  assert_int_equal(code.ops[1].code, FMT_OP_LOAD);
  /* So may an address far from the frame. */
  sym_code_clear(&code);
  sym_code_add(&code, FMT_OP_REG, 7, 0, 0, 0);
  sym_code_load(&code, 8, (int64_t)SYM_FRAME_REACH + 1, -1);
  assert_int_equal(code.ops[1].code, FMT_OP_LOAD);
}

static void test_too_long(void **state)
{
  (void)state;
  struct sym_code code = {0};
  for (unsigned i = 0; i <= FMT_PROGRAM_MAX; i++)
    sym_code_constant(&code, 1);
  assert_true(code.too_long);
  assert_int_equal(code.count, FMT_PROGRAM_MAX);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_merging), cmocka_unit_test(test_too_long)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
