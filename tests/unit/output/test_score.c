/* What hooks cost by a calibration that is known, which functions keep a budget, and what the filters of these say. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format/sled.h"
#include "output/score/report.h"
#include "tests/support/json_tree.h"
#include "tests/support/output_sample.h"

enum { MAIN, HOT, HEAVY, QUIET };

static char messages[8192];

static void collect(const char *line, void *data)
{
  (void)data;
  size_t used = strlen(messages);
  snprintf(messages + used, sizeof messages - used, "%s\n", line);
}

static int set_up(void **state)
{
  (void)state;
  messages[0] = '\0';
  callsig_stats_set_message(collect, NULL);
  return 0;
}

static void one(struct sample *sample, const char *file, uint32_t line, const char *name)
{
  index_writer_function(sample->index, file, line, name, 0);
  index_writer_arg(sample->index, FMT_ARG_VALUE, "n", sample->int_type);
}

static void enter(struct sample *sample, uint32_t function, uint64_t n, uint64_t now)
{
  recording_enter(sample->thread, sample->module, function, (const uint64_t[]){0, n}, 2, now);
}

static void calls(struct sample *sample, uint32_t function, uint64_t count, uint64_t values, uint64_t ticks,
                  uint64_t *now)
{
  for (uint64_t i = 0; i < count; i++) {
    enter(sample, function, i % values, *now);
    *now += ticks;
    recording_exit(sample->thread, *now);
  }
}

/* In 1000 ticks, main calls hot 100 times and quiet 50 times, whose 2 ticks each are those of their hooks, and heavy
 * twice. A call's hooks cost 2 ticks inside and 1 in the caller: 3 for main, 300, 150 and 6. So the program's own are
 * 400 of heavy and 1000 - 704 - 2 - 152 of main. */
static struct callsig_stats *finish(struct sample *sample, uint64_t inner, uint64_t outer)
{
  recording_writer_header(sample->recording)->hook_inner = inner * 1024;
  recording_writer_header(sample->recording)->hook_outer = outer * 1024;
  uint64_t now = 0;
  enter(sample, MAIN, 0, 0);
  calls(sample, HOT, 100, 1, 2, &now);
  calls(sample, HEAVY, 2, 2, 202, &now);
  calls(sample, QUIET, 50, 5, 2, &now);
  recording_exit(sample->thread, 1000);
  return sample_load(sample, 1000);
}

static struct callsig_stats *load(uint64_t inner, uint64_t outer, const char *hotter)
{
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "main");
  one(&sample, "a.c", 2, "hot");
  one(&sample, "a.c", 3, "heavy");
  one(&sample, "b.c", 4, "quiet");
  one(&sample, "b.c", 5, hotter);
  sample_calls(&sample);
  return finish(&sample, inner, outer);
}

static struct callsig_stats *known(void)
{
  return load(2, 1, "hotter");
}

/* What is printed, with this result; the caller frees it. */
static char *score(struct callsig_stats *stats, struct callsig_stats_score wanted, const char *restriction, int result)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  wanted.size = sizeof wanted;
  assert_int_equal(callsig_stats_score(stats, &wanted, out, &restriction, restriction ? 1 : 0), result);
  assert_int_equal(fclose(out), 0);
  return text;
}

/* What it refuses, with the error and this message. */
static void refused(struct callsig_stats *stats, struct callsig_stats_score wanted, const char *restriction, int error,
                    const char *message)
{
  messages[0] = '\0';
  char *text = score(stats, wanted, restriction, error);
  assert_string_equal(text, "");
  if (!strstr(messages, message))
    fail_msg("%s is not in %s", message, messages);
  free(text);
}

static yajl_val score_json(struct callsig_stats *stats, struct callsig_stats_score wanted)
{
  wanted.format = "json";
  char *text = score(stats, wanted, NULL, 0), error[256];
  yajl_val root = yajl_tree_parse(text, error, sizeof error);
  if (!root)
    fail_msg("%s in %s", error, text);
  free(text);
  return root;
}

static void expect(yajl_val node, const char *key, double value)
{
  double found = YAJL_GET_DOUBLE(get(node, key));
  if (!(fabs(found - value) < 1e-9))
    fail_msg("%s is %.12f, not %.12f", key, found, value);
}

/* The object of a function: the list is short. */
static yajl_val function_of(yajl_val root, const char *name)
{
  yajl_val functions = get(root, "functions");
  const size_t count = YAJL_IS_ARRAY(functions) ? functions->u.array.len : 0;
  for (size_t i = 0; i < count; i++) {
    yajl_val function = functions->u.array.values[i];
    if (strcmp(text_of(get(function, "function")), name) == 0)
      return function;
  }
  fail_msg("no function %s", name);
  return NULL;
}

static void expect_function(yajl_val root, const char *name, double hooks, double own, double rows, const char *kept)
{
  yajl_val function = function_of(root, name);
  expect(function, "hooks", hooks);
  expect(function, "hooks_share", hooks / .459);
  expect(function, "factor", hooks / .542);
  expect(function, "own", own);
  expect(function, "own_share", own / .542);
  assert_int_equal(YAJL_GET_INTEGER(get(function, "rows")), (long long)rows);
  assert_int_equal(YAJL_GET_INTEGER(get(function, "signatures")), (long long)rows);
  expect(function, "worth", hooks / .459 / (own / .542 + rows / 9));
  if (kept)
    assert_string_equal(text_of(get(function, "kept")), kept);
  else
    assert_true(YAJL_IS_NULL(get(function, "kept")));
}

static void costs(void **state)
{
  (void)state;
  struct callsig_stats *stats = known();
  yajl_val root = score_json(stats, (struct callsig_stats_score){0});
  assert_string_equal(text_of(get(root, "schema")), "callsig.score/1");
  assert_int_equal(YAJL_GET_INTEGER(get(root, "ncalls")), 153);
  assert_int_equal(YAJL_GET_INTEGER(get(root, "timed")), 153);
  expect(root, "hooks", .459);
  expect(root, "own", .542);
  expect(root, "lowered", 1);
  expect(root, "factor", 1.001 / .542);
  /* As the report says of the same times: hooks may have cost nothing, and up to eight times what was calibrated. */
  expect(root, "uncertainty", .542);
  expect(root, "factor_low", 1);
  assert_true(YAJL_IS_NULL(get(root, "factor_high")));
  assert_true(YAJL_IS_NULL(get(root, "budget")));
  expect_function(root, "hot", .300, 0, 1, NULL);
  expect_function(root, "quiet", .150, 0, 5, NULL);
  expect_function(root, "heavy", .006, .400, 2, "time");
  expect_function(root, "main", .003, .142, 1, NULL);
  /* The best bargain first. */
  yajl_val first = YAJL_GET_ARRAY(get(root, "functions"))->values[0];
  assert_string_equal(text_of(get(first, "function")), "hot");
  yajl_tree_free(root);
  callsig_stats_free(stats);
}

/* Calls that are counted in another grouping and with a filter cost the same. */
static void grouping_stays(void **state)
{
  (void)state;
  struct callsig_stats *stats = known();
  struct callsig_stats_filter filter = {.size = sizeof filter, .function = "quiet"};
  assert_int_equal(callsig_stats_filter(stats, &filter), 0);
  assert_int_equal(callsig_stats_row_count(stats), 5);
  yajl_val root = score_json(stats, (struct callsig_stats_score){0});
  expect(root, "hooks", .459);
  assert_int_equal(YAJL_GET_ARRAY(get(root, "functions"))->len, 1);
  expect(function_of(root, "quiet"), "hooks", .150);
  assert_int_equal(callsig_stats_row_count(stats), 5);
  yajl_tree_free(root);
  callsig_stats_free(stats);
}

static void expect_budget(struct callsig_stats *stats, double factor, const char *keep, bool hot, bool quiet,
                          double reached)
{
  yajl_val root = score_json(stats, (struct callsig_stats_score){.overhead = factor, .keep = keep});
  yajl_val budget = get(root, "budget");
  expect(budget, "factor", factor);
  expect(budget, "reached", reached);
  assert_int_equal(YAJL_GET_INTEGER(get(budget, "left_out")), hot + quiet);
  assert_int_equal(YAJL_IS_TRUE(get(function_of(root, "hot"), "left_out")), hot);
  assert_int_equal(YAJL_IS_TRUE(get(function_of(root, "quiet"), "left_out")), quiet);
  assert_false(YAJL_IS_TRUE(get(function_of(root, "heavy"), "left_out")));
  assert_false(YAJL_IS_TRUE(get(function_of(root, "main"), "left_out")));
  yajl_tree_free(root);
}

static void budgets(void **state)
{
  (void)state;
  struct callsig_stats *stats = known();
  expect_budget(stats, 1.9, NULL, false, false, 1.001 / .542);
  expect_budget(stats, 1.6, NULL, true, false, .701 / .542);
  expect_budget(stats, 1.25, NULL, true, true, .551 / .542);
  /* Not to be reached: what is told is what leaving out all that may be left out comes to. */
  expect_budget(stats, 1.01, NULL, false, false, .548 / .542);
  expect_budget(stats, 1.6, "function:h?t", false, true, .851 / .542);
  expect_budget(stats, 1.6, "a.c", false, true, .851 / .542);
  expect_budget(stats, 1.6, "\nfile:b.c", true, false, .701 / .542);
  char *table = score(stats, (struct callsig_stats_score){.overhead = 1.01}, NULL, 0);
  assert_non_null(strstr(table, "a factor of 1.01 cannot be reached: without every function that may be left out it is "
                                "still 1.01\n"));
  free(table);
  table = score(stats, (struct callsig_stats_score){.overhead = 1.6}, "hot", 0);
  assert_non_null(strstr(table, "the hooks took 459.000ms of 1.001s in recorded functions, in 153 calls; the program's "
                                "own are 542.000ms: it ran 1.85 times as long as without hooks\n"));
  assert_non_null(strstr(table, "may be off by 542.000ms, so that the factor is 1.00 to unbounded\n"));
  assert_non_null(strstr(table, "a factor of 1.6 is kept without 1 function, marked 'out': then it is 1.29"));
  assert_non_null(strstr(table,
                         "\n      100       100  300.000ms   65.4    0.554    0.000us    0.0        1        1    "
                         "5.882  out       a.c:2(hot)\n"));
  assert_null(strstr(table, "quiet"));
  free(table);
  callsig_stats_free(stats);
}

/* By the calibration the hooks of hot and quiet take 10 ticks inside, and there were 2. */
static void lowered(void **state)
{
  (void)state;
  struct callsig_stats *stats = load(10, 0, "hotter");
  yajl_val root = score_json(stats, (struct callsig_stats_score){0});
  /* Possible: 200 of hot, 100 of quiet, 20 of heavy, 10 of main, of 1530. */
  expect(root, "lowered", 330. / 1530);
  expect(root, "hooks", .330);
  expect(root, "own", .670);
  expect(function_of(root, "hot"), "hooks", 1.0 * 330 / 1530);
  yajl_tree_free(root);
  char *table = score(stats, (struct callsig_stats_score){0}, NULL, 0);
  assert_non_null(strstr(table, "all costs were lowered to 21.6 % of what it says\n"));
  free(table);
  callsig_stats_free(stats);
}

static void uncalibrated(void **state)
{
  (void)state;
  struct callsig_stats *stats = load(0, 0, "hotter");
  yajl_val root = score_json(stats, (struct callsig_stats_score){.overhead = 1.5});
  assert_true(YAJL_IS_NULL(get(root, "hooks")));
  assert_true(YAJL_IS_NULL(get(root, "factor")));
  assert_true(YAJL_IS_NULL(get(get(root, "budget"), "possible")));
  assert_true(YAJL_IS_NULL(get(function_of(root, "hot"), "hooks")));
  assert_int_equal(YAJL_GET_INTEGER(get(function_of(root, "hot"), "ncalls")), 100);
  yajl_tree_free(root);
  char *table = score(stats, (struct callsig_stats_score){0}, NULL, 0);
  assert_non_null(strstr(table, "what the hooks cost is unknown: "));
  assert_non_null(strstr(table, "as its clock was the program's own\n"));
  assert_non_null(strstr(table,
                         "\n      100       100          ?      ?        ?          ?      ?        1        1    "
                         "    ?            a.c:2(hot)\n"));
  free(table);
  refused(stats, (struct callsig_stats_score){.overhead = 1.5, .filter = "run"}, NULL, -ENODATA, "is unknown: ");
  callsig_stats_free(stats);
}

/* A call that is only counted costs 1 tick in its caller; of its 2 ticks the caller's time lacks what it did not take.
 */
static void sampled(void **state)
{
  (void)state;
  for (uint64_t price = 0; price <= 2; price += 2) {
    struct sample sample;
    sample_begin(&sample);
    one(&sample, "a.c", 1, "main");
    one(&sample, "a.c", 2, "hot");
    one(&sample, "a.c", 3, "heavy");
    one(&sample, "b.c", 4, "quiet");
    sample_calls(&sample);
    recording_writer_sample(sample.recording, 7, 3);
    recording_writer_header(sample.recording)->sample_price = price * 1024;
    struct callsig_stats *stats = finish(&sample, 2, 1);
    yajl_val root = score_json(stats, (struct callsig_stats_score){0}), hot = function_of(root, "hot");
    double untimed = 100 - YAJL_GET_DOUBLE(get(hot, "timed"));
    assert_true(untimed > 10 && untimed < 70);
    assert_int_equal(YAJL_GET_INTEGER(get(hot, "ncalls")), 100);
    if (price > 0) {
      expect(hot, "hooks", (300 - 2 * untimed) / 1000);
      expect(hot, "own", 0);
      expect(root, "hooks", (459 - 2 * untimed) / 1000);
      expect(function_of(root, "main"), "own", (142 + 2 * untimed) / 1000);
    } else {
      assert_true(YAJL_IS_NULL(get(hot, "hooks")));
      refused(stats, (struct callsig_stats_score){.overhead = 2, .filter = "run"}, NULL, -ENODATA,
              "has calls that were not timed, and what timing one costs was not measured");
    }
    yajl_tree_free(root);
    callsig_stats_free(stats);
  }
}

/* Of 9 samples 3 may be off, which are all of the 3 that the program itself has: the same number, but for how it is
 * rounded. */
static void few_samples(void **state)
{
  (void)state;
  for (double period = 0.0004; period < 0.0006; period += 0.0000013) {
    const struct out_score_costs costs = {
        .hooks = 6 * period, .own = 3 * period, .uncertainty = 2 * sqrt(9 * period * period / 4)};
    double low, high;
    out_score_range(&costs, &low, &high);
    assert_true(fabs(low - 1.5) < 1e-9);
    assert_true(isinf(high));
  }
}

static void expect_filter(struct callsig_stats *stats, const char *form, double factor, const char *text,
                          const char *told)
{
  messages[0] = '\0';
  char *found = score(stats, (struct callsig_stats_score){.overhead = factor, .filter = form}, NULL, 0);
  assert_string_equal(found, text);
  assert_string_equal(messages, told);
  free(found);
}

static void filters(void **state)
{
  (void)state;
  struct callsig_stats *stats = known();
  expect_filter(stats, "run", 1.25, "# callsig run --exclude-file, by callsig score\nfunction:hot\nfunction:quiet\n",
                "");
  expect_filter(stats, "clang", 1.25, "# clang -fxray-attr-list, by callsig score\n[never]\nfun:hot\nfun:quiet\n", "");
  expect_filter(stats, "gcc", 1.25, "-finstrument-functions-exclude-function-list=hot,quiet\n",
                "'hot' also leaves out b.c:5(hotter)\n");
  expect_filter(stats, "run", 1.9, "", "--overhead: the budget is kept as it is: nothing is left out\n");
  refused(stats, (struct callsig_stats_score){.overhead = 1.01, .filter = "run"}, NULL, -ERANGE,
          "cannot be reached: without every function that may be left out the run is still 1.01 times");
  callsig_stats_free(stats);
}

/* gcc would leave out a function that is kept: neither is written. */
static void part_of_kept(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "main");
  one(&sample, "a.c", 2, "get");
  one(&sample, "a.c", 3, "widget");
  one(&sample, "b.c", 4, "a::b<c, 'd'>");
  one(&sample, "b.c", 5, "two");
  one(&sample, "c.c", 5, "two");
  sample_calls(&sample);
  recording_writer_header(sample.recording)->hook_inner = 2 * 1024;
  recording_writer_header(sample.recording)->hook_outer = 1024;
  uint64_t now = 0;
  enter(&sample, 0, 0, 0);
  calls(&sample, 1, 100, 1, 2, &now);
  calls(&sample, 2, 2, 1, 502, &now);
  calls(&sample, 3, 200, 1, 2, &now);
  calls(&sample, 4, 300, 1, 2, &now);
  calls(&sample, 5, 1, 1, 102, &now);
  recording_exit(sample.thread, 5000);
  struct callsig_stats *stats = sample_load(&sample, 5000);
  yajl_val root = score_json(stats, (struct callsig_stats_score){0});
  /* Filters go by names, and of one of the two it is known that it matters. */
  yajl_val first = YAJL_GET_ARRAY(get(root, "functions"))->values[0];
  assert_string_equal(text_of(get(first, "file")), "b.c");
  assert_string_equal(text_of(get(first, "kept")), "namesake");
  yajl_tree_free(root);
  char *all = score(stats, (struct callsig_stats_score){.overhead = 1.3, .filter = "run"}, NULL, 0);
  assert_string_equal(all, "# callsig run --exclude-file, by callsig score\nfunction:get\nfunction:a::b<c, 'd'>\n");
  free(all);
  refused(stats, (struct callsig_stats_score){.overhead = 1.3, .filter = "gcc"}, NULL, -ERANGE, "cannot be reached");
  all = score(stats, (struct callsig_stats_score){.overhead = 1.4, .filter = "gcc"}, NULL, 0);
  assert_string_equal(all, "-finstrument-functions-exclude-function-list=a::b<c\\\\,\\ \\'d\\'>\n");
  free(all);
  callsig_stats_free(stats);
}

static struct callsig_stats *load_sized(uint32_t heavy, uint32_t quiet, uint8_t quiet_flags)
{
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "main");
  index_writer_sled(sample.index, 60, 0);
  one(&sample, "a.c", 2, "hot");
  index_writer_sled(sample.index, 7, 0);
  index_writer_sled(sample.index, 9, 0);
  one(&sample, "a.c", 3, "heavy");
  index_writer_sled(sample.index, heavy, 0);
  one(&sample, "b.c", 4, "quiet");
  index_writer_sled(sample.index, quiet, quiet_flags);
  sample_calls(&sample);
  return finish(&sample, 2, 1);
}

static void expect_size(struct callsig_stats *stats, double factor, const char *option)
{
  char *text = score(stats, (struct callsig_stats_score){.overhead = factor, .filter = "sled"}, NULL, 0);
  assert_string_equal(text, option);
  free(text);
}

/* A limit leaves out what is smaller and has no loop, by its largest copy. */
static void sizes(void **state)
{
  (void)state;
  struct callsig_stats *stats = load_sized(40, 12, 0);
  yajl_val root = score_json(stats, (struct callsig_stats_score){0});
  assert_int_equal(YAJL_GET_INTEGER(get(function_of(root, "hot"), "instructions")), 9);
  assert_int_equal(YAJL_GET_INTEGER(get(function_of(root, "quiet"), "instructions")), 12);
  assert_true(YAJL_IS_FALSE(get(function_of(root, "quiet"), "loop")));
  yajl_tree_free(root);
  expect_size(stats, 1.9, "--min-instructions 0\n");
  messages[0] = '\0';
  expect_size(stats, 1.6, "--min-instructions 10\n");
  assert_string_equal(messages, "--min-instructions 10 leaves out, of what was called, a.c:2(hot)\n");
  expect_size(stats, 1.25, "--min-instructions 13\n");
  refused(stats, (struct callsig_stats_score){.overhead = 1.01, .filter = "sled"}, NULL, -ERANGE,
          "with 13 the run is still 1.02 times as slow, and a larger one leaves out a.c:3(heavy), which is kept");
  refused(stats, (struct callsig_stats_score){.overhead = 1.6, .filter = "sled", .keep = "hot"}, NULL, -ERANGE,
          "with 0 the run is still 1.85 times as slow, and a larger one leaves out a.c:2(hot), which is kept");
  callsig_stats_free(stats);
  /* A function of the same size that matters is in the way. */
  stats = load_sized(9, 12, 0);
  refused(stats, (struct callsig_stats_score){.overhead = 1.6, .filter = "sled"}, NULL, -ERANGE, "a.c:3(heavy)");
  callsig_stats_free(stats);
  /* What has a loop stays whatever its size. */
  stats = load_sized(40, 12, FMT_SLED_LOOP);
  refused(stats, (struct callsig_stats_score){.overhead = 1.25, .filter = "sled"}, NULL, -ERANGE, "with 10 the run");
  callsig_stats_free(stats);
  /* What is unknown is not smaller than anything. */
  stats = load_sized(40, 0, 0);
  root = score_json(stats, (struct callsig_stats_score){0});
  assert_true(YAJL_IS_NULL(get(function_of(root, "quiet"), "instructions")));
  assert_true(YAJL_IS_NULL(get(function_of(root, "quiet"), "loop")));
  yajl_tree_free(root);
  expect_size(stats, 1.6, "--min-instructions 10\n");
  refused(stats, (struct callsig_stats_score){.overhead = 1.25, .filter = "sled"}, NULL, -ERANGE, "with 10 the run");
  callsig_stats_free(stats);
  stats = known();
  refused(stats, (struct callsig_stats_score){.overhead = 1.6, .filter = "sled"}, NULL, -ENODATA,
          "the instructions of no function without a loop are known");
  callsig_stats_free(stats);
}

static void refusals(void **state)
{
  (void)state;
  struct callsig_stats *stats = known();
  refused(stats, (struct callsig_stats_score){.format = "xml"}, NULL, -EINVAL,
          "--format: 'xml' is none of table, json");
  refused(stats, (struct callsig_stats_score){.overhead = .9}, NULL, -EINVAL, "--overhead: 0.9 is not a factor");
  refused(stats, (struct callsig_stats_score){.overhead = NAN}, NULL, -EINVAL, "is not a factor");
  refused(stats, (struct callsig_stats_score){.matters = 1.5}, NULL, -EINVAL, "--matters: 1.5 is not a part");
  refused(stats, (struct callsig_stats_score){.filter = "run"}, NULL, -EINVAL, "give --overhead FACTOR");
  refused(stats, (struct callsig_stats_score){.overhead = 2, .filter = "x"}, NULL, -EINVAL, "'x' is none of run, gcc");
  refused(stats, (struct callsig_stats_score){.overhead = 2, .filter = "run", .format = "csv"}, NULL, -EINVAL,
          "leave out --format");
  refused(stats, (struct callsig_stats_score){.overhead = 2, .filter = "run"}, "hot", -EINVAL, "the restrictions");
  refused(stats, (struct callsig_stats_score){.keep = "hot\nmissing"}, NULL, -EINVAL, "--keep 'missing' matches no");
  refused(stats, (struct callsig_stats_score){0}, "7.5", -EINVAL, "a fraction must lie in [0, 1]");
  callsig_stats_free(stats);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs),       cmocka_unit_test(grouping_stays), cmocka_unit_test(budgets),
      cmocka_unit_test(lowered),     cmocka_unit_test(uncalibrated),   cmocka_unit_test(sampled),
      cmocka_unit_test(few_samples), cmocka_unit_test(filters),        cmocka_unit_test(part_of_kept),
      cmocka_unit_test(sizes),       cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
