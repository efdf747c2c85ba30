/* The tree and its bounds: folding of recursion, widening, merging, and running out of space and memory. */
#include "profiler/tree/tree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/lifetime/tree_merge.h"
#include "profiler/tree/call.h"
#include "profiler/tree/cardinality_limit.h"
#include "profiler/tree/fast_compare.h"
#include "profiler/tree/signature_list.h"

#define ARGS 20

/* A module with one function of ARGS integers and some without arguments, whose index has only what the runtime reads.
 */
static struct fake_index {
  struct fmt_index_header header;
  struct fmt_index_type types[2];
  struct fmt_index_arg args[ARGS];
  struct fmt_index_function functions[8];
  char strings[8];
} fake_index;
static struct fmt_rec_module module_record;
static struct prof_module module;
static const uint64_t states[2];
static struct fmt_op ops[ARGS];
static struct fmt_index_site index_site;

static void make_module(void)
{
  fake_index.types[0] = (struct fmt_index_type){.kind = FMT_TYPE_UNSIGNED, .size = 8};
  fake_index.types[1] = (struct fmt_index_type){.kind = FMT_TYPE_ENUM, .size = 4};
  for (unsigned i = 0; i < ARGS; i++) {
    fake_index.args[i] = (struct fmt_index_arg){.kind = FMT_ARG_VALUE, .join = UINT16_MAX};
    ops[i] = (struct fmt_op){.code = FMT_OP_EMIT_REG, .reg = (uint8_t)(i % 16), .size = 8, .arg = (uint16_t)i};
  }
  for (unsigned i = 0; i < 8; i++)
    fake_index.functions[i] = (struct fmt_index_function){.address = 0x100 * i + 0x100};
  fake_index.functions[0].arg_count = ARGS;
  fake_index.functions[0].state_words = 2;
  module.record = &module_record;
  module.index.header = &fake_index.header;
  module.index.functions = fake_index.functions;
  module.index.args = fake_index.args;
  module.index.types = fake_index.types;
  module.index.strings = fake_index.strings;
}

static struct prof_site make_site(uint32_t function)
{
  struct prof_site site = {.pc = 0x1000 + function,
                           .function_address = 0x100 * function + 0x100,
                           .module = &module,
                           .index_site = &index_site,
                           .index_function = &fake_index.functions[function],
                           .function = function,
                           .cfa_kind = FMT_CFA_REGISTER,
                           .cfa_register = 7,
                           .cfa_offset = 16,
                           .frame_size = 16,
                           .cfa_distance = 16};
  if (function == 0) {
    site.state_words = 2;
    site.states = states;
    site.ops = ops;
    site.op_count = ARGS;
  }
  return site;
}

static struct prof_site sites[8];
static struct prof_tree tree;

/* A recording of its own for each test, in the current folder. */
static int start(void **state)
{
  static unsigned number;
  (void)state;
  memset(&prof_process, 0, sizeof prof_process);
  memset(&tree, 0, sizeof tree);
  prof_process.pid = (uint32_t)getpid();
  prof_process.settings.signatures = true;
  prof_process.settings.clock = FMT_CLOCK_MONOTONIC;
  prof_process.settings.memory_limit = 64 << 20;
  snprintf(prof_process.settings.output, sizeof prof_process.settings.output, "test_tree.%d.%u", getpid(), number++);
  make_module();
  for (uint32_t i = 0; i < 8; i++)
    sites[i] = make_site(i);
  module.index.count[FMT_SECTION_CALL_SITES] = 0;
  assert_int_equal(prof_recording_open(&prof_process, false), 0);
  assert_int_equal(prof_tree_init(&tree, 1), 0);
  prof_tree_publish(&tree);
  return 0;
}

static int stop(void **state)
{
  (void)state;
  return unlink(prof_process.path);
}

static struct fmt_rec_variant *to_of(const struct fmt_rec_edge *edge)
{
  return (struct fmt_rec_variant *)edge->to;
}

static struct fmt_rec_context *context_of(const struct fmt_rec_edge *edge)
{
  return (struct fmt_rec_context *)to_of(edge)->context;
}

/* The edge for a call of a function, with these arguments if it has any. */
static struct fmt_rec_edge *call(struct fmt_rec_variant *from, uint32_t function, const uint64_t *arguments)
{
  uint64_t words[FMT_SIGNATURE_MAX_WORDS] = {0};
  struct prof_fast_compare *compare = prof_fast_compare_of(&tree, &sites[function], 0);
  if (!compare)
    return NULL;
  for (unsigned i = 0; arguments && i < ARGS; i++)
    words[2 + i] = arguments[i];
  return prof_tree_edge(&tree, from, compare, words, arguments ? 2 + ARGS : 0);
}

static void test_folding(void **state)
{
  (void)state;
  struct fmt_rec_edge *one = call(tree.root, 1, NULL), *two = call(to_of(one), 2, NULL);
  struct fmt_rec_edge *again = call(to_of(two), 1, NULL);
  assert_false(one->flags & FMT_EDGE_BACK);
  assert_true(again->flags & FMT_EDGE_BACK);
  assert_ptr_equal(context_of(again), context_of(one));
  assert_ptr_equal(call(to_of(again), 2, NULL), two);
  assert_ptr_equal(call(to_of(one), 2, NULL), two);
  struct fmt_rec_edge *other = call(tree.root, 2, NULL);
  assert_ptr_not_equal(context_of(other), context_of(two));
  /* The first of its module on the path, and the others. */
  assert_true(one->flags & FMT_EDGE_MODULE);
  assert_false(two->flags & FMT_EDGE_MODULE);
  assert_int_equal(one->mode, PROF_MODE_PLAIN);
  assert_int_equal(again->mode, PROF_MODE_BACK);
}

/* Twenty parameters of a thousand values each: some arguments widen, and the records stay few. */
static void test_many_arguments(void **state)
{
  (void)state;
  uint64_t arguments[ARGS], seed = 1;
  for (unsigned i = 0; i < 100000; i++) {
    for (unsigned k = 0; k < ARGS; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      arguments[k] = (seed >> 33) % 1000;
    }
    struct fmt_rec_edge *edge = call(tree.root, 0, arguments);
    assert_non_null(edge);
    edge->calls++;
  }
  const struct fmt_rec_function *function = (struct fmt_rec_function *)tree.record->first_function;
  print_message("%u signatures, %u args widened\n", function->signatures, function->widened_args);
  assert_true(function->signatures <= PROF_CARDINALITY_BUDGET * (2 * ARGS + 1));
  assert_true(function->widened_args >= ARGS - 2);
  assert_non_null((void *)function->levels);
  uint64_t calls = 0;
  for (uint64_t at = tree.record->first_edge; at; at = ((struct fmt_rec_edge *)at)->next)
    calls += ((struct fmt_rec_edge *)at)->calls;
  assert_int_equal(calls, 100000);
  assert_true(prof_process.header->loss[FMT_LOSS_SIGNATURES_MERGED] > 0);
}

/* What widening looks at: the signatures of its function, and none of what others have. */
static void test_lists(void **state)
{
  (void)state;
  uint64_t arguments[ARGS] = {0};
  for (uint64_t i = 0; i < 1000; i++) {
    arguments[0] = i % 100;
    assert_non_null(call(tree.root, 0, arguments));
    assert_non_null(call(tree.root, 1, NULL));
  }
  unsigned longest = 0;
  for (uint64_t at = tree.record->first_function; at; at = ((struct fmt_rec_function *)at)->next) {
    const struct fmt_rec_function *function = (struct fmt_rec_function *)at;
    unsigned count = 0;
    for (const struct prof_signature_link *link = prof_signature_list(&tree, function); link; link = link->next) {
      assert_ptr_equal((void *)link->signature->function, function);
      assert_int_equal(link->signature->flags, 0);
      count++;
    }
    assert_int_equal(count, function->signatures);
    longest = count > longest ? count : longest;
  }
  assert_int_equal(longest, 100);
}

/* One parameter with many values among others with few: it alone widens, first to buckets. */
static void test_one_argument(void **state)
{
  (void)state;
  uint64_t arguments[ARGS] = {0};
  for (uint64_t i = 0; i < 100000; i++) {
    arguments[3] = i;
    arguments[4] = i % 2;
    assert_non_null(call(tree.root, 0, arguments));
  }
  const struct fmt_rec_function *function = (struct fmt_rec_function *)tree.record->first_function;
  assert_int_equal(function->widened_args, 1);
  const uint8_t *levels = prof_function_levels(function);
  assert_int_equal(levels[3], FMT_WIDEN_LOG2);
  assert_int_equal(levels[4], FMT_WIDEN_NONE);
  assert_true(function->signatures < 2 * PROF_CARDINALITY_BUDGET);
  /* What is no number has no buckets. */
  fake_index.args[5].type = 1;
  arguments[3] = 0;
  for (uint64_t i = 0; i < 1000; i++) {
    arguments[5] = i;
    assert_non_null(call(tree.root, 0, arguments));
  }
  assert_int_equal(levels[5], FMT_WIDEN_TYPE);
}

/* A context takes a bounded number of edges; then the caller's signature merges. */
static void test_edge_bound(void **state)
{
  (void)state;
  uint64_t arguments[ARGS] = {0};
  struct fmt_rec_context *context = NULL;
  unsigned merged = 0;
  for (uint64_t i = 0; i < 200; i++) {
    arguments[0] = i;
    struct fmt_rec_variant *caller = to_of(call(tree.root, 0, arguments));
    for (uintptr_t site = 0; site < 100; site++) {
      sites[1].pc = 0x2000 + site;
      struct fmt_rec_edge *edge = call(caller, 1, NULL);
      assert_non_null(edge);
      context = context_of(edge);
      if (edge->flags & FMT_EDGE_ANY) {
        merged++;
        assert_ptr_equal((void *)edge->from, (void *)((struct fmt_rec_context *)caller->context)->merged_variant);
        assert_ptr_equal(call(caller, 1, NULL), edge);
        assert_true(edge->flags & FMT_EDGE_GENERIC);
      }
    }
  }
  assert_true(merged > 0);
  assert_true(context->edges <= PROF_EDGES_MAX + 100);
}

/* Near its limit the recording merges contexts, then signatures, and at last says that there is no space. */
static void test_pressure(void **state)
{
  (void)state;
  prof_process.reserved = prof_process.settings.memory_limit = 4 << 20;
  uint64_t arguments[ARGS] = {0};
  bool merged = false, bare = false, full = false;
  for (uint64_t i = 0; i < 1000000 && !full; i++) {
    prof_tree_check_pressure(&tree);
    sites[1].pc = 0x2000 + i;
    struct fmt_rec_edge *edge = call(tree.root, 1, NULL);
    struct fmt_rec_edge *inner = edge ? call(to_of(edge), 2, NULL) : NULL;
    arguments[0] = i % 200;
    sites[0].pc = 0x1000000 + i;
    struct fmt_rec_edge *leaf = inner ? call(to_of(inner), 0, arguments) : NULL;
    full = !leaf;
    merged = merged || (leaf && leaf->flags & FMT_EDGE_MERGED);
    bare = bare || (leaf && ((struct fmt_rec_signature *)to_of(leaf)->signature)->flags & FMT_SIGNATURE_NONE);
  }
  assert_true(bare);
  assert_true(full);
  assert_true(prof_process.header->next <= 4 << 20);
  (void)merged;
}

/* Merged contexts: one for each function, and its callees' too. */
static void test_merged_contexts(void **state)
{
  (void)state;
  struct fmt_rec_edge *before = call(tree.root, 1, NULL);
  tree.pressure = PROF_PRESSURE_CONTEXTS;
  assert_ptr_equal(call(tree.root, 1, NULL), before);
  struct fmt_rec_edge *first = call(to_of(before), 2, NULL);
  assert_true(first->flags & FMT_EDGE_MERGED);
  assert_true(first->flags & FMT_EDGE_BACK);
  assert_int_equal(context_of(first)->parent, 0);
  struct fmt_rec_edge *second = call(to_of(first), 3, NULL), *third = call(to_of(second), 2, NULL);
  assert_int_equal(context_of(second)->parent, 0);
  assert_ptr_equal(context_of(third), context_of(first));
  assert_ptr_equal(context_of(call(to_of(before), 3, NULL)), context_of(second));
}

/* What a caller passed is compared by where the call returns to: one comparison for each return address. */
static void test_comparisons_by_caller(void **state)
{
  (void)state;
  static const struct fmt_index_call_value values[] = {{.reg = 5, .kind = FMT_CALL_CONST, .imm = 7},
                                                       {.reg = 5, .kind = FMT_CALL_REGISTER, .source = 12, .imm = -1},
                                                       {.reg = 5, .kind = FMT_CALL_ADDRESS, .imm = 0x40},
                                                       {.reg = 5, .kind = FMT_CALL_FRAME, .imm = 24}};
  static const struct fmt_index_call_site calls[] = {{.pc = 0x500, .first_value = 0, .value_count = 1},
                                                     {.pc = 0x600, .first_value = 1, .value_count = 1},
                                                     {.pc = 0x680, .first_value = 2, .value_count = 1},
                                                     {.pc = 0x6c0, .first_value = 3, .value_count = 1}};
  static const struct fmt_op entry[] = {{.code = FMT_OP_ENTRY, .reg = 5, .skip = 2},
                                        {.code = FMT_OP_EMIT, .size = 4, .skip = 1},
                                        {.code = FMT_OP_EMIT_REG, .reg = 3, .size = 4, .arg = 1, .skip = 1}};
  module.index.call_values = values;
  module.index.call_sites = calls;
  module.index.count[FMT_SECTION_CALL_SITES] = 4;
  sites[0].ops = entry;
  sites[0].op_count = 3;
  sites[0].uses_entry = true;
  const struct prof_fast_compare *any = prof_fast_compare_of(&tree, &sites[0], 0),
                                 *constant = prof_fast_compare_of(&tree, &sites[0], 0x500);
  const struct prof_fast_compare *passed = prof_fast_compare_of(&tree, &sites[0], 0x600),
                                 *unknown = prof_fast_compare_of(&tree, &sites[0], 0x700),
                                 *address = prof_fast_compare_of(&tree, &sites[0], 0x680),
                                 *frame = prof_fast_compare_of(&tree, &sites[0], 0x6c0);
  assert_ptr_equal(prof_fast_compare_of(&tree, &sites[0], 0x500), constant);
  assert_ptr_equal(prof_fast_compare_find(&tree, sites[0].pc, sites[0].function_address, 0x600), passed);
  assert_false(any->fast);
  assert_true(constant->fast && passed->fast && unknown->fast);
  /* Where no call has proven that the frame is where the index says, nothing of it is compared without looking. */
  sites[0].frame_size = 0;
  assert_false(prof_fast_compare_of(&tree, &sites[0], 0x800)->fast);
  assert_int_equal(constant->count, 4); /* the return address takes two places */
  assert_int_equal(constant->compared, 2);
  assert_int_equal(constant->ops[0].kind, PROF_COMPARE_RETURN);
  assert_int_equal(constant->ops[0].offset, sites[0].cfa_offset - 8);
  assert_memory_equal(&constant->ops[1], &(uint64_t){0x500}, 8);
  assert_int_equal(constant->ops[2].kind, PROF_COMPARE_SKIP);
  assert_int_equal(passed->ops[2].kind, PROF_COMPARE_REG);
  assert_int_equal(passed->ops[2].reg, 12);
  assert_int_equal(passed->ops[2].offset, -1);
  assert_int_equal(address->ops[2].kind, PROF_COMPARE_SKIP);
  assert_int_equal(frame->ops[2].kind, PROF_COMPARE_REG);
  assert_int_equal(frame->ops[2].reg, sites[0].cfa_register);
  assert_int_equal(frame->ops[2].offset, sites[0].cfa_offset + 24);
  assert_int_equal(unknown->compared, 1); /* lost whenever it comes from there */
}

static void add_calls(struct fmt_rec_edge *edge, uint64_t calls)
{
  edge->calls += calls;
  edge->total += calls * 10;
  edge->min = 10;
  edge->max = 10;
}

/* Two trees folded into a third: counters add up, contexts meet, recursion stays folded. */
static void test_merge(void **state)
{
  (void)state;
  struct prof_tree target = {0};
  assert_int_equal(prof_tree_init(&target, 0), 0);
  uint64_t arguments[ARGS] = {0};
  for (unsigned round = 0; round < 2; round++) {
    memset(&tree, 0, sizeof tree);
    assert_int_equal(prof_tree_init(&tree, round), 0);
    arguments[0] = round;
    struct fmt_rec_edge *outer = call(tree.root, 1, NULL), *inner = call(to_of(outer), 0, arguments);
    struct fmt_rec_edge *back = call(to_of(inner), 1, NULL);
    add_calls(outer, 5);
    add_calls(inner, 7);
    add_calls(back, 1);
    if (round == 1)
      inner->site = 0; /* of a module that is gone */
    assert_int_equal(prof_tree_merge(&target, &tree), 0);
    /* The counters have moved: once more adds nothing. */
    assert_int_equal(prof_tree_merge(&target, &tree), 0);
    prof_tree_release(&tree);
  }
  unsigned edges = 0;
  uint64_t calls = 0, total = 0, backs = 0;
  for (uint64_t at = target.record->first_edge; at; at = ((struct fmt_rec_edge *)at)->next) {
    const struct fmt_rec_edge *edge = (struct fmt_rec_edge *)at;
    edges++;
    calls += edge->calls;
    total += edge->total;
    backs += edge->flags & FMT_EDGE_BACK;
    assert_int_equal(edge->min, 10);
  }
  assert_int_equal(edges, 5); /* the outer one, two with different arguments, and a back edge from each */
  assert_int_equal(calls, 2 * 13);
  assert_int_equal(total, calls * 10);
  assert_int_equal(backs, 2);
}

/* Every allocation of private memory fails from some moment on, ever later: an error each time, until all goes well. */
static void test_no_memory(void **state)
{
  (void)state;
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  const struct rlimit none = {0, before.rlim_max};
  unsigned failures = 0;
  for (unsigned allowed = 0; allowed < 400; allowed += 20) {
    memset(&tree, 0, sizeof tree);
    assert_int_equal(prof_tree_init(&tree, 1), 0);
    bool failed = false;
    for (unsigned i = 0; i < 2000; i++) {
      if (i == allowed)
        assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
      sites[1].pc = 0x2000 + i;
      failed = !call(tree.root, 1, NULL) || failed;
    }
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    failures += failed;
    /* What was made before and after still works. */
    sites[1].pc = 0x2000;
    struct fmt_rec_edge *edge = call(tree.root, 1, NULL);
    assert_non_null(edge);
    assert_ptr_equal(call(tree.root, 1, NULL), edge);
    prof_tree_release(&tree);
  }
  assert_int_equal(failures, 20);
}

/* The file may not grow: no record, one message, and what was recorded stays. */
static void test_file_limit(void **state)
{
  (void)state;
  struct rlimit before;
  struct stat status;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(stat(prof_process.path, &status), 0);
  const struct rlimit limit = {(rlim_t)status.st_size, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  unsigned made = 0;
  for (sites[1].pc = 0x2000; call(tree.root, 1, NULL); sites[1].pc++)
    made++;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_true(made > 1000);
  assert_true(prof_process.full);
  sites[1].pc = 0x2000;
  assert_non_null(call(tree.root, 1, NULL));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_folding, start, stop),
      cmocka_unit_test_setup_teardown(test_lists, start, stop),
      cmocka_unit_test_setup_teardown(test_many_arguments, start, stop),
      cmocka_unit_test_setup_teardown(test_one_argument, start, stop),
      cmocka_unit_test_setup_teardown(test_edge_bound, start, stop),
      cmocka_unit_test_setup_teardown(test_pressure, start, stop),
      cmocka_unit_test_setup_teardown(test_merged_contexts, start, stop),
      cmocka_unit_test_setup_teardown(test_comparisons_by_caller, start, stop),
      cmocka_unit_test_setup_teardown(test_merge, start, stop),
      cmocka_unit_test_setup_teardown(test_no_memory, start, stop),
      cmocka_unit_test_setup_teardown(test_file_limit, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
