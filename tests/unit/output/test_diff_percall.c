/* Times per call compared: of runs that call a function more or less often, or not at all. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callsig/diff.h"
#include "tests/support/output_sample.h"

enum { RUNS = 5, FUNCTIONS = 4 };

/* Of a side, how many calls each run has, and how long they take (ns): the n-th call a tenth more or less. */
struct calls {
  const char *function;
  unsigned counts[2][RUNS];
  unsigned time[2];
};

static const struct calls functions[FUNCTIONS] = {
    {"slower", {{20, 20, 0, 0, 0}, {20, 20, 20, 20, 20}}, {1000, 2000}},
    {"same", {{20, 20, 20, 0, 0}, {20, 20, 20, 20, 20}}, {1000, 1000}},
    {"varies", {{1, 500, 1, 2, 100}, {100, 200, 300, 100, 1}}, {1000, 1500}},
    {"once", {{20, 0, 0, 0, 0}, {20, 20, 20, 20, 20}}, {1000, 3000}},
};

static const char *path_of(unsigned side, unsigned run)
{
  char name[32];
  snprintf(name, sizeof name, "percall-%u-%u", side, run);
  return scratch_path(name);
}

static void make_run(unsigned side, unsigned run)
{
  struct sample sample;
  uint64_t now = 0;
  sample_begin(&sample);
  for (unsigned i = 0; i < FUNCTIONS; i++)
    index_writer_function(sample.index, "percall.c", i + 1, functions[i].function, 0);
  sample_calls(&sample);
  recording_writer_header(sample.recording)->injected_hz = 1000000000;
  for (unsigned i = 0; i < FUNCTIONS; i++)
    for (unsigned call = 0; call < functions[i].counts[side][run]; call++) {
      const uint64_t end = now + functions[i].time[side] + (call + run) % 3 * functions[i].time[side] / 10;
      sample_call(&sample, i, (const uint64_t[]){0}, 0, now, end);
      now = end;
    }
  sample_end(&sample, now, path_of(side, run));
}

static struct callsig_diff *compare(void)
{
  struct callsig_diff *diff;
  const struct callsig_diff_options options = {.size = sizeof options, .metric = CALLSIG_DIFF_PERCALL};
  const struct callsig_diff_view view = {.size = sizeof view, .sort = CALLSIG_DIFF_BY_NAME, .all = true};
  assert_int_equal(callsig_diff_new(&diff), 0);
  for (unsigned side = 0; side < 2; side++)
    for (unsigned run = 0; run < RUNS; run++) {
      make_run(side, run);
      assert_int_equal(callsig_diff_add(diff, side == 0 ? CALLSIG_DIFF_OLD : CALLSIG_DIFF_NEW, path_of(side, run)), 0);
      unlink(path_of(side, run));
    }
  assert_int_equal(callsig_diff_compare(diff, &options), 0);
  assert_int_equal(callsig_diff_arrange(diff, &view), 0);
  assert_int_equal(callsig_diff_row_count(diff), FUNCTIONS);
  return diff;
}

/* The verdict is of the change that is shown, and the interval is around it. A run without calls says nothing of what a
 * call takes, and one run alone does not tell what is noise. */
static void of_the_same_change(void **state)
{
  (void)state;
  static const enum callsig_diff_verdict expected[FUNCTIONS] = {CALLSIG_DIFF_SLOWER, CALLSIG_DIFF_SAME,
                                                                CALLSIG_DIFF_SLOWER, CALLSIG_DIFF_SAME};
  struct callsig_diff *diff = compare();
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    struct callsig_diff_row row = {.size = sizeof row};
    assert_int_equal(callsig_diff_row(diff, i, &row), 0);
    const unsigned number = (unsigned)row.line - 1;
    const double change = row.new_tottime / row.new_ncalls - row.old_tottime / row.old_ncalls;
    if (row.verdict != expected[number])
      fail_msg("%s is %s, p %g", row.function, callsig_diff_verdict_name(row.verdict), row.adjusted);
    assert_true(fabs(row.change - change) < 1e-15);
    assert_int_equal(isnan(row.low), strcmp(row.function, "once") == 0);
    if (!isnan(row.low) && fabs((row.low + row.high) / 2 - row.change) > 1e-3 * fabs(row.high - row.low))
      fail_msg("%s: %g is not between %g and %g", row.function, row.change, row.low, row.high);
  }
  callsig_diff_free(diff);
}

/* What is not known is told as that. */
static void not_known(void **state)
{
  (void)state;
  struct callsig_diff *diff = compare();
  struct {
    int (*print)(const struct callsig_diff *diff, FILE *out);
    const char *text;
  } formats[] = {{callsig_diff_print, "?            ?   1.000 percall.c:4(once())"},
                 {callsig_diff_print_json, "\"low\": null"}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(formats[i].print(diff, out), 0);
    fclose(out);
    if (!strstr(text, formats[i].text))
      fail_msg("%s", text);
    free(text);
  }
  callsig_diff_free(diff);
}

/* A percentage that would be wider than its column is told in times, in it. */
static void many_times(void **state)
{
  (void)state;
  struct callsig_diff *diff;
  assert_int_equal(callsig_diff_new(&diff), 0);
  for (unsigned side = 0; side < 2; side++) {
    struct sample sample;
    sample_begin(&sample);
    recording_writer_header(sample.recording)->injected_hz = 1000000000;
    index_writer_function(sample.index, "wide.c", 1, "far", 0);
    sample_calls(&sample);
    const uint64_t end = side == 0 ? 20 : 8527000;
    sample_call(&sample, 0, (const uint64_t[]){0}, 0, 0, end);
    sample_end(&sample, end, path_of(side, 0));
    assert_int_equal(callsig_diff_add(diff, side == 0 ? CALLSIG_DIFF_OLD : CALLSIG_DIFF_NEW, path_of(side, 0)), 0);
    unlink(path_of(side, 0));
  }
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_int_equal(callsig_diff_print(diff, out), 0);
  fclose(out);
  if (!strstr(text, " +0.008527  x426350    x426350 wide.c:1(far())\n"))
    fail_msg("%s", text);
  free(text);
  callsig_diff_free(diff);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_the_same_change), cmocka_unit_test(not_known),
                                     cmocka_unit_test(many_times)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
