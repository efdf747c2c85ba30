/* Laws are looked for within an effort: functions that would take more than is left are counted, none is left out in
 * silence. The step of a recording's clock is read off its shortest calls: what lies within a few steps decides no law.
 */
#include <stdlib.h>
#include <string.h>

#include "output/scaling/report.h"
#include "tests/support/output_sample.h"

enum { SIZES = 12 };

/* Two functions of one number, each called with SIZES of them; the first takes the more time. */
static struct callsig_stats *load_two(void)
{
  struct sample sample;
  uint32_t functions[2];
  uint64_t now = 1000;
  sample_begin(&sample);
  for (unsigned i = 0; i < 2; i++) {
    functions[i] = index_writer_function(sample.index, "laws.c", 1 + i, i == 0 ? "longer" : "shorter", 0);
    index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  }
  sample_calls(&sample);
  for (unsigned i = 0; i < 2; i++)
    for (uint64_t n = 1; n <= SIZES; n++) {
      sample_call(&sample, functions[i], (const uint64_t[]){0, n}, 2, now, now + (i == 0 ? 20000 : 10000) * n);
      now += 30000 * n;
    }
  return sample_load(&sample, now);
}

/* The laws within this effort, which is set to what is left of it; the caller frees them. */
static char *print_laws(struct callsig_stats *stats, struct out_scaling_effort *effort)
{
  const struct callsig_stats_scaling wanted = {.size = sizeof wanted, .format = "json"};
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_int_equal(out_scaling_print(stats, &wanted, effort, out), 0);
  assert_int_equal(fclose(out), 0);
  callsig_stats_free(stats);
  return text;
}

static void expect(double effort, bool has_longer, bool has_shorter)
{
  struct out_scaling_effort given = {.left = effort};
  char *text = print_laws(load_two(), &given);
  assert_int_equal(strstr(text, "\"longer\"") != NULL, has_longer);
  assert_int_equal(strstr(text, "\"shorter\"") != NULL, has_shorter);
  assert_int_equal(given.left_out, !has_longer + !has_shorter);
  assert_true(given.left >= 0);
  free(text);
}

static void all_are_looked_at_with_enough(void **state)
{
  (void)state;
  expect(1e6, true, true);
}

/* Of one number there are 19 forms. */
static void the_longest_goes_first(void **state)
{
  (void)state;
  expect(19 * SIZES, true, false);
  expect(2 * 19 * SIZES, true, true);
  expect(2 * 19 * SIZES - 1, true, false);
}

static void none_is_left_out_in_silence(void **state)
{
  (void)state;
  expect(0, false, false);
}

/* The lengths that nasm hashes, and the shortest call of each as its clock read it, in steps. */
static const struct {
  uint64_t length, steps;
} calls[] = {{2, 2},  {3, 2},  {4, 2},  {5, 2},  {6, 2},  {7, 2},  {8, 2},  {9, 3},  {10, 3}, {11, 3}, {12, 3},
             {13, 4}, {14, 4}, {15, 4}, {16, 4}, {17, 4}, {18, 5}, {19, 5}, {20, 5}, {22, 5}, {36, 9}, {38, 9}};

enum { CALLS = sizeof calls / sizeof calls[0] };

/* The laws of one function whose calls took so many ticks a step, and a rest. The caller frees them. */
static char *laws_of(uint64_t ticks, uint64_t rest)
{
  struct sample sample;
  uint64_t now = 1000;
  sample_begin(&sample);
  const uint32_t function = index_writer_function(sample.index, "crc64.c", 199, "crc64ib", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "length", sample.int_type);
  sample_calls(&sample);
  for (unsigned i = 0; i < CALLS; i++) {
    const uint64_t took = calls[i].steps * ticks + i % 2 * rest;
    sample_call(&sample, function, (const uint64_t[]){0, calls[i].length}, 2, now, now + took);
    now += 100 * ticks;
  }
  struct out_scaling_effort effort = {.left = 1e6};
  return print_laws(sample_load(&sample, now), &effort);
}

static void few_steps_decide_no_law(void **state)
{
  (void)state;
  char *text = laws_of(260000, 0);
  assert_non_null(strstr(text, "which are near the least that the clock reads"));
  free(text);
}

/* The same times, read by a clock that tells every tick. */
static void a_fine_clock_tells_them(void **state)
{
  (void)state;
  char *text = laws_of(260000, 1237);
  assert_null(strstr(text, "near the least that the clock reads"));
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_are_looked_at_with_enough), cmocka_unit_test(the_longest_goes_first),
      cmocka_unit_test(none_is_left_out_in_silence),   cmocka_unit_test(few_steps_decide_no_law),
      cmocka_unit_test(a_fine_clock_tells_them),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
