/* callsig top: rates, shares, order, filter and callers of two readings, and the lines that are made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/top/view.h"

static void take(struct cli_top_model *model, double at, double fast_calls, double slow_own)
{
  struct cli_top_reading reading;
  cli_top_reading_init(&reading, at);
  assert_true(cli_top_reading_add(&reading, "a.c:2(slow())", "a.c:9(main())", 10, slow_own));
  assert_true(cli_top_reading_add(&reading, "a.c:1(fast(n=1))", "a.c:9(main())", fast_calls, 1));
  assert_true(cli_top_reading_add(&reading, "a.c:1(fast(n=1))", "a.c:2(slow())", 50, 0.5));
  assert_true(cli_top_reading_add(&reading, "a.c:9(main())", "", 1, 0.5));
  cli_top_model_take(model, &reading);
  assert_true(cli_top_model_arrange(model));
}

static const struct cli_top_row *row(const struct cli_top_model *model, uint32_t number)
{
  assert_in_range(number, 0, model->rows.count - 1);
  return base_vector_at(&model->rows, number);
}

static void near(double value, double expected)
{
  assert_true(value > expected - 1e-9 && value < expected + 1e-9);
}

/* The first reading has totals and no rates: nobody knows what was before it. */
static void first_reading(void **state)
{
  (void)state;
  struct cli_top_model model;
  cli_top_model_init(&model);
  take(&model, 100, 200, 3);
  assert_int_equal(model.rows.count, 3);
  near(model.call_rate, 0);
  near(model.own, 5);
  assert_string_equal(row(&model, 0)->name, "a.c:2(slow())");
  near(row(&model, 0)->share_all, 0.6);
  near(row(&model, 0)->share_now, 0);
  assert_string_equal(row(&model, 1)->name, "a.c:1(fast(n=1))");
  near(row(&model, 1)->calls, 250);
  cli_top_model_free(&model);
}

static void rates(void **state)
{
  (void)state;
  struct cli_top_model model;
  cli_top_model_init(&model);
  take(&model, 100, 200, 3);
  take(&model, 102, 1200, 4);
  near(model.call_rate, 500);
  near(model.own_rate, 0.5);
  near(row(&model, 0)->own_rate, 0.5);
  near(row(&model, 0)->share_now, 1);
  near(row(&model, 0)->share_all, 4.0 / 6);
  model.key = CLI_TOP_CALLS;
  assert_true(cli_top_model_arrange(&model));
  assert_string_equal(row(&model, 0)->name, "a.c:1(fast(n=1))");
  near(row(&model, 0)->call_rate, 500);
  model.reversed = true;
  assert_true(cli_top_model_arrange(&model));
  assert_string_equal(row(&model, 2)->name, "a.c:1(fast(n=1))");
  model.key = CLI_TOP_NAME;
  model.reversed = false;
  assert_true(cli_top_model_arrange(&model));
  assert_string_equal(row(&model, 0)->name, "a.c:1(fast(n=1))");
  assert_string_equal(row(&model, 2)->name, "a.c:9(main())");
  cli_top_model_free(&model);
}

/* What went into a wider row meanwhile has no rate below 0, and a row that is new counts from 0. */
static void rows_that_come_and_go(void **state)
{
  (void)state;
  struct cli_top_model model;
  struct cli_top_reading reading;
  cli_top_model_init(&model);
  take(&model, 100, 200, 3);
  cli_top_reading_init(&reading, 101);
  assert_true(cli_top_reading_add(&reading, "a.c:2(slow())", "a.c:9(main())", 4, 1));
  assert_true(cli_top_reading_add(&reading, "a.c:3(new())", "", 7, 0.25));
  cli_top_model_take(&model, &reading);
  assert_true(cli_top_model_arrange(&model));
  assert_int_equal(model.rows.count, 2);
  assert_string_equal(row(&model, 0)->name, "a.c:3(new())");
  near(row(&model, 0)->call_rate, 7);
  near(row(&model, 1)->call_rate, 0);
  near(row(&model, 1)->own_rate, 0);
  cli_top_model_free(&model);
}

/* Shares are of all rows, filtered or not; callers stand below their row and add up to it. */
static void filter_and_callers(void **state)
{
  (void)state;
  struct cli_top_model model;
  cli_top_model_init(&model);
  take(&model, 100, 200, 3);
  take(&model, 101, 300, 3);
  model.filter = strdup("FAST");
  model.expanded = strdup("a.c:1(fast(n=1))");
  assert_true(cli_top_model_arrange(&model));
  assert_int_equal(model.rows.count, 3);
  assert_int_equal(model.names, 3);
  near(row(&model, 0)->share_all, 1.5 / 5);
  near(row(&model, 0)->call_rate, 100);
  assert_true(row(&model, 1)->is_caller && row(&model, 2)->is_caller);
  assert_string_equal(row(&model, 1)->name, "a.c:9(main())");
  near(row(&model, 1)->call_rate, 100);
  near(row(&model, 1)->calls + row(&model, 2)->calls, row(&model, 0)->calls);
  near(row(&model, 1)->own + row(&model, 2)->own, row(&model, 0)->own);
  cli_top_model_free(&model);
}

static void keys_have_names(void **state)
{
  (void)state;
  enum cli_top_key key;
  for (int i = 0; i < CLI_TOP_KEYS; i++) {
    assert_true(cli_top_key_find(cli_top_key_name((enum cli_top_key)i), &key));
    assert_int_equal(key, i);
  }
  assert_false(cli_top_key_find("cumtime", &key));
}

static const struct cli_top_line *line(const struct base_vector *lines, uint32_t number)
{
  assert_in_range(number, 0, lines->count - 1);
  return base_vector_at(lines, number);
}

/* A screen has as many lines as it has, none longer than it is wide, the keys in the last, whatever its size. */
static void screens(void **state)
{
  (void)state;
  const char *const notes[] = {"pipeline 0: bound by decode", "queue 0:0:read: 3 of 8 items"};
  struct cli_top_state shown = {.program = "prog\033[2J",
                                .group = "signature",
                                .pid = 7,
                                .running = 2.5,
                                .notes = notes,
                                .note_count = 2,
                                .selected = 1};
  struct cli_top_model model;
  cli_top_model_init(&model);
  take(&model, 100, 200, 3);
  for (unsigned height = 1; height < 30; height++) {
    for (unsigned width = 4; width < 200; width += 13) {
      struct base_vector lines = BASE_VECTOR_OF(struct cli_top_line);
      assert_true(cli_top_view(&model, &shown, width, height, &lines));
      assert_int_equal(lines.count, height);
      for (uint32_t i = 0; i < lines.count; i++)
        assert_true(strlen(line(&lines, i)->text) <= width && !strchr(line(&lines, i)->text, '\033'));
      if (width > 50)
        assert_memory_equal(line(&lines, height - 1)->text, "q quit", 6);
      cli_top_lines_free(&lines);
    }
  }
  cli_top_model_free(&model);
}

static void what_a_screen_says(void **state)
{
  (void)state;
  const char *const notes[] = {"queue 0:0:read: 3 of 8 items"};
  struct cli_top_state shown = {.program = "prog",
                                .group = "signature",
                                .pid = 7,
                                .running = 2.5,
                                .ended = true,
                                .notes = notes,
                                .note_count = 1,
                                .selected = 1,
                                .message = "written: x"};
  struct cli_top_model model;
  struct base_vector lines = BASE_VECTOR_OF(struct cli_top_line);
  cli_top_model_init(&model);
  take(&model, 100, 200, 3);
  take(&model, 102, 1200, 4);
  assert_true(cli_top_view(&model, &shown, 120, 10, &lines));
  assert_string_equal(line(&lines, 0)->text,
                      "callsig top: prog (7), ended after 2.5 s: its last state; by signature, sorted by self");
  assert_string_equal(
      line(&lines, 1)->text,
      "500 calls/s, 0.500 s of self time a second, waiting included; 1261 calls, 6.000 s in all; 3 rows");
  assert_string_equal(line(&lines, 2)->text, notes[0]);
  assert_string_equal(line(&lines, 4)->text,
                      "        0.0    0.5000  100.0   66.7           10      4.000  a.c:2(slow())");
  assert_int_equal(line(&lines, 4)->look, CLI_TOP_PLAIN);
  assert_int_equal(line(&lines, 5)->look, CLI_TOP_SELECTED);
  assert_string_equal(line(&lines, 9)->text, "written: x");
  cli_top_lines_free(&lines);
  /* Without a terminal all rows, whole, and no keys. */
  assert_true(cli_top_view(&model, &shown, 0, 0, &lines));
  assert_int_equal(lines.count, 2 + 1 + 1 + 3);
  assert_int_equal(line(&lines, 5)->look, CLI_TOP_PLAIN);
  cli_top_lines_free(&lines);
  cli_top_model_free(&model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_reading),      cmocka_unit_test(rates),           cmocka_unit_test(rows_that_come_and_go),
      cmocka_unit_test(filter_and_callers), cmocka_unit_test(keys_have_names), cmocka_unit_test(screens),
      cmocka_unit_test(what_a_screen_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
