/*
 * Two sides of recordings compared as a program does, by callsig/diff.h alone: what is found, what is noise, which
 * functions meet, how rows come, and what is refused.
 */
#include "callsig/diff.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/output_sample.h"

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

/* Adds `old` runs and `new` ones, and removes their files; the caller frees it. */
static struct callsig_diff *load_sides(unsigned old, unsigned new)
{
  struct callsig_diff *diff;
  assert_int_equal(callsig_diff_new(&diff), 0);
  for (unsigned i = 0; i < old + new; i++) {
    assert_int_equal(callsig_diff_add(diff, i < old ? CALLSIG_DIFF_OLD : CALLSIG_DIFF_NEW, numbered(i)), 0);
    unlink(numbered(i));
  }
  return diff;
}

static void make_sides(uint64_t *state, unsigned old, unsigned new, bool slow)
{
  for (unsigned i = 0; i < old + new; i++)
    make_run(state, slow && i >= old, numbered(i));
}

/* The rows of the view, each with its verdict, joined by newlines; the caller frees it. */
static char *changes(struct callsig_diff *diff)
{
  struct callsig_diff_row row = {.size = sizeof row};
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  for (size_t i = 0; i < callsig_diff_row_count(diff); i++) {
    assert_int_equal(callsig_diff_row(diff, i, &row), 0);
    fprintf(out, "%s%s %s", i ? "\n" : "", callsig_diff_verdict_name(row.verdict), row.name);
  }
  fclose(out);
  return text;
}

typedef int diff_print_fn(const struct callsig_diff *diff, FILE *out);

/* What `print` prints; the caller frees it. */
static char *print_text(struct callsig_diff *diff, diff_print_fn *print)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_int_equal(print(diff, out), 0);
  fclose(out);
  return text;
}

/* A function that is slower for n >= 4096 only is found with those signatures, and nothing else is. */
static void slower(void **state)
{
  (void)state;
  uint64_t dice = 1;
  make_sides(&dice, 10, 10, true);
  struct callsig_diff *diff = load_sides(10, 10);
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  char *found = changes(diff);
  assert_string_equal(found, "slower scan.c:12(scan(n=16384))\nslower scan.c:12(scan(n=4096))");
  free(found);

  struct callsig_diff_total total = {.size = sizeof total};
  assert_int_equal(callsig_diff_total(diff, &total), 0);
  assert_int_equal(total.compared, FUNCTIONS + 5);
  assert_int_equal(total.verdict, CALLSIG_DIFF_SLOWER);
  assert_int_equal(total.old_recordings, 10);
  assert_int_equal(total.new_recordings, 10);
  assert_int_equal(total.left_out, 0);
  assert_true(total.judged);
  assert_true(total.old_ncalls == FUNCTIONS + 5 && total.new_ncalls == FUNCTIONS + 5);
  assert_true(total.change == total.new_tottime - total.old_tottime);
  assert_true(total.low < total.change && total.change < total.high && total.low > 0 && total.p < 0.05);

  struct callsig_diff_row row = {.size = sizeof row};
  assert_int_equal(callsig_diff_row(diff, 0, &row), 0);
  assert_string_equal(row.file, "scan.c");
  assert_int_equal(row.line, 12);
  assert_string_equal(row.function, "scan");
  assert_string_equal(row.signature, "scan(n=16384)");
  assert_null(row.stage);
  assert_null(row.module);
  assert_true(row.old_ncalls == 1 && row.new_ncalls == 1);
  assert_true(row.change == row.new_tottime - row.old_tottime);
  assert_true(fabs(row.relative - row.change / row.old_tottime) < 1e-12);
  assert_true(row.low < row.change && row.change < row.high && row.p <= row.adjusted && row.adjusted < 0.05);
  callsig_diff_free(diff);
}

/* Two sides of one program: in at least 95 of 100 tries, nothing has changed significantly. */
static void same_program(void **state)
{
  (void)state;
  uint64_t dice = 2;
  unsigned wrong = 0;
  for (unsigned try = 0; try < 100; try++) {
    make_sides(&dice, SIDE, SIDE, false);
    struct callsig_diff *diff = load_sides(SIDE, SIDE);
    assert_int_equal(callsig_diff_compare(diff, NULL), 0);
    wrong += callsig_diff_row_count(diff) > 0;
    callsig_diff_free(diff);
  }
  if (wrong > 5)
    fail_msg("%u of 100", wrong);
}

/* Another number of calls, the same in all runs of its side, is a change however much times vary, and so is a function
 * that is new; a number that varies between the runs of a side is none. */
static void recounted(void **state)
{
  (void)state;
  static const unsigned counts[] = {3, 3, 5, 5}, varying[] = {2, 9, 3, 8};
  uint64_t dice = 3;
  for (unsigned run = 0; run < 4; run++) {
    struct sample sample;
    sample_begin(&sample);
    for (unsigned i = 0; i < 3; i++)
      index_writer_function(sample.index, "count.c", i + 1, (const char *[]){"twice", "varies", "added"}[i], 0);
    sample_calls(&sample);
    recording_writer_header(sample.recording)->injected_hz = 1000000000;
    uint64_t now = 0;
    for (unsigned i = 0; i < 3; i++)
      for (unsigned call = 0; call < (i == 0 ? counts[run] : i == 1 ? varying[run] : run / 2); call++) {
        const uint64_t end = now + (uint64_t)(1000 * exp(2 * noise(&dice)));
        sample_call(&sample, i, (const uint64_t[]){0}, 0, now, end);
        now = end;
      }
    sample_end(&sample, now, numbered(run));
  }
  struct callsig_diff *diff = load_sides(2, 2);
  const struct callsig_diff_view view = {.size = sizeof view, .sort = CALLSIG_DIFF_BY_NAME};
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  assert_int_equal(callsig_diff_arrange(diff, &view), 0);
  char *found = changes(diff);
  assert_string_equal(found, "changed count.c:1(twice())\nnew count.c:3(added())");
  free(found);
  callsig_diff_free(diff);
}

/* One recording a side: changes are shown, none is judged. */
static void unjudged(void **state)
{
  (void)state;
  uint64_t dice = 3;
  struct callsig_diff_total total = {.size = sizeof total};
  struct callsig_diff_row row = {.size = sizeof row};
  make_sides(&dice, 1, 1, true);
  struct callsig_diff *diff = load_sides(1, 1);
  assert_int_equal(
      callsig_diff_compare(
          diff, &(struct callsig_diff_options){.size = sizeof(struct callsig_diff_options), .min_time = 30e-6}),
      0);
  assert_int_equal(callsig_diff_total(diff, &total), 0);
  assert_false(total.judged);
  assert_true(isnan(total.low) && isnan(total.high) && isnan(total.p));
  assert_true(total.left_out > 0);
  assert_int_equal(callsig_diff_row(diff, 0, &row), 0);
  assert_true(isnan(row.low) && isnan(row.high) && isnan(row.p) && isnan(row.adjusted));
  char *text = print_text(diff, callsig_diff_print);
  assert_non_null(strstr(text, "Not judged: one recording a side"));
  assert_non_null(strstr(text, "rows left out: less than --min-time on both sides"));
  free(text);
  callsig_diff_free(diff);
}

/* What cannot be written is an error of every format, with a message. */
static void full_output(void **state)
{
  (void)state;
  uint64_t dice = 5;
  diff_print_fn *const prints[] = {callsig_diff_print, callsig_diff_print_json, callsig_diff_print_csv};
  make_sides(&dice, 1, 1, true);
  struct callsig_diff *diff = load_sides(1, 1);
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  FILE *full = fopen("/dev/full", "w");
  for (size_t i = 0; i < sizeof prints / sizeof prints[0]; i++) {
    message_reset();
    assert_int_equal(prints[i](diff, full), -EIO);
    assert_string_equal(last_message(), "cannot write the comparison: the output is full or closed");
  }
  fclose(full);
  callsig_diff_free(diff);
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
  struct callsig_diff *diff = load_sides(1, 1);
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  char *found = changes(diff);
  assert_string_equal(found, "gone /a/one.c:40(gone())\n"
                             "gone /a/one.c:50(lost())\n"
                             "gone /a/two.c:50(lost())\n"
                             "unjudged /b/one.c:9(clone.constprop.0())\n"
                             "new /b/one.c:40(fresh())\n"
                             "new /b/x.c:50(lost())\n"
                             "new /b/y.c:50(lost())");
  free(found);
  struct callsig_diff_row row = {.size = sizeof row};
  assert_int_equal(callsig_diff_row(diff, 4, &row), 0);
  assert_true(isinf(row.relative) && row.old_ncalls == 0 && row.change == row.new_tottime);
  callsig_diff_free(diff);
}

/* Every order, the limit, and all rows; the order outlives another comparison. */
static void views(void **state)
{
  (void)state;
  static const struct place old[] = {{"a.c", 3, "c"}, {"a.c", 1, "a"}};
  static const struct place new[] = {{"a.c", 3, "c"}, {"a.c", 1, "a"}, {"a.c", 2, "b"}};
  static const char *const expected[] = {
      [CALLSIG_DIFF_BY_CHANGE] = "new a.c:2(b())\nsame a.c:1(a())\nsame a.c:3(c())",
      [CALLSIG_DIFF_BY_RELATIVE] = "new a.c:2(b())\nsame a.c:1(a())\nsame a.c:3(c())",
      [CALLSIG_DIFF_BY_OLD] = "same a.c:1(a())\nsame a.c:3(c())\nnew a.c:2(b())",
      [CALLSIG_DIFF_BY_NEW] = "same a.c:1(a())\nnew a.c:2(b())\nsame a.c:3(c())",
      [CALLSIG_DIFF_BY_NCALLS] = "same a.c:1(a())\nsame a.c:3(c())\nnew a.c:2(b())",
      [CALLSIG_DIFF_BY_NAME] = "same a.c:1(a())\nnew a.c:2(b())\nsame a.c:3(c())",
  };
  make_build(old, 2, numbered(0));
  make_build(new, 3, numbered(1));
  struct callsig_diff *diff = load_sides(1, 1);
  struct callsig_diff_view view = {.size = sizeof view, .all = 1};
  for (unsigned sort = 0; sort < sizeof expected / sizeof expected[0]; sort++) {
    view.sort = sort;
    if (!expected[sort])
      continue;
    assert_int_equal(callsig_diff_arrange(diff, &view), 0);
    assert_int_equal(callsig_diff_compare(diff, NULL), 0);
    char *found = changes(diff);
    if (strcmp(found, expected[sort]) != 0)
      fail_msg("order %u:\n%s", sort, found);
    free(found);
  }
  view.sort = CALLSIG_DIFF_UNSORTED;
  assert_int_equal(callsig_diff_arrange(diff, &view), 0);
  assert_int_equal(callsig_diff_row_count(diff), 3);
  view.has_limit = 1;
  view.limit = 2;
  assert_int_equal(callsig_diff_arrange(diff, &view), 0);
  assert_int_equal(callsig_diff_row_count(diff), 2);
  view.limit = 0;
  assert_int_equal(callsig_diff_arrange(diff, &view), 0);
  assert_int_equal(callsig_diff_row_count(diff), 0);
  assert_int_equal(callsig_diff_arrange(diff, NULL), 0);
  assert_int_equal(callsig_diff_row_count(diff), 1);
  callsig_diff_free(diff);
}

/* Sides may be added in any order, and in turns; what is printed is the same. */
static void nothing_selected(void **state)
{
  (void)state;
  uint64_t dice = 11;
  make_sides(&dice, 1, 1, true);
  struct callsig_diff *diff = load_sides(1, 1);
  const struct callsig_stats_filter none = {.size = sizeof none, .function = "no such function"};
  assert_int_equal(
      callsig_diff_compare(
          diff, &(struct callsig_diff_options){.size = sizeof(struct callsig_diff_options), .filter = &none}),
      0);
  struct callsig_diff_total total = {.size = sizeof total};
  assert_int_equal(callsig_diff_total(diff, &total), 0);
  assert_int_equal(total.verdict, CALLSIG_DIFF_SAME);
  assert_int_equal(callsig_diff_row_count(diff), 0);
  callsig_diff_free(diff);
}

static void order_of_sides(void **state)
{
  (void)state;
  uint64_t dice = 6;
  const enum callsig_diff_side in_turns[] = {CALLSIG_DIFF_NEW, CALLSIG_DIFF_OLD, CALLSIG_DIFF_OLD, CALLSIG_DIFF_NEW};
  const unsigned numbers[] = {2, 0, 1, 3};
  struct callsig_diff *mixed;
  make_sides(&dice, 2, 2, true);
  assert_int_equal(callsig_diff_new(&mixed), 0);
  for (unsigned i = 0; i < 4; i++)
    assert_int_equal(callsig_diff_add(mixed, in_turns[i], numbered(numbers[i])), 0);
  struct callsig_diff *diff = load_sides(2, 2);
  const struct callsig_diff_view all = {.size = sizeof all, .all = 1};
  assert_int_equal(callsig_diff_arrange(diff, &all), 0);
  assert_int_equal(callsig_diff_arrange(mixed, &all), 0);
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  assert_int_equal(callsig_diff_compare(mixed, NULL), 0);
  char *one = print_text(diff, callsig_diff_print_csv), *other = print_text(mixed, callsig_diff_print_csv);
  assert_string_equal(one, other);
  assert_true(strlen(one) > 1000);
  free(one);
  free(other);
  callsig_diff_free(diff);
  callsig_diff_free(mixed);
}

/* Compares with `options`, which are refused with a message that has `words`. */
static void refuse(struct callsig_diff *diff, struct callsig_diff_options options, const char *words)
{
  options.size = sizeof options;
  message_reset();
  assert_int_equal(callsig_diff_compare(diff, &options), -EINVAL);
  if (!strstr(last_message(), words))
    fail_msg("'%s' is not in '%s'", words, last_message());
  assert_int_equal(callsig_diff_row_count(diff), 0);
}

static void refusals(void **state)
{
  (void)state;
  uint64_t dice = 4;
  struct callsig_diff *diff;
  struct callsig_diff_row row = {.size = sizeof row};
  struct callsig_diff_total total = {.size = sizeof total};
  assert_int_equal(callsig_diff_new(&diff), 0);
  assert_int_equal(callsig_diff_add(diff, CALLSIG_DIFF_OLD, scratch_path("absent")), -ENOENT);
  make_sides(&dice, 1, 1, false);
  assert_int_equal(callsig_diff_add(diff, (enum callsig_diff_side)2, numbered(0)), -EINVAL);
  assert_int_equal(callsig_diff_add(diff, CALLSIG_DIFF_NEW, numbered(0)), 0);
  assert_int_equal(callsig_diff_compare(diff, NULL), -EINVAL);
  assert_string_equal(last_message(), "nothing to compare: either side needs a recording");
  callsig_diff_free(diff);

  diff = load_sides(1, 1);
  assert_int_equal(callsig_diff_row_count(diff), 0);
  assert_int_equal(callsig_diff_row(diff, 0, &row), -EINVAL);
  assert_int_equal(callsig_diff_total(diff, &total), -EINVAL);
  assert_int_equal(callsig_diff_print_json(diff, stdout), -EINVAL);
  assert_string_equal(last_message(), "nothing was compared yet");
  refuse(diff, (struct callsig_diff_options){.by = CALLSIG_BY_FUNCTION | CALLSIG_BY_THREAD},
         "two runs are compared by function");
  refuse(diff, (struct callsig_diff_options){.by = 1u << 20}, "rows are by function");
  refuse(diff, (struct callsig_diff_options){.metric = 3}, "not metric 3");
  refuse(diff, (struct callsig_diff_options){.level = 1}, "between 0 and 1");
  refuse(diff, (struct callsig_diff_options){.level = (double)NAN}, "between 0 and 1");
  refuse(diff, (struct callsig_diff_options){.min_time = -1}, "at least 0");
  const struct callsig_stats_filter bad = {.size = sizeof bad, .signature = "n >="};
  refuse(diff, (struct callsig_diff_options){.filter = &bad}, "n >=");
  const struct callsig_diff_view unknown = {.size = sizeof unknown, .sort = CALLSIG_DIFF_UNSORTED + 1};
  assert_int_equal(callsig_diff_arrange(diff, &unknown), -EINVAL);
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  assert_int_equal(callsig_diff_row(diff, callsig_diff_row_count(diff), &row), -EINVAL);
  assert_null(callsig_diff_verdict_name(CALLSIG_DIFF_UNJUDGED + 1));
  callsig_diff_free(diff);
  callsig_diff_free(NULL);
}

/* Structures of older and of newer headers. */
static void sizes(void **state)
{
  (void)state;
  uint64_t dice = 7;
  make_sides(&dice, 1, 1, true);
  struct callsig_diff *diff = load_sides(1, 1);
  struct {
    struct callsig_diff_options known;
    double more;
  } newer = {.known = {.size = sizeof newer}};
  assert_int_equal(callsig_diff_compare(diff, &newer.known), 0);
  newer.more = 1;
  assert_int_equal(callsig_diff_compare(diff, &newer.known), -EINVAL);
  assert_non_null(strstr(last_message(), "struct callsig_diff_options: byte "));
  assert_int_equal(callsig_diff_compare(diff, &(struct callsig_diff_options){.metric = 1}), -EINVAL);
  assert_non_null(strstr(last_message(), "its size is not set"));
  /* What is behind the size that was said is not looked at, nor written. */
  struct callsig_diff_options older = {.size = offsetof(struct callsig_diff_options, by), .by = CALLSIG_BY_THREAD};
  assert_int_equal(callsig_diff_compare(diff, &older), 0);
  struct callsig_diff_row short_row = {.size = offsetof(struct callsig_diff_row, file), .file = "untouched"};
  assert_int_equal(callsig_diff_row(diff, 0, &short_row), 0);
  assert_string_equal(short_row.name, "scan.c:12(scan(n=16384))");
  assert_string_equal(short_row.file, "untouched");
  struct {
    struct callsig_diff_row known;
    double more;
  } long_row = {.known = {.size = sizeof long_row}};
  assert_int_equal(callsig_diff_row(diff, 0, &long_row.known), 0);
  assert_int_equal(long_row.known.size, sizeof long_row);
  assert_true(long_row.more == 0);
  assert_string_equal(long_row.known.file, "scan.c");
  callsig_diff_free(diff);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slower),         cmocka_unit_test(same_program),
      cmocka_unit_test(recounted),      cmocka_unit_test(unjudged),
      cmocka_unit_test(builds),         cmocka_unit_test(views),
      cmocka_unit_test(order_of_sides), cmocka_unit_test(nothing_selected),
      cmocka_unit_test(refusals),       cmocka_unit_test(full_output),
      cmocka_unit_test(sizes),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
