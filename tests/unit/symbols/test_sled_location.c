/* What of a frame exists at a function's first instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "symbols/location/sled_location.h"
#include "symbols/processor/x86_64.h"

enum { OPS_MAX = 4 };

static const struct {
  const char *what;
  struct fmt_op ops[OPS_MAX]; /* after the stack pointer, the rest empty */
  unsigned count;
  int64_t inner;
  bool is_there;
} cases[] = {
    {"the return address", {{0}}, 0, 0, false},
    {"the first word of the caller", {{.code = FMT_OP_ADD_CONST, .imm = 8}}, 1, 0, true},
    {"what is inside of it", {{.code = FMT_OP_ADD_CONST, .imm = 4}}, 1, 4, true},
    {"a slot below", {{.code = FMT_OP_ADD_CONST, .imm = -16}}, 1, 0, false},
    {"a slot behind a sum of sums",
     {{.code = FMT_OP_ADD_CONST, .imm = 8}, {.code = FMT_OP_CONST, .imm = -112}, {.code = FMT_OP_PLUS}},
     3,
     4,
     false},
    {"an argument behind a sum of sums",
     {{.code = FMT_OP_ADD_CONST, .imm = -112}, {.code = FMT_OP_CONST, .imm = -128}, {.code = FMT_OP_MINUS}},
     3,
     0,
     true},
    {"what is loaded from a slot",
     {{.code = FMT_OP_ADD_CONST, .imm = 8},
      {.code = FMT_OP_CONST, .imm = 64},
      {.code = FMT_OP_MINUS},
      {.code = FMT_OP_LOAD, .size = 8, .imm = 8}},
     4,
     16,
     false},
    {"what an argument leads to",
     {{.code = FMT_OP_FRAME_LOAD, .size = 8, .imm = 16}, {.code = FMT_OP_LOAD, .size = 4, .imm = -64}},
     2,
     0,
     true},
    {"what is added to a register", {{.code = FMT_OP_REG, .reg = SYM_RDI}, {.code = FMT_OP_PLUS}}, 2, 16, false},
};

static void there_or_not(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sym_location location = {.kind = SYM_LOCATION_MEMORY, .inner = cases[i].inner};
    location.code.ops[location.code.count++] = (struct fmt_op){.code = FMT_OP_REG, .reg = SYM_RSP};
    for (unsigned k = 0; k < cases[i].count; k++)
      location.code.ops[location.code.count++] = cases[i].ops[k];
    sym_sled_settle(&location);
    if ((location.kind == SYM_LOCATION_MEMORY) != cases[i].is_there)
      fail_msg("%s is %staken for something that is there", cases[i].what, cases[i].is_there ? "not " : "");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(there_or_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
