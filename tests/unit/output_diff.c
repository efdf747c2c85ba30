/* Two sides of recordings compared: the test's own numbers, what is found, what is noise, which functions meet. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/diff/diff_match.h"
#include "output/diff/diff_print.h"
#include "output/text/t_test.h"
#include "output_sample.h"

/* Student's density integrated by Simpson's rule, after t = tan(a). */
static double integrated(double t, double freedom)
{
  const int steps = 200000;
  double from = atan(t), step = (M_PI / 2 - from) / steps, sum = 0;
  double front = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * M_PI);
  for (int i = 0; i < steps; i++) {
    double a = from + i * step, weight = i == 0 ? 1 : (i % 2 ? 4 : 2), x = tan(a);
    sum += weight * front * pow(1 + x * x / freedom, -(freedom + 1) / 2) * (1 + x * x);
  }
  /* The end, where the density times its stretch is 0 but for one degree of freedom. */
  sum += freedom == 1 ? front : 0;
  return 2 * sum * step / 3;
}

static void student(void **state)
{
  (void)state;
  static const double freedoms[] = {1, 1.5, 2, 3.7, 8, 30, 200};
  static const double ts[] = {0, 0.1, 0.7, 1, 2, 5, 12, 60};
  for (size_t i = 0; i < sizeof freedoms / sizeof freedoms[0]; i++) {
    for (size_t k = 0; k < sizeof ts / sizeof ts[0]; k++) {
      double p = out_t_two_sided(ts[k], freedoms[i]), expected = integrated(ts[k], freedoms[i]);
      if (fabs(p - expected) > 1e-6 * expected + 1e-12)
        fail_msg("t %g with %g degrees: %.12g, integrated %.12g", ts[k], freedoms[i], p, expected);
      if (p < 1 && fabs(out_t_quantile(p, freedoms[i]) - ts[k]) > 1e-6 * ts[k])
        fail_msg("quantile of t %g with %g degrees", ts[k], freedoms[i]);
    }
  }
  /* Closed forms: one degree of freedom is Cauchy's distribution, two have a root. */
  assert_true(fabs(out_t_two_sided(1, 1) - 0.5) < 1e-14);
  assert_true(fabs(out_t_two_sided(sqrt(2), 2) - (1 - sqrt(0.5))) < 1e-14);
}

static void welch(void **state)
{
  (void)state;
  /* Means 2 and 5, variances 1 and 4 of three values each: t = 3 / sqrt(5/3), df = (5/3)^2 / ((1/9 + 16/9) / 2). */
  const double old[] = {1, 2, 3}, new[] = {3, 5, 7};
  struct out_sample a = out_sample_of(old, 3, 0), b = out_sample_of(new, 3, 0);
  struct out_welch test = out_welch_test(&a, &b, 0.95);
  double freedom = (25.0 / 9) / (17.0 / 18), t = 3 / sqrt(5.0 / 3);
  assert_true(fabs(test.change - 3) < 1e-12);
  assert_true(fabs(test.p - integrated(t, freedom)) < 1e-9);
  assert_true(fabs((test.high + test.low) / 2 - 3) < 1e-9);
  assert_true(fabs(integrated((test.high - 3) / sqrt(5.0 / 3), freedom) - 0.05) < 1e-9);
  /* What does not vary: different is different, and the floor keeps a clock's grain from being a change. */
  const double same[] = {4, 4}, other[] = {5, 5};
  a = out_sample_of(same, 2, 0);
  b = out_sample_of(other, 2, 0);
  assert_true(out_welch_test(&a, &b, 0.95).p == 0);
  assert_true(out_welch_test(&a, &a, 0.95).p == 1);
  a = out_sample_of(same, 2, 1);
  b = out_sample_of(other, 2, 1);
  assert_true(out_welch_test(&a, &b, 0.95).p > 0.3);
  /* Holm: 4, 3, 2, 1 times, never less than the one before. */
  const double p[] = {0.03, 0.01, 0.04, 0.005};
  const double expected[] = {0.06, 0.03, 0.06, 0.02};
  double adjusted[4];
  size_t order[4];
  out_holm(p, 4, order, adjusted);
  for (size_t i = 0; i < 4; i++)
    assert_true(fabs(adjusted[i] - expected[i]) < 1e-12);
}

static void plain_names(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    size_t length;
  } names[] = {
      {"f", 1},
      {"f.constprop.0", 1},
      {"f.isra.0", 1},
      {"f.part.12", 1},
      {"f.cold", 1},
      {"f.llvm.123", 1},
      {"f.lto_priv.0", 1},
      {"f.isra.0.cold", 1},
      {"f.part.0.isra.3", 1},
      {"f.7", 3},
      {"f.table.7", 9},
      {".cold", 5},
      {"operator()", 10},
      {"f(int, ...)", 11},
      {"f.table", 7},
      {"f.table.7.cold", 9},
      {"", 0},
      {"f.", 2},
      {"f.0.constprop.0", 3},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (out_plain_name(names[i].name) != names[i].length)
      fail_msg("%s: %zu", names[i].name, out_plain_name(names[i].name));
  }
}

/* Noise: the same every time the test runs. */
static double noise(uint64_t *state)
{
  double sum = 0;
  for (int i = 0; i < 12; i++) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    sum += (double)(*state >> 40) / (double)(1 << 24);
  }
  return sum - 6; /* about normal, of variance 1 */
}

enum { SIDE = 5, FUNCTIONS = 40, LARGE = 4096 };

static const char *numbered(unsigned number)
{
  char name[32];
  snprintf(name, sizeof name, "side-%u", number);
  return scratch_path(name);
}

/* One run: scan(n) for n = 64 ... 16384 and 40 functions more, every call of a time that varies by 5 %, and sometimes
 * by a lot. In `slow` runs scan() takes twice as long for n >= 4096. */
static void make_run(uint64_t *state, bool slow, const char *path)
{
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "scan.c", slow ? 12 : 10, "scan", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    char name[16];
    snprintf(name, sizeof name, "work%u", i);
    index_writer_function(sample.index, "work.c", i + 1, name, 0);
  }
  sample_calls(&sample);
  recording_writer_header(sample.recording)->injected_hz = 1000000000;
  uint64_t now = 0;
  double run = exp(0.02 * noise(state));
  for (unsigned i = 0; i < FUNCTIONS + 5; i++) {
    uint64_t n = i < 5 ? UINT64_C(64) << (2 * i) : 0;
    double time = (i < 5 ? (double)n * 10 : 1000 * (double)(i + 1)) * run * exp(0.05 * noise(state));
    if (noise(state) > 2)
      time *= 1.5;
    if (slow && n >= LARGE)
      time *= 2;
    uint64_t end = now + (uint64_t)time;
    sample_call(&sample, i < 5 ? 0 : i - 4, (const uint64_t[]){0, n}, i < 5 ? 2 : 0, now, end);
    now = end;
  }
  sample_end(&sample, now, path);
}

/* Compares `old` runs with `new` ones; the caller frees both. */
static struct callsig_stats *compare(unsigned old, unsigned new, const struct out_diff_options *options,
                                     struct out_diff *diff)
{
  struct callsig_stats *stats;
  uint32_t ends[32];
  assert_int_equal(callsig_stats_load(numbered(0), &stats), 0);
  ends[0] = stats->profile.recordings.count;
  for (unsigned i = 1; i < old + new; i++) {
    assert_int_equal(callsig_stats_add(stats, numbered(i)), 0);
    ends[i] = stats->profile.recordings.count;
  }
  assert_int_equal(out_diff_make(stats, ends, old, old + new, options, diff), 0);
  for (unsigned i = 0; i < old + new; i++)
    unlink(numbered(i));
  return stats;
}

static void make_sides(uint64_t *state, unsigned old, unsigned new, bool slow)
{
  for (unsigned i = 0; i < old + new; i++)
    make_run(state, slow && i >= old, numbered(i));
}

static const struct out_diff_options usual = {.metric = OUT_DIFF_TOTTIME, .level = 0.05};

/* The rows whose verdict is not "same", by name in the order of their change, joined by newlines. */
static char *changes(const struct out_diff *diff)
{
  struct out_diff_view view = {.key = OUT_DIFF_BY_CHANGE, .top = UINT64_MAX};
  struct out_names names = out_diff_names(diff);
  struct out_arguments scratch = {0};
  struct out_text text = {0};
  uint32_t *list, count;
  assert_int_equal(out_diff_order(diff, &view, &list, &count), 0);
  for (uint32_t i = 0; i < count; i++) {
    const struct out_diff_row *row = base_vector_at(&diff->rows, list[i]);
    out_text_printf(&text, "%s%s ", i ? "\n" : "", out_diff_verdict_name(row->change.verdict));
    out_row_name(&names, &row->key, &scratch, &text);
  }
  free(list);
  out_arguments_free(&scratch);
  if (!text.data)
    out_text_puts(&text, "");
  return text.data;
}

/* A function that is slower for n >= 4096 only is found with those signatures, and nothing else is. */
static void slower(void **state)
{
  (void)state;
  uint64_t dice = 1;
  struct out_diff diff;
  make_sides(&dice, 10, 10, true);
  struct callsig_stats *stats = compare(10, 10, &usual, &diff);
  char *found = changes(&diff);
  assert_string_equal(found, "slower scan.c:12(scan(n=16384))\nslower scan.c:12(scan(n=4096))");
  free(found);
  assert_int_equal(diff.rows.count, FUNCTIONS + 5);
  assert_int_equal(diff.total.verdict, OUT_DIFF_SLOWER);
  out_diff_free(&diff);
  callsig_stats_free(stats);
}

/* Two sides of one program: in at least 95 of 100 tries, nothing has changed significantly. */
static void same_program(void **state)
{
  (void)state;
  uint64_t dice = 2;
  unsigned wrong = 0;
  for (unsigned try = 0; try < 100; try++) {
    struct out_diff diff;
    make_sides(&dice, SIDE, SIDE, false);
    struct callsig_stats *stats = compare(SIDE, SIDE, &usual, &diff);
    char *found = changes(&diff);
    wrong += *found != '\0';
    free(found);
    out_diff_free(&diff);
    callsig_stats_free(stats);
  }
  if (wrong > 5)
    fail_msg("%u of 100", wrong);
}

/* One recording a side: changes are shown, none is judged. */
static void unjudged(void **state)
{
  (void)state;
  uint64_t dice = 3;
  struct out_diff diff;
  make_sides(&dice, 1, 1, true);
  struct out_diff_options options = usual;
  options.min_time = 30e-6;
  struct callsig_stats *stats = compare(1, 1, &options, &diff);
  assert_false(diff.judged);
  assert_true(diff.left_out > 0);
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  struct out_diff_view view = {.key = OUT_DIFF_BY_NAME, .top = 2};
  assert_int_equal(out_diff_print_table(&diff, &view, out), 0);
  fclose(out);
  assert_non_null(strstr(text, "Not judged: one recording a side"));
  assert_non_null(strstr(text, "rows left out: less than --min-time on both sides"));
  free(text);
  FILE *full = fopen("/dev/full", "w");
  assert_int_equal(out_diff_print_table(&diff, &view, full), -EIO);
  assert_int_equal(out_diff_print_csv(&diff, &view, full), -EIO);
  assert_int_equal(out_diff_print_json(&diff, &view, full), -EIO);
  fclose(full);
  out_diff_free(&diff);
  callsig_stats_free(stats);
}

struct place {
  const char *file;
  uint32_t line;
  const char *name;
};

/* A recording of one call, of 10 ms, of each of these functions. */
static void make_build(const struct place *places, size_t count, const char *path)
{
  struct sample sample;
  sample_begin(&sample);
  for (size_t i = 0; i < count; i++)
    index_writer_function(sample.index, places[i].file, places[i].line, places[i].name, 0);
  sample_calls(&sample);
  for (size_t i = 0; i < count; i++)
    sample_call(&sample, (uint32_t)i, NULL, 0, i * 10, i * 10 + 10);
  sample_end(&sample, count * 10, path);
}

static void builds(void **state)
{
  (void)state;
  static const struct place old[] = {
      {"/a/one.c", 1, "f"},     {"/a/one.c", 5, "moved_line"}, {"/a/two.c", 1, "moved_file"},
      {"/a/one.c", 9, "clone"}, {"/a/one.c", 20, "helper"},    {"/a/two.c", 20, "helper"},
      {"/a/one.c", 30, "over"}, {"/a/one.c", 31, "over"},      {"/a/one.c", 40, "gone"},
      {"/a/one.c", 50, "lost"}, {"/a/two.c", 50, "lost"},      {"/a/one.c", 60, "same"},
  };
  static const struct place new[] = {
      {"/b/one.c", 1, "f"},
      {"/b/one.c", 6, "moved_line"},
      {"/b/three.c", 1, "moved_file"},
      {"/b/one.c", 9, "clone.constprop.0"},
      {"/b/one.c", 9, "clone.isra.0"},
      {"/b/one.c", 21, "helper"},
      {"/b/two.c", 25, "helper"},
      {"/b/one.c", 32, "over"},
      {"/b/one.c", 33, "over"},
      {"/b/one.c", 40, "fresh"},
      {"/b/x.c", 50, "lost"},
      {"/b/y.c", 50, "lost"},
      {"/a/one.c", 60, "same"},
  };
  make_build(old, sizeof old / sizeof old[0], numbered(0));
  make_build(new, sizeof new / sizeof new[0], numbered(1));
  struct out_diff diff;
  struct callsig_stats *stats = compare(1, 1, &usual, &diff);
  char *found = changes(&diff);
  assert_string_equal(found, "gone /a/one.c:40(gone())\n"
                             "gone /a/one.c:50(lost())\n"
                             "gone /a/two.c:50(lost())\n"
                             "slower /b/one.c:9(clone.constprop.0())\n"
                             "new /b/one.c:40(fresh())\n"
                             "new /b/x.c:50(lost())\n"
                             "new /b/y.c:50(lost())");
  free(found);
  out_diff_free(&diff);
  callsig_stats_free(stats);
}

static void refusals(void **state)
{
  (void)state;
  uint64_t dice = 4;
  struct out_diff diff;
  uint32_t ends[] = {1, 2};
  make_sides(&dice, 1, 1, false);
  struct callsig_stats *stats;
  assert_int_equal(callsig_stats_load(numbered(0), &stats), 0);
  assert_int_equal(callsig_stats_add(stats, numbered(1)), 0);
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_THREAD), 0);
  assert_int_equal(out_diff_make(stats, ends, 1, 2, &usual, &diff), -EINVAL);
  assert_non_null(strstr(last_message(), "two runs are compared by function"));
  unlink(numbered(0));
  unlink(numbered(1));
  callsig_stats_free(stats);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(student), cmocka_unit_test(welch),        cmocka_unit_test(plain_names),
      cmocka_unit_test(slower),  cmocka_unit_test(same_program), cmocka_unit_test(unjudged),
      cmocka_unit_test(builds),  cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
