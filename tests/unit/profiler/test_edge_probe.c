/* The short probe: it finds the edge that the interpreter and the tree would find, or none. */
#include "profiler/tree/edge_probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/stack/stack.h"
#include "profiler/tree/call.h"
#include "profiler/tree/cardinality_limit.h"
#include "profiler/tree/tree.h"

#define RAX   0
#define RDX   1
#define RBX   3
#define RDI   5
#define RBP   6
#define RSP   7
#define CALLS 4000

static struct fmt_index_header header;
static struct fmt_index_type types[1];
static struct fmt_index_arg args[6];
static struct fmt_index_function functions[1];
static struct fmt_rec_module module_record;
static struct prof_module module;
static const uint64_t states[1];
static struct fmt_index_site index_site;
static struct prof_site site;
static struct prof_thread thread;
static struct fmt_rec_edge *cache[1u << PROF_CACHE_BITS], *probes[1u << PROF_PROBE_BITS];
static struct prof_registers registers;
static struct {
  int64_t whole;
  int32_t half;
  int16_t quarter;
  uint8_t byte;
  const void *pointer, *behind;
} frame;
static int64_t values[4];

#define OP(op_code, ...)                                                                                               \
  {                                                                                                                    \
    .code = (op_code), ##__VA_ARGS__                                                                                   \
  }
#define IN_FRAME(member) ((int64_t)offsetof(__typeof__(frame), member) + 16)

/* Registers and the frame alone. */
static struct fmt_op direct[] = {
    OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 4, .flags = FMT_OPF_SIGNED, .arg = 0, .skip = 1),
    OP(FMT_OP_EMIT_FRAME, .reg = RSP, .size = 2, .imm = IN_FRAME(quarter), .arg = 1, .skip = 1),
    OP(FMT_OP_EMIT_NULL_FRAME, .reg = RSP, .imm = IN_FRAME(pointer), .arg = 2, .skip = 1),
    OP(FMT_OP_EMIT_CONST, .imm = -3, .arg = 3, .skip = 1),
    OP(FMT_OP_EMIT_NULL_REG, .reg = RAX, .arg = 4, .skip = 1),
    OP(FMT_OP_EMIT_FRAME, .reg = RSP, .size = 1, .imm = IN_FRAME(byte), .arg = 5, .skip = 1),
};
/* One arg behind a pointer, which may dangle, and one in a bucket, between two that are direct. */
static struct fmt_op followed[] = {
    OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 1, .arg = 0, .skip = 1),
    OP(FMT_OP_REG, .reg = RSP, .arg = 1, .skip = 4),
    OP(FMT_OP_FRAME_LOAD, .size = 8, .imm = IN_FRAME(behind), .arg = 1, .skip = 3),
    OP(FMT_OP_LOAD, .size = 8, .arg = 1, .skip = 2),
    OP(FMT_OP_EMIT, .size = 8, .arg = 1, .skip = 1),
    OP(FMT_OP_REG, .reg = RAX, .arg = 2, .skip = 2),
    OP(FMT_OP_EMIT_LOG2, .arg = 2, .skip = 1),
    OP(FMT_OP_EMIT_FRAME, .reg = RSP, .size = 4, .flags = FMT_OPF_SIGNED, .imm = IN_FRAME(half), .arg = 3, .skip = 1),
};

/* Args behind one pointer and behind two, and a text, which code compares. */
static struct fmt_op loaded[] = {
    OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 1, .arg = 0, .skip = 1),
    OP(FMT_OP_REG, .reg = RDX, .arg = 1, .skip = 3),
    OP(FMT_OP_LOAD, .size = 8, .arg = 1, .skip = 2),
    OP(FMT_OP_EMIT, .size = 4, .flags = FMT_OPF_SIGNED, .arg = 1, .skip = 1),
    OP(FMT_OP_EMIT_FRAME, .reg = RSP, .size = 4, .flags = FMT_OPF_SIGNED, .imm = IN_FRAME(half), .arg = 2, .skip = 1),
    OP(FMT_OP_REG, .reg = RSP, .arg = 3, .skip = 4),
    OP(FMT_OP_LOAD, .size = 8, .imm = IN_FRAME(behind), .arg = 3, .skip = 3),
    OP(FMT_OP_LOAD, .size = 8, .arg = 3, .skip = 2),
    OP(FMT_OP_EMIT, .size = 2, .arg = 3, .skip = 1),
};
static struct fmt_op with_text[] = {
    OP(FMT_OP_REG, .reg = RDI, .arg = 0, .skip = 2),
    OP(FMT_OP_EMIT_STRING, .imm = 12, .arg = 0, .skip = 1),
    OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 4, .flags = FMT_OPF_SIGNED, .arg = 1, .skip = 1),
    OP(FMT_OP_REG, .reg = RDX, .arg = 2, .skip = 3),
    OP(FMT_OP_LOAD, .size = 4, .arg = 2, .skip = 2),
    OP(FMT_OP_EMIT, .size = 4, .flags = FMT_OPF_SIGNED, .arg = 2, .skip = 1),
    OP(FMT_OP_EMIT_CONST, .imm = -3, .arg = 3, .skip = 1),
};
static const char *const texts[] = {"", "seven..", "eight...", "a longer one", "one that is cut", NULL};

/* A recording of its own for each test, in the current folder, of one function with these ops. */
static void start(const struct fmt_op *ops, size_t count, uint16_t arg_count)
{
  static unsigned number;
  memset(&prof_process, 0, sizeof prof_process);
  memset(&thread, 0, sizeof thread);
  memset(cache, 0, sizeof cache);
  memset(probes, 0, sizeof probes);
  thread.cache = cache;
  thread.cache_mask = sizeof cache - sizeof *cache;
  thread.probes = probes;
  thread.probes_mask = sizeof probes - sizeof *probes;
  prof_process.pid = (uint32_t)getpid();
  prof_process.settings.signatures = true;
  prof_process.settings.clock = FMT_CLOCK_MONOTONIC;
  prof_process.settings.memory_limit = 64 << 20;
  snprintf(prof_process.settings.output, sizeof prof_process.settings.output, "test_edge_probe.%d.%u", getpid(),
           number++);
  types[0] = (struct fmt_index_type){.kind = FMT_TYPE_SIGNED, .size = 8, .is_signed = 1};
  for (unsigned i = 0; i < 6; i++)
    args[i] = (struct fmt_index_arg){.kind = FMT_ARG_VALUE, .join = UINT16_MAX};
  functions[0] = (struct fmt_index_function){.address = 0x100, .arg_count = arg_count, .state_words = 1};
  module.record = &module_record;
  module.index.header = &header;
  module.index.functions = functions;
  module.index.args = args;
  module.index.types = types;
  module.index.strings = "";
  site = (struct prof_site){.pc = 0x1000,
                            .function_address = 0x100,
                            .module = &module,
                            .index_site = &index_site,
                            .index_function = functions,
                            .cfa_kind = FMT_CFA_REGISTER,
                            .cfa_register = RSP,
                            .cfa_offset = 16,
                            .frame_size = 512,
                            .cfa_distance = 512,
                            .state_words = 1,
                            .states = states,
                            .ops = ops,
                            .op_count = (uint16_t)count};
  registers.pc = site.pc;
  registers.general[RSP] = (uintptr_t)&frame - 16;
  assert_int_equal(prof_recording_open(&prof_process, false), 0);
  assert_int_equal(prof_tree_init(&thread.tree, 1), 0);
  prof_tree_publish(&thread.tree);
}

static void stop(void)
{
  assert_int_equal(unlink(prof_process.path), 0);
}

/* Arguments of few values each. */
static void draw(void)
{
  static const uint64_t signs[] = {1, (uint64_t)-1, 0xFFFFFFFF00000001, 0x80000000};
  registers.general[RBX] = signs[random() % 4];
  registers.general[RAX] = (uint64_t)(random() % 3) << random() % 4; /* few enough that nothing widens */
  frame.whole = random();
  frame.half = (int32_t)(random() % 3) - 1;
  frame.quarter = (int16_t)(random() % 2 - 1);
  frame.byte = (uint8_t)(random() % 2);
  frame.pointer = random() % 2 ? (const void *)(uintptr_t)0x100000000 : NULL;
  frame.behind = random() % 4 ? (const void *)&values[random() % 4] : (const void *)(uintptr_t)0x10;
  values[random() % 4] = random() % 3 - 1;
  registers.general[RDX] = (uintptr_t)frame.behind;
  registers.general[RDI] = random() % 8 ? (uintptr_t)texts[(size_t)random() % (sizeof texts / sizeof *texts)] : 0x10;
}

/* The words of the call as the interpreter has them. */
static uint32_t capture(const struct prof_fast_compare *compare, uint64_t *words)
{
  const struct prof_capture what = {.site = &site,
                                    .registers = &registers,
                                    .levels = prof_function_levels(compare->function),
                                    .cfa = prof_capture_cfa(&site, &registers)};
  uint32_t count;
  assert_int_equal(prof_capture_words(&what, words, FMT_SIGNATURE_MAX_WORDS, &count), 0);
  return count;
}

/* Random calls: those whose edge was made and noted are found, and no other edge ever is. How many were found. */
static unsigned compare_with_tree(struct prof_fast_compare *compare)
{
  uint64_t words[FMT_SIGNATURE_MAX_WORDS];
  unsigned found = 0;
  for (unsigned i = 0; i < CALLS; i++) {
    draw();
    uint32_t count = capture(compare, words);
    struct fmt_rec_edge *right =
        prof_edge_find(&thread.tree, thread.tree.root, site.pc, site.function_address, words, count);
    struct fmt_rec_edge *probed = prof_edge_probe(&thread, thread.tree.root, compare, &registers);
    if (probed)
      assert_ptr_equal(probed, right);
    found += probed != NULL;
    if (!right)
      right = prof_tree_edge(&thread.tree, thread.tree.root, compare, words, count);
    assert_non_null(right);
    prof_edge_probe_note(&thread, right);
  }
  return found;
}

static void test_direct(void **state)
{
  (void)state;
  start(direct, sizeof direct / sizeof *direct, 6);
  struct prof_fast_compare *compare = prof_fast_compare_of(&thread.tree, &site, 0);
  assert_true(compare->fast && !compare->registers);
  /* 96 signatures: nearly all calls but the first of each are found, unless two share a place. */
  assert_in_range(compare_with_tree(compare), CALLS * 9 / 10, CALLS);
  stop();
}

static void test_followed(void **state)
{
  (void)state;
  start(followed, sizeof followed / sizeof *followed, 4);
  struct prof_fast_compare *compare = prof_fast_compare_of(&thread.tree, &site, 0);
  assert_true(!compare->fast && compare->probed == 4 && compare->count == 0);
  assert_in_range(compare_with_tree(compare), CALLS * 8 / 10, CALLS);
  stop();
}

/* Among the calls are those of which something cannot be read, too. */
static void test_loaded(void **state)
{
  (void)state;
  start(loaded, sizeof loaded / sizeof *loaded, 4);
  struct prof_fast_compare *compare = prof_fast_compare_of(&thread.tree, &site, 0);
  assert_true(compare->fast && compare->loads && !compare->texts && compare->ops[1].kind == PROF_COMPARE_LOAD &&
              compare->ops[3].kind == PROF_COMPARE_STEP && compare->compared == 4);
  assert_in_range(compare_with_tree(compare), CALLS * 9 / 10, CALLS);
  stop();
}

static void test_text(void **state)
{
  (void)state;
  start(with_text, sizeof with_text / sizeof *with_text, 4);
  struct prof_fast_compare *compare = prof_fast_compare_of(&thread.tree, &site, 0);
  assert_true(compare->fast && compare->loads && compare->texts && compare->ops[0].kind == PROF_COMPARE_TEXT);
  assert_in_range(compare_with_tree(compare), CALLS * 8 / 10, CALLS);
  stop();
}

/* Only an edge that has all it compares may be found by code: not one of a text that cannot be read. */
static void test_says_all(void **state)
{
  (void)state;
  uint64_t words[FMT_SIGNATURE_MAX_WORDS];
  start(with_text, sizeof with_text / sizeof *with_text, 4);
  struct prof_fast_compare *compare = prof_fast_compare_of(&thread.tree, &site, 0);
  for (unsigned i = 0; i < CALLS; i++) {
    draw();
    const bool is_read = registers.general[RDI] != 0x10 && registers.general[RDX] != 0x10;
    assert_int_equal(prof_compare_says_all(compare, words, capture(compare, words)), is_read);
  }
  stop();
}

/* Registers alone are another piece of code. */
static void test_registers(void **state)
{
  static const struct fmt_op two[] = {
      OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 4, .flags = FMT_OPF_SIGNED, .arg = 0, .skip = 1),
      OP(FMT_OP_EMIT_REG, .reg = RAX, .size = 8, .arg = 1, .skip = 1)};
  (void)state;
  start(two, 2, 2);
  struct prof_fast_compare *compare = prof_fast_compare_of(&thread.tree, &site, 0);
  assert_true(compare->registers);
  assert_in_range(compare_with_tree(compare), CALLS * 9 / 10, CALLS);
  stop();
}

/* Another caller, another comparison, a site that is gone, levels that have changed. */
static void test_others(void **state)
{
  (void)state;
  uint64_t words[FMT_SIGNATURE_MAX_WORDS];
  start(followed, sizeof followed / sizeof *followed, 4);
  struct prof_fast_compare *compare = prof_fast_compare_of(&thread.tree, &site, 0);
  draw();
  struct fmt_rec_edge *edge = prof_tree_edge(&thread.tree, thread.tree.root, compare, words, capture(compare, words));
  assert_null(prof_edge_probe(&thread, thread.tree.root, compare, &registers));
  prof_edge_probe_note(&thread, edge);
  assert_ptr_equal(prof_edge_probe(&thread, thread.tree.root, compare, &registers), edge);
  assert_null(prof_edge_probe(&thread, prof_edge_to(edge), compare, &registers));
  uint64_t pc = edge->site;
  edge->site = 0;
  assert_null(prof_edge_probe(&thread, thread.tree.root, compare, &registers));
  edge->site = pc;
  compare->function->widenings++;
  assert_null(prof_edge_probe(&thread, thread.tree.root, compare, &registers));
  stop();
}

/* Every place of the table has this edge: only what is compared tells calls apart. */
static void fill_places(struct fmt_rec_edge *edge)
{
  for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
    probes[i] = edge;
}

static void test_collisions(void **state)
{
  static const struct fmt_op two[] = {OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 4, .arg = 0, .skip = 1),
                                      OP(FMT_OP_EMIT_REG, .reg = RAX, .size = 8, .arg = 1, .skip = 1)};
  static const struct {
    const struct fmt_op *ops;
    size_t count;
    uint16_t args;
  } functions_of[] = {{two, 2, 2},
                      {direct, sizeof direct / sizeof *direct, 6},
                      {followed, sizeof followed / sizeof *followed, 4},
                      {loaded, sizeof loaded / sizeof *loaded, 4},
                      {with_text, sizeof with_text / sizeof *with_text, 4}};
  (void)state;
  uint64_t words[FMT_SIGNATURE_MAX_WORDS], now[FMT_SIGNATURE_MAX_WORDS];
  for (unsigned i = 0; i < sizeof functions_of / sizeof *functions_of; i++) {
    start(functions_of[i].ops, functions_of[i].count, functions_of[i].args);
    struct prof_fast_compare *compare = prof_fast_compare_of(&thread.tree, &site, 0);
    draw();
    uint32_t count = capture(compare, words);
    struct fmt_rec_edge *edge = prof_tree_edge(&thread.tree, thread.tree.root, compare, words, count);
    fill_places(edge);
    assert_ptr_equal(prof_edge_probe(&thread, thread.tree.root, compare, &registers), edge);
    assert_null(prof_edge_probe(&thread, prof_edge_to(edge), compare, &registers));
    edge->site_info++;
    assert_null(prof_edge_probe(&thread, thread.tree.root, compare, &registers));
    edge->site_info--;
    for (unsigned call = 0; call < CALLS; call++) {
      draw();
      uint32_t count_now = capture(compare, now);
      bool same = count_now == count && memcmp(now, words, count * sizeof *words) == 0;
      assert_ptr_equal(prof_edge_probe(&thread, thread.tree.root, compare, &registers), same ? edge : NULL);
    }
    stop();
  }
}

/* A bucket beside an arg that is followed: the state words say so. */
static void test_followed_widened(void **state)
{
  (void)state;
  uint64_t words[FMT_SIGNATURE_MAX_WORDS];
  start(followed, sizeof followed / sizeof *followed, 4);
  draw();
  frame.behind = &values[0];
  struct prof_fast_compare *compare = NULL;
  for (uint64_t i = 0; i < 600; i++) {
    registers.general[RBX] = i;
    frame.half = (int32_t)(i / 256);
    compare = prof_fast_compare_of(&thread.tree, &site, 0);
    assert_non_null(prof_tree_edge(&thread.tree, thread.tree.root, compare, words, capture(compare, words)));
  }
  compare = prof_fast_compare_of(&thread.tree, &site, 0);
  assert_int_equal(compare->ops[0].kind, PROF_COMPARE_LOG2);
  uint32_t count = capture(compare, words);
  struct fmt_rec_edge *edge = prof_tree_edge(&thread.tree, thread.tree.root, compare, words, count);
  prof_edge_probe_note(&thread, edge);
  assert_ptr_equal(prof_edge_probe(&thread, thread.tree.root, compare, &registers), edge);
  stop();
}

/* Beyond the widening of an arg, each edge is still found by the comparison that it was made with alone. */
static void test_widened(void **state)
{
  static const struct fmt_op one[] = {OP(FMT_OP_EMIT_REG, .reg = RBX, .size = 8, .arg = 0, .skip = 1)};
  (void)state;
  uint64_t words[FMT_SIGNATURE_MAX_WORDS];
  start(one, 1, 1);
  struct prof_fast_compare *exact = prof_fast_compare_of(&thread.tree, &site, 0), *newest;
  struct fmt_rec_edge *first = NULL;
  for (uint64_t i = 0; i < 1000; i++) {
    registers.general[RBX] = 100000 + i;
    newest = prof_fast_compare_of(&thread.tree, &site, 0);
    struct fmt_rec_edge *edge = prof_tree_edge(&thread.tree, thread.tree.root, newest, words, capture(newest, words));
    prof_edge_probe_note(&thread, edge);
    first = first ? first : edge;
  }
  newest = prof_fast_compare_of(&thread.tree, &site, 0);
  assert_ptr_not_equal(newest, exact);
  assert_int_equal(newest->ops[0].kind, PROF_COMPARE_LOG2);
  registers.general[RBX] = 100000;
  assert_ptr_equal(prof_edge_probe(&thread, thread.tree.root, exact, &registers), first);
  struct fmt_rec_edge *bucket = prof_edge_probe(&thread, thread.tree.root, newest, &registers);
  assert_non_null(bucket);
  assert_int_equal(bucket->words[1], fmt_bucket_log2(100000, false));
  registers.general[RBX] = 131071;
  assert_ptr_equal(prof_edge_probe(&thread, thread.tree.root, newest, &registers), bucket);
  registers.general[RBX] = 131072;
  assert_null(prof_edge_probe(&thread, thread.tree.root, newest, &registers));
  stop();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_direct),           cmocka_unit_test(test_followed), cmocka_unit_test(test_registers),
      cmocka_unit_test(test_others),           cmocka_unit_test(test_widened),  cmocka_unit_test(test_collisions),
      cmocka_unit_test(test_followed_widened), cmocka_unit_test(test_loaded),   cmocka_unit_test(test_text),
      cmocka_unit_test(test_says_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
