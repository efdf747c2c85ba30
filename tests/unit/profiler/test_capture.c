/* Capture programs: what each op reads, and how an arg that cannot be read is told. */
#include "profiler/tree/capture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/base/process.h"

#define RAX 0
#define RDX 1
#define RBX 3
#define R12 12

static struct prof_registers registers;
static uint64_t words[64];
static uint64_t xmm[16];
static struct prof_module module;
static const uint64_t no_states[4];

/* Runs a program of one function with up to 16 args; the number of words after the state word. */
static uint32_t run(const struct fmt_op *ops, uint16_t count, const uint8_t *levels)
{
  const struct prof_site site = {.module = &module,
                                 .ops = ops,
                                 .op_count = count,
                                 .states = no_states,
                                 .state_words = 1,
                                 .cfa_kind = FMT_CFA_REGISTER};
  const struct prof_capture capture = {
      .site = &site, .registers = &registers, .xmm = xmm, .levels = levels, .cfa = registers.general[7] + 64};
  uint32_t total = 0;
  assert_int_equal(prof_capture_words(&capture, words, 64, &total), 0);
  return total - 1;
}

#define RUN(...)                                                                                                       \
  run((const struct fmt_op[]){__VA_ARGS__}, sizeof((const struct fmt_op[]){__VA_ARGS__}) / sizeof(struct fmt_op), NULL)
#define OP(op_code, ...)                                                                                               \
  {                                                                                                                    \
    .code = (op_code), ##__VA_ARGS__                                                                                   \
  }
#define CONST(value) OP(FMT_OP_CONST, .imm = (value))
#define EMIT         OP(FMT_OP_EMIT, .size = 8)

static void test_registers(void **state)
{
  (void)state;
  registers.general[RBX] = 0xFFFFFFFFFFFFFF85;
  assert_int_equal(RUN(OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 1)), 1);
  assert_int_equal(words[1], 0x85);
  RUN(OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 1, .flags = FMT_OPF_SIGNED));
  assert_int_equal(words[1], (uint64_t)-123);
  RUN(OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 4));
  assert_int_equal(words[1], 0xFFFFFF85);
  RUN(OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 8));
  assert_int_equal(words[1], 0xFFFFFFFFFFFFFF85);
  assert_int_equal(RUN(OP(FMT_OP_EMIT_NULL_REG, .reg = RBX), OP(FMT_OP_EMIT_NULL_REG, .reg = R12, .arg = 1),
                       OP(FMT_OP_EMIT_CONST, .imm = -5, .arg = 2)),
                   3);
  assert_int_equal(words[1], 1);
  assert_int_equal(words[2], 0);
  assert_int_equal(words[3], (uint64_t)-5);
  xmm[3] = 0x400921FB54442D18;
  RUN(OP(FMT_OP_XMM, .reg = 3), EMIT);
  assert_int_equal(words[1], 0x400921FB54442D18);
}

static void test_frame(void **state)
{
  (void)state;
  const struct {
    int32_t number;
    uint16_t half;
    void *pointer;
  } frame = {-7, 65535, NULL};
  registers.general[RBX] = (uintptr_t)&frame + 100;
  RUN(OP(FMT_OP_EMIT_FRAME, .reg = RBX, .size = 4, .flags = FMT_OPF_SIGNED, .imm = -100),
      OP(FMT_OP_EMIT_FRAME, .reg = RBX, .size = 2, .imm = -96, .arg = 1),
      OP(FMT_OP_EMIT_NULL_FRAME, .reg = RBX, .imm = (int64_t)offsetof(__typeof__(frame), pointer) - 100, .arg = 2));
  assert_int_equal(words[1], (uint64_t)-7);
  assert_int_equal(words[2], 65535);
  assert_int_equal(words[3], 0);
  /* A size that no load has: three bytes. */
  RUN(OP(FMT_OP_REG, .reg = RBX), OP(FMT_OP_FRAME_LOAD, .size = 3, .imm = -100), EMIT);
  assert_int_equal(words[1], 0xFFFFF9);
}

static uint64_t computed(uint8_t code, int64_t a, int64_t b)
{
  RUN(CONST(a), CONST(b), OP(code), EMIT);
  return words[1];
}

static void test_arithmetic(void **state)
{
  (void)state;
  assert_int_equal(computed(FMT_OP_PLUS, 5, -7), (uint64_t)-2);
  assert_int_equal(computed(FMT_OP_MINUS, 5, 7), (uint64_t)-2);
  assert_int_equal(computed(FMT_OP_MUL, -3, 7), (uint64_t)-21);
  assert_int_equal(computed(FMT_OP_DIV, -21, 7), (uint64_t)-3);
  assert_int_equal(computed(FMT_OP_DIV, INT64_MIN, -1), (uint64_t)INT64_MIN);
  assert_int_equal(computed(FMT_OP_MOD, -1, 10), UINT64_MAX % 10);
  assert_int_equal(computed(FMT_OP_AND, 12, 10), 8);
  assert_int_equal(computed(FMT_OP_OR, 12, 10), 14);
  assert_int_equal(computed(FMT_OP_XOR, 12, 10), 6);
  assert_int_equal(computed(FMT_OP_SHL, 1, 63), (uint64_t)1 << 63);
  assert_int_equal(computed(FMT_OP_SHL, 1, 64), 0);
  assert_int_equal(computed(FMT_OP_SHR, -1, 60), 15);
  assert_int_equal(computed(FMT_OP_SHR, -1, 64), 0);
  assert_int_equal(computed(FMT_OP_SHRA, -16, 2), (uint64_t)-4);
  assert_int_equal(computed(FMT_OP_SHRA, -16, 200), (uint64_t)-1);
  assert_int_equal(computed(FMT_OP_LT, -1, 0), 1);
  assert_int_equal(computed(FMT_OP_LE, 0, 0), 1);
  assert_int_equal(computed(FMT_OP_GT, -1, 0), 0);
  assert_int_equal(computed(FMT_OP_GE, 1, 0), 1);
  assert_int_equal(computed(FMT_OP_EQ, 3, 3), 1);
  assert_int_equal(computed(FMT_OP_NE, 3, 3), 0);
  RUN(CONST(-9), OP(FMT_OP_ABS), EMIT);
  assert_int_equal(words[1], 9);
  RUN(CONST(9), OP(FMT_OP_NEG), OP(FMT_OP_NOT), EMIT);
  assert_int_equal(words[1], 8);
  RUN(CONST(0x1F0), OP(FMT_OP_BITS, .size = 5, .imm = 4, .flags = FMT_OPF_SIGNED), EMIT);
  assert_int_equal(words[1], UINT64_MAX);
  RUN(CONST(0x80), OP(FMT_OP_EXTEND, .size = 1, .flags = FMT_OPF_SIGNED), OP(FMT_OP_ADD_CONST, .imm = 1), EMIT);
  assert_int_equal(words[1], (uint64_t)-127);
}

static void test_stack(void **state)
{
  (void)state;
  RUN(CONST(1), CONST(2), CONST(3), OP(FMT_OP_ROT), EMIT);
  assert_int_equal(words[1], 2);
  RUN(CONST(1), CONST(2), OP(FMT_OP_SWAP), EMIT);
  assert_int_equal(words[1], 1);
  RUN(CONST(1), CONST(2), OP(FMT_OP_OVER), OP(FMT_OP_PLUS), EMIT);
  assert_int_equal(words[1], 3);
  RUN(CONST(4), CONST(5), CONST(6), OP(FMT_OP_PICK, .imm = 2), EMIT);
  assert_int_equal(words[1], 4);
  RUN(CONST(4), CONST(5), OP(FMT_OP_DROP), OP(FMT_OP_DUP), OP(FMT_OP_MUL), EMIT);
  assert_int_equal(words[1], 16);
  RUN(CONST(7), OP(FMT_OP_SKIP, .imm = 1), OP(FMT_OP_LOSE), EMIT);
  assert_int_equal(words[1], 7);
  RUN(CONST(7), CONST(1), OP(FMT_OP_BRANCH, .imm = 1), OP(FMT_OP_NEG), EMIT);
  assert_int_equal(words[1], 7);
  RUN(CONST(7), CONST(0), OP(FMT_OP_BRANCH, .imm = 1), OP(FMT_OP_NEG), EMIT);
  assert_int_equal(words[1], (uint64_t)-7);
}

static unsigned state_of(unsigned arg)
{
  return words[0] >> 4 * arg & 15;
}

/* An arg that fails leaves no word, and the next one goes on. */
static void test_failures(void **state)
{
  (void)state;
  static uint64_t frame[16]; /* whose return address nobody knows */
  registers.general[7] = (uintptr_t)frame;
  assert_int_equal(RUN(CONST(1), CONST(0), OP(FMT_OP_DIV, .skip = 2), EMIT, OP(FMT_OP_EMIT_CONST, .imm = 42, .arg = 1)),
                   1);
  assert_int_equal(state_of(0), FMT_STATE_LOST);
  assert_int_equal(state_of(1), FMT_STATE_READ);
  assert_int_equal(words[1], 42);
  assert_int_equal(
      RUN(CONST(16), OP(FMT_OP_LOAD, .size = 8, .skip = 2), EMIT, OP(FMT_OP_EMIT_CONST, .imm = 43, .arg = 1)), 1);
  assert_int_equal(state_of(0), FMT_STATE_UNREADABLE);
  assert_int_equal(words[1], 43);
  assert_int_equal(RUN(OP(FMT_OP_LOSE, .skip = 2), EMIT), 0);
  assert_int_equal(state_of(0), FMT_STATE_LOST);
  assert_int_equal(RUN(OP(FMT_OP_ENTRY, .reg = 5, .skip = 2), EMIT), 0);
  assert_int_equal(state_of(0), FMT_STATE_LOST);
}

static void test_volatile(void **state)
{
  (void)state;
  const struct fmt_op op = {.code = FMT_OP_EMIT_REG, .reg = RAX, .size = 8, .flags = FMT_OPF_VOLATILE, .skip = 1};
  const struct prof_site site = {.ops = &op, .op_count = 1, .states = no_states, .state_words = 1};
  struct prof_capture capture = {.site = &site, .registers = &registers, .first = true};
  uint32_t count;
  registers.general[RAX] = 99;
  assert_int_equal(prof_capture_words(&capture, words, 64, &count), 0);
  assert_int_equal(count, 1);
  assert_int_equal(state_of(0), FMT_STATE_LOST);
  capture.first = false;
  assert_int_equal(prof_capture_words(&capture, words, 64, &count), 0);
  assert_int_equal(count, 2);
  assert_int_equal(words[1], 99);
}

/* Two pages of which the second may not be read; the text ends right before it. */
static char *text_at_the_end(const char *text, size_t size)
{
  char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(pages, MAP_FAILED);
  memcpy(pages + 4096 - size, text, size);
  assert_int_equal(mprotect(pages + 4096, 4096, PROT_NONE), 0);
  return pages + 4096 - size;
}

static void test_strings(void **state)
{
  (void)state;
  const uint64_t cut = (uint64_t)1 << 63;
  registers.general[RBX] = (uintptr_t)text_at_the_end("hello, world", 13);
  assert_int_equal(RUN(OP(FMT_OP_REG, .reg = RBX), OP(FMT_OP_EMIT_STRING, .imm = 64)), 3);
  assert_int_equal(words[1], 12);
  assert_memory_equal(&words[2], "hello, world\0\0\0\0", 16);
  RUN(OP(FMT_OP_REG, .reg = RBX), OP(FMT_OP_EMIT_STRING, .imm = 5));
  assert_int_equal(words[1], 5 | cut);
  RUN(OP(FMT_OP_REG, .reg = RBX), OP(FMT_OP_EMIT_STRING, .imm = 12));
  assert_int_equal(words[1], 12);
  RUN(OP(FMT_OP_REG, .reg = RBX), CONST(5), OP(FMT_OP_EMIT_STRING_N, .imm = 64));
  assert_int_equal(words[1], 5);
  assert_memory_equal(&words[2], "hello\0\0\0", 8);
  assert_int_equal(RUN(OP(FMT_OP_REG, .reg = RBX), CONST(100), OP(FMT_OP_EMIT_STRING_N, .imm = 64, .skip = 1)), 0);
  assert_int_equal(state_of(0), FMT_STATE_UNREADABLE);
  assert_int_equal(RUN(CONST(0), OP(FMT_OP_EMIT_STRING, .imm = 64)), 1);
  assert_int_equal(words[1], UINT64_MAX);
  /* Without its end before the page that cannot be read. */
  registers.general[RBX] = (uintptr_t)text_at_the_end("unended", 7);
  assert_int_equal(RUN(OP(FMT_OP_REG, .reg = RBX), OP(FMT_OP_EMIT_STRING, .imm = 64, .skip = 1)), 0);
  assert_int_equal(state_of(0), FMT_STATE_UNREADABLE);
}

static void test_spans(void **state)
{
  (void)state;
  int16_t shape[20] = {16, -4, 3};
  registers.general[RBX] = (uintptr_t)shape;
  const struct fmt_op span = {.code = FMT_OP_EMIT_SPAN, .size = 2, .flags = FMT_OPF_SIGNED};
  assert_int_equal(RUN(OP(FMT_OP_REG, .reg = RBX), CONST(3), span), 4);
  assert_int_equal(words[1], 3);
  assert_int_equal(words[3], (uint64_t)-4);
  assert_int_equal(RUN(OP(FMT_OP_REG, .reg = RBX), CONST(20), span), 1 + FMT_SPAN_MAX);
  assert_int_equal(words[1], FMT_SPAN_MAX | (uint64_t)1 << 63);
  assert_int_equal(RUN(CONST(8), CONST(2), OP(FMT_OP_EMIT_SPAN, .size = 8, .skip = 1)), 0);
  assert_int_equal(state_of(0), FMT_STATE_UNREADABLE);
  assert_int_equal(RUN(OP(FMT_OP_REG, .reg = RBX), CONST(0), OP(FMT_OP_EMIT_SPAN_FRAME, .size = 8)), 1);
  assert_int_equal(words[1], 0);
}

static void test_buckets(void **state)
{
  (void)state;
  static const int64_t ranges[] = {3, 0, 64, 1024};
  module.index.ranges = ranges;
  RUN(CONST(-1000), OP(FMT_OP_EMIT_LOG2, .flags = FMT_OPF_SIGNED), CONST(1024), OP(FMT_OP_EMIT_LOG2, .arg = 1));
  assert_int_equal(words[1], (uint64_t)-10);
  assert_int_equal(words[2], 11);
  const int64_t values[] = {-1, 0, 63, 64, 5000}, expected[] = {0, 1, 1, 2, 3};
  for (size_t i = 0; i < 5; i++) {
    RUN(CONST(values[i]), OP(FMT_OP_EMIT_RANGE, .flags = FMT_OPF_SIGNED));
    assert_int_equal(words[1], expected[i]);
  }
}

/* Levels of widening: buckets and types in place of values. */
static void test_levels(void **state)
{
  (void)state;
  static const uint8_t levels[] = {FMT_WIDEN_LOG2, FMT_WIDEN_TYPE, FMT_WIDEN_NONE};
  registers.general[RBX] = 1000;
  const struct fmt_op ops[] = {OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 4),
                               OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 4, .arg = 1),
                               OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 4, .arg = 2)};
  assert_int_equal(run(ops, 3, levels), 2);
  assert_int_equal(state_of(0), FMT_STATE_LOG2);
  assert_int_equal(state_of(1), FMT_STATE_TYPE);
  assert_int_equal(state_of(2), FMT_STATE_READ);
  assert_int_equal(words[1], 10);
  assert_int_equal(words[2], 1000);
  /* What is widened to its type is not even read. */
  const struct fmt_op unread[] = {
      OP(FMT_OP_EMIT_CONST, .imm = 1, .skip = 1), OP(FMT_OP_CONST, .imm = 16, .arg = 1, .skip = 3),
      OP(FMT_OP_LOAD, .size = 8, .arg = 1, .skip = 2), OP(FMT_OP_EMIT, .size = 8, .arg = 1, .skip = 1),
      OP(FMT_OP_EMIT_CONST, .imm = 7, .arg = 2, .skip = 1)};
  assert_int_equal(run(unread, 5, levels), 2);
  assert_int_equal(state_of(1), FMT_STATE_TYPE);
  assert_int_equal(words[2], 7);
}

/* What a register held on entry is what the caller says, if the return address is that of its call. */
static void test_entry(void **state)
{
  (void)state;
  static const struct fmt_index_call_value values[] = {{.reg = 5, .kind = FMT_CALL_CONST, .imm = 77},
                                                       {.reg = 4, .kind = FMT_CALL_REGISTER, .source = R12, .imm = 1},
                                                       {.reg = 1, .kind = FMT_CALL_REGISTER, .source = RBX},
                                                       {.reg = 2, .kind = FMT_CALL_ADDRESS, .imm = 0x600},
                                                       {.reg = 8, .kind = FMT_CALL_FRAME, .imm = 16}};
  static struct fmt_index_call_site calls[] = {{.pc = 0x500, .physical = 3, .value_count = 5}};
  static const struct fmt_index_saved saved[] = {{.cfa_offset = -16, .reg = RBX}};
  static const struct fmt_index_site index_site = {.physical = 3, .saved_count = 1};
  static struct fmt_index_header header;
  static const struct fmt_op ops[] = {
      OP(FMT_OP_ENTRY, .reg = 5, .skip = 2),           EMIT,
      OP(FMT_OP_ENTRY, .reg = 4, .skip = 2, .arg = 1), OP(FMT_OP_EMIT, .size = 8, .arg = 1),
      OP(FMT_OP_ENTRY, .reg = 1, .skip = 2, .arg = 2), OP(FMT_OP_EMIT, .size = 8, .arg = 2),
      OP(FMT_OP_ENTRY, .reg = 2, .skip = 2, .arg = 3), OP(FMT_OP_EMIT, .size = 8, .arg = 3),
      OP(FMT_OP_ENTRY, .reg = 8, .skip = 2, .arg = 4), OP(FMT_OP_EMIT, .size = 8, .arg = 4)};
  uint64_t frame[] = {0, 1234, 0x10500};
  module = (struct prof_module){.bias = 0x10000, .start = 0x10000, .end = 0x20000};
  module.index.header = &header;
  module.index.call_sites = calls;
  module.index.count[FMT_SECTION_CALL_SITES] = 1;
  module.index.call_values = values;
  module.index.saved = saved;
  prof_process.modules = &module;
  registers.general[R12] = 41;
  registers.general[RBX] = 5;
  const struct prof_site site = {.module = &module,
                                 .index_site = &index_site,
                                 .ops = ops,
                                 .op_count = 10,
                                 .states = no_states,
                                 .state_words = 1,
                                 .cfa_kind = FMT_CFA_REGISTER};
  const struct prof_capture capture = {.site = &site, .registers = &registers, .cfa = (uintptr_t)(frame + 3)};
  uint32_t count;
  assert_int_equal(prof_capture_words(&capture, words, 64, &count), 0);
  assert_int_equal(count, 6);
  assert_int_equal(words[1], 77);
  assert_int_equal(words[2], 42);
  assert_int_equal(words[3], 1234);
  assert_int_equal(words[4], 0x10600);
  assert_int_equal(words[5], (uintptr_t)(frame + 3) + 16);
  calls[0].physical = 4; /* a tail call: the return address is another function's call */
  assert_int_equal(prof_capture_words(&capture, words, 64, &count), 0);
  assert_int_equal(count, 1);
  assert_int_equal(words[0], 0x11111 * FMT_STATE_LOST);
  prof_process.modules = NULL;
}

static void test_capacity(void **state)
{
  (void)state;
  const struct fmt_op ops[] = {OP(FMT_OP_EMIT_CONST, .imm = 1), OP(FMT_OP_EMIT_CONST, .imm = 2, .arg = 1)};
  const struct prof_site site = {.ops = ops, .op_count = 2, .states = no_states, .state_words = 1};
  const struct prof_capture capture = {.site = &site, .registers = &registers};
  uint32_t count;
  assert_int_equal(prof_capture_words(&capture, words, 3, &count), 0);
  assert_int_equal(prof_capture_words(&capture, words, 2, &count), -ENOBUFS);
  assert_int_equal(prof_capture_words(&capture, words, 0, &count), -ENOBUFS);
}

int main(void)
{
  prof_process.pid = (uint32_t)getpid();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_registers), cmocka_unit_test(test_frame),    cmocka_unit_test(test_arithmetic),
      cmocka_unit_test(test_stack),     cmocka_unit_test(test_failures), cmocka_unit_test(test_volatile),
      cmocka_unit_test(test_strings),   cmocka_unit_test(test_spans),    cmocka_unit_test(test_buckets),
      cmocka_unit_test(test_levels),    cmocka_unit_test(test_entry),    cmocka_unit_test(test_capacity)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
