/* Histograms of times: which bucket a value is in, moving, and what happens when the recording is nearly full. */
#include "profiler/stack/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/base/histogram_record.h"
#include "profiler/base/recording.h"
#include "profiler/tree/tree.h"

static struct prof_thread thread;
static _Alignas(struct fmt_rec_stack) char segment[sizeof(struct fmt_rec_stack) + 2 * sizeof(struct fmt_rec_frame)];

static int start(void **state)
{
  static unsigned number;
  (void)state;
  memset(&prof_process, 0, sizeof prof_process);
  memset(&thread, 0, sizeof thread);
  prof_process.pid = (uint32_t)getpid();
  prof_process.settings.clock = FMT_CLOCK_MONOTONIC;
  prof_process.settings.memory_limit = 4 << 20;
  prof_process.settings.percentiles = true;
  snprintf(prof_process.settings.output, sizeof prof_process.settings.output, "test_histogram.%d.%u", getpid(),
           number++);
  assert_int_equal(prof_recording_open(&prof_process, false), 0);
  assert_int_equal(prof_tree_init(&thread.tree, 1), 0);
  thread.self = &thread;
  thread.state = PROF_HOOKS_CLOCK;
  thread.stack = (struct fmt_rec_stack *)segment;
  thread.stack->capacity = 2;
  thread.top = thread.stack->frames;
  return 0;
}

static int stop(void **state)
{
  (void)state;
  return unlink(prof_process.path);
}

static uint64_t *octave(const struct fmt_rec_histogram *histogram, unsigned number)
{
  return (uint64_t *)histogram->octaves[number];
}

/* What is counted in the bucket of all values from `low` to `high`. */
static uint64_t counted(const struct fmt_rec_histogram *histogram, uint64_t low, uint64_t high)
{
  const unsigned bits = histogram->sub_bits;
  for (unsigned i = 0; i < FMT_HISTOGRAM_OCTAVES; i++) {
    for (unsigned k = 0; octave(histogram, i) && k < 1u << bits; k++) {
      uint64_t width = i ? UINT64_C(1) << (i - 1) : 1;
      uint64_t first = i ? ((UINT64_C(1) << bits) + k) * width : k;
      if (first == low && first + (width - 1) == high)
        return octave(histogram, i)[k];
    }
  }
  return 0;
}

static uint64_t sum(const struct fmt_rec_histogram *histogram)
{
  uint64_t all = 0;
  for (unsigned i = 0; i < FMT_HISTOGRAM_OCTAVES; i++)
    for (unsigned k = 0; octave(histogram, i) && k < 1u << histogram->sub_bits; k++)
      all += octave(histogram, i)[k];
  return all;
}

static void test_buckets(void **state)
{
  (void)state;
  static const struct {
    uint64_t value, low, high;
  } cases[] = {{0, 0, 0},          {7, 7, 7},
               {8, 8, 8},          {15, 15, 15},
               {16, 16, 17},       {17, 16, 17},
               {1000, 960, 1023},  {1023, 960, 1023},
               {1024, 1024, 1151}, {UINT64_MAX, UINT64_C(15) << 60, UINT64_MAX}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fmt_rec_histogram *histogram = prof_histogram_make(&thread.tree, 3);
    assert_true(prof_histogram_add(&thread.tree, histogram, cases[i].value));
    assert_int_equal(counted(histogram, cases[i].low, cases[i].high), 1);
    assert_int_equal(sum(histogram), 1);
  }
}

/* Moved counts are in the target and no longer in the source. */
static void test_move(void **state)
{
  (void)state;
  uint64_t target = 0, lost = 0;
  for (uint64_t turn = 1; turn <= 3; turn++) {
    struct fmt_rec_histogram *source = prof_histogram_make(&thread.tree, 5);
    for (uint64_t value = 1; value < 100000; value += 7 * turn)
      assert_true(prof_histogram_add(&thread.tree, source, value));
    uint64_t before = target ? sum((struct fmt_rec_histogram *)target) : 0, more = sum(source);
    assert_true(prof_histogram_move(&thread.tree, &target, source, &lost));
    assert_int_equal(sum((struct fmt_rec_histogram *)target), before + more);
    assert_int_equal(sum(source), 0);
  }
  assert_int_equal(((struct fmt_rec_histogram *)target)->sub_bits, 5);
  assert_int_equal(lost, 0);
}

static void fill_recording(void)
{
  while (prof_record_alloc(&thread.tree, PROF_BLOCK_MOST))
    ;
  while (prof_record_alloc(&thread.tree, 8))
    ;
}

/* Without space nothing is counted, and it is told. */
static void test_no_space(void **state)
{
  (void)state;
  struct fmt_rec_histogram *source = prof_histogram_make(&thread.tree, 3),
                           *other = prof_histogram_make(&thread.tree, 3);
  for (uint64_t value = 0; value < 1000; value++)
    assert_true(prof_histogram_add(&thread.tree, source, value));
  assert_true(prof_histogram_add(&thread.tree, other, 9));
  fill_recording();
  assert_null(prof_histogram_make(&thread.tree, 3));
  assert_false(prof_histogram_add(&thread.tree, other, 1 << 20));
  uint64_t target = (uintptr_t)other, lost = 0;
  assert_false(prof_histogram_move(&thread.tree, &target, source, &lost));
  assert_int_equal(lost, 1000 - 8); /* 8 to 15 are in the octave that is there */
  assert_int_equal(sum(other), 9);
  target = 0;
  assert_true(prof_histogram_add(&thread.tree, source, 8));
  assert_false(prof_histogram_move(&thread.tree, &target, source, &lost));
  assert_int_equal(lost, 1000 - 8 + 1);
  assert_int_equal(target, 0);
}

/* Calls take octaves from the stock and have it filled again, until three quarters of the recording are used. */
static void test_calls(void **state)
{
  (void)state;
  static struct fmt_rec_edge edges[10];
  memset(edges, 0, sizeof edges);
  for (unsigned i = 0; i < 9; i++) {
    edges[i].histogram = (uintptr_t)prof_histogram_make(&thread.tree, PROF_CALL_SUB_BITS);
    for (unsigned k = 0; k < 60; k++) {
      prof_histogram_call(&thread, &edges[i], UINT64_C(8) << k);
      prof_histogram_call(&thread, &edges[i], UINT64_C(8) << k);
    }
    assert_int_equal(sum((struct fmt_rec_histogram *)edges[i].histogram), 120);
    assert_int_equal(counted((struct fmt_rec_histogram *)edges[i].histogram, 8, 8), 2);
  }
  assert_int_equal(prof_process.header->loss[FMT_LOSS_HISTOGRAM], 0);
  assert_int_equal(thread.state, PROF_HOOKS_CLOCK);
  prof_histogram_call(&thread, &edges[9], 1); /* it has no histogram */
  assert_int_equal(prof_process.header->loss[FMT_LOSS_HISTOGRAM], 1);
  fill_recording();
  edges[0].histogram = edges[1].histogram;
  struct fmt_rec_histogram *first = (struct fmt_rec_histogram *)edges[0].histogram;
  memset(first->octaves, 0, sizeof first->octaves);
  for (unsigned k = 0; k < 60; k++)
    prof_histogram_call(&thread, &edges[0], UINT64_C(8) << k);
  uint64_t lost = prof_process.header->loss[FMT_LOSS_HISTOGRAM] - 1;
  assert_true(lost > 0 && lost < 60);
  assert_int_equal(sum(first) + lost, 60);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_buckets, start, stop),
      cmocka_unit_test_setup_teardown(test_move, start, stop),
      cmocka_unit_test_setup_teardown(test_no_space, start, stop),
      cmocka_unit_test_setup_teardown(test_calls, start, stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
