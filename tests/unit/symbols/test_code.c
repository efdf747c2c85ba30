/* How capture programs are put together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "symbols/capture/code.h"
#include "symbols/processor/x86_64.h"

#define BASES(register) ((struct sym_frame_bases){.stack_pointer = SYM_RSP, .cfa = (register)})

static void test_merging(void **state)
{
  (void)state;
  struct sym_code code = {0};
  sym_code_add(&code, FMT_OP_REG, 7, 0, 0, 0);
  sym_code_add_constant(&code, 16);
  sym_code_add_constant(&code, -8);
  sym_code_load(&code, 4, 4, BASES(-1));
  assert_int_equal(code.count, 2);
  assert_int_equal(code.ops[1].code, FMT_OP_FRAME_LOAD);
  assert_int_equal(code.ops[1].imm, 12);
  /* A register that is not the frame's may point anywhere. */
  sym_code_clear(&code);
  sym_code_add(&code, FMT_OP_REG, 3, 0, 0, 0);
  sym_code_load(&code, 8, 0, BASES(6));
  assert_int_equal(code.ops[1].code, FMT_OP_LOAD);
  /* So may an address far from the frame. */
  sym_code_clear(&code);
  sym_code_add(&code, FMT_OP_REG, 7, 0, 0, 0);
  sym_code_load(&code, 8, (int64_t)FMT_FRAME_REACH + 1, BASES(-1));
  assert_int_equal(code.ops[1].code, FMT_OP_LOAD);
}

/* Each operand by itself: what was pushed before it does not matter. */
static void test_second_operand(void **state)
{
  (void)state;
  struct sym_code code = {0}, more = {0};
  sym_code_add(&code, FMT_OP_REG, 7, 0, 0, 0);
  sym_code_load(&code, 8, 40, BASES(-1));
  sym_code_add(&code, FMT_OP_REG, 7, 0, 0, 0);
  sym_code_add_constant(&code, 40);
  sym_code_load(&code, 8, 8, BASES(-1));
  assert_int_equal(code.count, 4);
  assert_int_equal(code.ops[3].code, FMT_OP_FRAME_LOAD);
  assert_int_equal(code.ops[3].imm, 48);
  /* Appended as a whole. */
  sym_code_add(&more, FMT_OP_REG, 7, 0, 0, 0);
  sym_code_append(&code, &more);
  sym_code_load(&code, 8, 56, BASES(-1));
  assert_int_equal(code.ops[5].code, FMT_OP_FRAME_LOAD);
  /* What a load of the frame gives is no address in it, nor is what another op made of one. */
  sym_code_load(&code, 8, 0, BASES(-1));
  assert_int_equal(code.ops[6].code, FMT_OP_LOAD);
  sym_code_add(&code, FMT_OP_REG, 7, 0, 0, 0);
  sym_code_add(&code, FMT_OP_PLUS, 0, 0, 0, 0);
  sym_code_load(&code, 8, 0, BASES(-1));
  assert_int_equal(code.ops[9].code, FMT_OP_LOAD);
  /* A branch leads between the register and the load, with another address. */
  sym_code_add(&code, FMT_OP_REG, 7, 0, 0, 0);
  code.barrier = code.count;
  sym_code_load(&code, 8, 0, BASES(-1));
  assert_int_equal(code.ops[11].code, FMT_OP_LOAD);
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_merging), cmocka_unit_test(test_second_operand),
                                     cmocka_unit_test(test_too_long)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
