/* Values followed through straight code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "symbols/flow/flow.h"
#include "symbols/processor/x86_64.h"
#include "tests/support/symbols/snippet.h"

/* Follows `bytes` to their end, from right after the hook's call. */
#define FOLLOW(flow, ...)                                                                                              \
  const uint8_t bytes_[] = {__VA_ARGS__};                                                                              \
  struct snippet snippet_;                                                                                             \
  struct sym_flow flow;                                                                                                \
  snippet_make(&snippet_, bytes_, sizeof bytes_);                                                                      \
  sym_flow_begin(&flow, &snippet_.hook, SNIPPET_ADDRESS, (struct sym_frame_bases){SYM_RSP, SYM_RBP});                  \
  while (flow.at < SNIPPET_ADDRESS + sizeof bytes_ && sym_flow_step(&flow)) {                                          \
  }

static void assert_ops(const struct sym_code *code, unsigned count, ...)
{
  va_list codes;
  assert_int_equal(code->count, count);
  va_start(codes, count);
  for (unsigned i = 0; i < count; i++)
    assert_int_equal(code->ops[i].code, va_arg(codes, int));
  va_end(codes);
}

static void test_beginning(void **state)
{
  (void)state;
  FOLLOW(flow, 0x90);
  struct sym_code code = {0};
  assert_int_equal(sym_flow_push(&flow, SYM_RBX, &code), 8);
  assert_ops(&code, 1, FMT_OP_REG);
  /* What a call does not keep is unknown after the hook. */
  sym_code_clear(&code);
  assert_int_equal(sym_flow_push(&flow, SYM_RDX, &code), 0);
  assert_int_equal(sym_flow_push(&flow, SYM_XMM0, &code), 0);
  assert_int_equal(code.count, 0);
}

/* vpinsrd $1,%r12d,%xmm4,%xmm3; vpextrd $1,%xmm3,%r15d: what is put into a vector stays where it was, and what is taken
 * out of one replaces what was there. */
static void test_elements(void **state)
{
  (void)state;
  FOLLOW(flow, 0xc4, 0xc3, 0x59, 0x22, 0xdc, 0x01, 0xc4, 0xc3, 0x79, 0x16, 0xdf, 0x01);
  struct sym_code code = {0};
  assert_int_equal(sym_flow_push(&flow, SYM_R12, &code), 8);
  assert_ops(&code, 1, FMT_OP_REG);
  sym_code_clear(&code);
  assert_int_equal(sym_flow_push(&flow, SYM_R15, &code), 0);
}

/* clang -O0: mov -0x40(%rbp),%rdi; mov -0x34(%rbp),%esi; mov %rdi,-0x10(%rbp); mov %esi,-0x14(%rbp) */
static void test_home(void **state)
{
  (void)state;
  FOLLOW(flow, 0x48, 0x8b, 0x7d, 0xc0, 0x8b, 0x75, 0xcc, 0x48, 0x89, 0x7d, 0xf0, 0x89, 0x75, 0xec);
  struct sym_code code = {0};
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x10, 8, &code), SYM_FLOW_STORED);
  assert_ops(&code, 2, FMT_OP_REG, FMT_OP_FRAME_LOAD);
  assert_int_equal(code.ops[1].imm, -0x40);
  sym_code_clear(&code);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x14, 4, &code), SYM_FLOW_STORED);
  assert_int_equal(code.ops[1].imm, -0x34);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x40, 8, NULL), SYM_FLOW_UNTOUCHED);
  /* Parts of a store, and what reaches beyond one. */
  sym_code_clear(&code);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x0c, 4, &code), SYM_FLOW_STORED);
  assert_int_equal(code.ops[code.count - 1].code, FMT_OP_SHR);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x14, 8, NULL), SYM_FLOW_UNKNOWN);
}

/* mov %rbx,%rdi; mov %ebp,%esi; lea 0x10(%rsp),%rdx; movzbl 0x3(%r12),%ecx; xor %r8d,%r8d */
static void test_copies(void **state)
{
  (void)state;
  FOLLOW(flow, 0x48, 0x89, 0xdf, 0x89, 0xee, 0x48, 0x8d, 0x54, 0x24, 0x10, 0x41, 0x0f, 0xb6, 0x4c, 0x24, 0x03, 0x45,
         0x31, 0xc0);
  struct sym_code code = {0};
  assert_int_equal(sym_flow_push(&flow, SYM_RDI, &code), 8);
  assert_ops(&code, 1, FMT_OP_REG);
  assert_int_equal(code.ops[0].reg, SYM_RBX);
  sym_code_clear(&code);
  assert_int_equal(sym_flow_push(&flow, SYM_RSI, &code), 8);
  assert_ops(&code, 2, FMT_OP_REG, FMT_OP_EXTEND);
  sym_code_clear(&code);
  sym_flow_push(&flow, SYM_RDX, &code);
  assert_ops(&code, 2, FMT_OP_REG, FMT_OP_ADD_CONST);
  sym_code_clear(&code);
  sym_flow_push(&flow, SYM_RCX, &code);
  assert_int_equal(code.ops[1].code, FMT_OP_LOAD);
  assert_int_equal(code.ops[1].size, 1);
  sym_code_clear(&code);
  sym_flow_push(&flow, 8, &code);
  assert_ops(&code, 1, FMT_OP_CONST);
  assert_int_equal(code.ops[0].imm, 0);
}

/* push %rbx; sub $0x10,%rsp; mov %rbp,(%rsp); add $0x10,%rsp; pop %rcx */
static void test_stack(void **state)
{
  (void)state;
  FOLLOW(flow, 0x53, 0x48, 0x83, 0xec, 0x10, 0x48, 0x89, 0x2c, 0x24, 0x48, 0x83, 0xc4, 0x10, 0x59);
  struct sym_code code = {0};
  assert_int_equal(sym_flow_push(&flow, SYM_RCX, &code), 8);
  assert_int_equal(code.ops[0].reg, SYM_RBX);
  sym_code_clear(&code);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RSP, -24, 8, &code), SYM_FLOW_STORED);
  assert_int_equal(code.ops[0].reg, SYM_RBP);
  sym_code_clear(&code);
  sym_flow_push(&flow, SYM_RSP, &code);
  assert_ops(&code, 1, FMT_OP_REG);
}

/* mov %rbp,(%rax): nothing is known of memory after a store to an unknown place. */
static void test_unknown_store(void **state)
{
  (void)state;
  FOLLOW(flow, 0x48, 0x89, 0x28);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RSP, 0, 8, NULL), SYM_FLOW_UNKNOWN);
}

static void assert_stops_at(const uint8_t *bytes, size_t size, uint64_t offset)
{
  struct snippet snippet;
  struct sym_flow flow;
  snippet_make(&snippet, bytes, size);
  sym_flow_begin(&flow, &snippet.hook, SNIPPET_ADDRESS, (struct sym_frame_bases){SYM_RSP, -1});
  while (sym_flow_step(&flow)) {
  }
  assert_int_equal(flow.at, SNIPPET_ADDRESS + offset);
}

static void test_ends(void **state)
{
  (void)state;
  assert_stops_at((const uint8_t[]){0x90, 0x74, 0x00, 0x90}, 4, 1);                   /* je */
  assert_stops_at((const uint8_t[]){0x90, 0xe8, 0, 0, 0, 0}, 6, 1);                   /* call */
  assert_stops_at((const uint8_t[]){0x90, 0xff, 0xd0}, 3, 1);                         /* call *%rax */
  assert_stops_at((const uint8_t[]){0x90, 0xc3}, 2, 1);                               /* ret */
  assert_stops_at((const uint8_t[]){0x90, 0x62, 0xf1, 0x7c, 0x48, 0x10, 0xc0}, 7, 1); /* vmovups %zmm0,%zmm0 */
  assert_stops_at((const uint8_t[]){0xeb, 0x02, 0xc3, 0xc3, 0x90, 0xc3}, 6, 5);       /* jmp over two */
  assert_stops_at((const uint8_t[]){0xe9, 0xff, 0xff, 0xff, 0x7f}, 5, 0x80000004ull); /* jmp out of the section */
  assert_stops_at((const uint8_t[]){0x48}, 1, 0);                                     /* cut off */
}

/* jmp to itself: the number of steps is bounded. */
static void test_endless(void **state)
{
  (void)state;
  assert_stops_at((const uint8_t[]){0xeb, 0xfe}, 2, 0);
}

/* mov %rbx,-0x10(%rbp); fldt -0x40(%rbp); fstpt -0x30(%rbp); movlpd %xmm0,-0x18(%rbp); cvttss2si %xmm0,%r12d */
static void test_numbers(void **state)
{
  (void)state;
  FOLLOW(flow, 0x48, 0x89, 0x5d, 0xf0, 0xdb, 0x6d, 0xc0, 0xdb, 0x7d, 0xd0, 0x66, 0x0f, 0x13, 0x45, 0xe8, 0xf3, 0x44,
         0x0f, 0x2c, 0xe0);
  assert_int_equal(flow.at, SNIPPET_ADDRESS + sizeof bytes_);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x10, 8, NULL), SYM_FLOW_STORED);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x40, 8, NULL), SYM_FLOW_UNTOUCHED);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x28, 2, NULL), SYM_FLOW_UNKNOWN);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x18, 8, NULL), SYM_FLOW_UNKNOWN);
  struct sym_code code = {0};
  assert_int_equal(sym_flow_push(&flow, SYM_RBX, &code), 8);
  assert_int_equal(sym_flow_push(&flow, SYM_R12, &code), 0);
}

/* test %al,%al; je over: mov %rbx,%rcx; mov %rbx,%r12; mov %rbx,-0x10(%rbp); over: */
static void test_stepping_over(void **state)
{
  (void)state;
  const uint8_t bytes[] = {0x84, 0xc0, 0x74, 0x0a, 0x48, 0x89, 0xd9, 0x49, 0x89, 0xdc, 0x48, 0x89, 0x5d, 0xf0};
  struct snippet snippet;
  struct sym_flow flow;
  struct sym_code code = {0};
  snippet_make(&snippet, bytes, sizeof bytes);
  sym_flow_begin(&flow, &snippet.hook, SNIPPET_ADDRESS, (struct sym_frame_bases){SYM_RSP, SYM_RBP});
  assert_true(sym_flow_step_over(&flow));
  assert_true(sym_flow_step_over(&flow));
  assert_int_equal(flow.at, SNIPPET_ADDRESS + sizeof bytes);
  assert_int_equal(sym_flow_push(&flow, SYM_RBX, &code), 8);
  assert_int_equal(sym_flow_push(&flow, SYM_R12, &code), 0);
  assert_int_equal(sym_flow_push(&flow, SYM_RCX, &code), 0);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x10, 8, NULL), SYM_FLOW_UNKNOWN);
  assert_int_equal(sym_flow_memory_at(&flow, SYM_RBP, -0x20, 8, NULL), SYM_FLOW_UNTOUCHED);
  /* Neither into the middle of an instruction, nor behind another jump. */
  const uint8_t middle[] = {0x74, 0x02, 0x48, 0x89, 0xd9}, jumps[] = {0x74, 0x03, 0x75, 0x00, 0x90};
  snippet_make(&snippet, middle, sizeof middle);
  sym_flow_begin(&flow, &snippet.hook, SNIPPET_ADDRESS, (struct sym_frame_bases){SYM_RSP, SYM_RBP});
  assert_false(sym_flow_step_over(&flow));
  snippet_make(&snippet, jumps, sizeof jumps);
  sym_flow_begin(&flow, &snippet.hook, SNIPPET_ADDRESS, (struct sym_frame_bases){SYM_RSP, SYM_RBP});
  assert_false(sym_flow_step_over(&flow));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_beginning),     cmocka_unit_test(test_elements),      cmocka_unit_test(test_home),
      cmocka_unit_test(test_copies),        cmocka_unit_test(test_stack),         cmocka_unit_test(test_ends),
      cmocka_unit_test(test_endless),       cmocka_unit_test(test_unknown_store), cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_stepping_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
