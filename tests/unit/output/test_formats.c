/* JSON and CSV of a recording with everything in it, read back by a parser; and numbers and strings at their edges. */
#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/json_tree.h"
#include "tests/support/output_sample.h"
#include "tests/support/seeds.h"

static yajl_val parse(struct callsig_stats *stats, const char *restriction)
{
  char *text = printed(stats, callsig_stats_print_json, restriction), error[256];
  yajl_val root = yajl_tree_parse(text, error, sizeof error);
  if (!root)
    fail_msg("%s in %s", error, text);
  free(text);
  return root;
}

static void whole(void **state)
{
  (void)state;
  struct callsig_stats *stats = sample_load_seed();
  yajl_val root = parse(stats, NULL), rows = get(root, "rows");
  assert_string_equal(text_of(get(root, "schema")), "callsig.report/1");
  assert_string_equal(text_of(get(root, "program")), "/bin/test");
  assert_string_equal(text_of(get(root, "clock")), "injected");
  assert_int_equal(YAJL_GET_INTEGER(get(root, "pid")), 7);
  assert_int_equal(YAJL_GET_INTEGER(get(root, "total_calls")), SEED_CALLS);
  assert_true(YAJL_IS_ARRAY(get(root, "notes")));
  assert_true(YAJL_GET_ARRAY(get(root, "notes"))->len >= 2);
  assert_int_equal(YAJL_GET_ARRAY(rows)->len, callsig_stats_row_count(stats));
  long long calls = 0;
  double time = 0;
  for (size_t i = 0; i < YAJL_GET_ARRAY(rows)->len; i++) {
    yajl_val row = YAJL_GET_ARRAY(rows)->values[i];
    calls += YAJL_GET_INTEGER(get(row, "ncalls"));
    time += YAJL_GET_DOUBLE(get(row, "tottime"));
    const char *nulls[] = {"stage", "thread", "module"};
    for (size_t k = 0; k < 3; k++)
      assert_true(YAJL_IS_NULL(get(row, nulls[k])));
  }
  assert_int_equal(calls, SEED_CALLS);
  assert_float_equal(time, YAJL_GET_DOUBLE(get(root, "total_time")), 1e-9);
  yajl_tree_free(root);
  callsig_stats_free(stats);
}

/* The arguments of the one row that the restriction leaves. */
static yajl_val args_of(yajl_val root)
{
  yajl_val rows = get(root, "rows");
  if (!YAJL_IS_ARRAY(rows) || rows->u.array.len != 1)
    fail_msg("there is not one row");
  return get(rows->u.array.values[0], "args");
}

static yajl_val arg(yajl_val args, const char *name, const char *type, const char *state)
{
  const size_t count = YAJL_IS_ARRAY(args) ? args->u.array.len : 0;
  for (size_t i = 0; i < count; i++) {
    yajl_val one = args->u.array.values[i];
    if (strcmp(text_of(get(one, "name")), name) == 0) {
      assert_string_equal(text_of(get(one, "type")), type);
      assert_string_equal(text_of(get(one, "state")), state);
      return get(one, "value");
    }
  }
  fail_msg("no argument %s", name);
  return NULL;
}

static void read_arguments(void **state)
{
  (void)state;
  struct callsig_stats *stats = sample_load_seed();
  yajl_val root = parse(stats, "all\\(src:char\\*\\[16"), args = args_of(root);
  yajl_val row = YAJL_GET_ARRAY(get(root, "rows"))->values[0];
  assert_string_equal(
      text_of(get(row, "signature")),
      "all(src:char*[16], w=16, mode=FAST, flags=A|B, name=\"a.jpg\", t:image[FAST,(16, 4)], r=64..1023, "
      "l=2^6..2^7, x=0.5, s:struct tensor, c='c', b=true, req->hdr.kind=7)");
  assert_string_equal(text_of(arg(args, "src", "char*", "read")), "char*[16]");
  assert_int_equal(YAJL_GET_INTEGER(arg(args, "w", "int", "read")), 16);
  assert_string_equal(text_of(arg(args, "mode", "enum mode", "read")), "FAST");
  assert_string_equal(text_of(arg(args, "flags", "enum flags", "read")), "A|B");
  assert_string_equal(text_of(arg(args, "name", "char*", "read")), "a.jpg");
  assert_float_equal(YAJL_GET_DOUBLE(arg(args, "x", "double", "read")), .5, 0);
  assert_string_equal(text_of(arg(args, "c", "char", "read")), "c");
  assert_true(YAJL_IS_TRUE(arg(args, "b", "_Bool", "read")));
  assert_true(YAJL_IS_NULL(arg(args, "s", "struct tensor", "read")));
  assert_true(YAJL_IS_NULL(arg(args, "cookie", "int", "ignored")));
  yajl_val fields = arg(args, "t", "struct tensor*", "read");
  assert_int_equal(YAJL_GET_ARRAY(fields)->len, 2);
  yajl_val shape = arg(fields, "shape", "int[4]", "read");
  assert_int_equal(YAJL_GET_INTEGER(YAJL_GET_ARRAY(shape)->values[1]), 4);
  yajl_tree_free(root);
  callsig_stats_free(stats);
}

static void other_states(void **state)
{
  (void)state;
  struct callsig_stats *stats = sample_load_seed();
  yajl_val root = parse(stats, "all\\(src=\\?"), args = args_of(root);
  assert_true(YAJL_IS_NULL(arg(args, "w", "int", "lost")));
  assert_true(YAJL_IS_NULL(arg(args, "name", "char*", "unreadable")));
  yajl_tree_free(root);
  root = parse(stats, "f\\(n=2\\^2");
  assert_string_equal(text_of(arg(args_of(root), "n", "int", "widened")), "2^2..2^3");
  yajl_tree_free(root);
  root = parse(stats, "\\{load\\}");
  yajl_val row = YAJL_GET_ARRAY(get(root, "rows"))->values[0];
  assert_true(YAJL_IS_NULL(get(row, "args")) && YAJL_IS_NULL(get(row, "signature")));
  assert_string_equal(text_of(get(row, "function")), "{load}");
  yajl_tree_free(root);
  callsig_stats_free(stats);
}

static void by_function_and_thread(void **state)
{
  (void)state;
  struct callsig_stats *stats = sample_load_seed();
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_THREAD | CALLSIG_BY_MODULE);
  yajl_val root = parse(stats, "\\(g\\)");
  yajl_val row = YAJL_GET_ARRAY(get(root, "rows"))->values[0];
  assert_true(YAJL_IS_NULL(get(row, "signature")) && YAJL_IS_NULL(get(row, "args")));
  assert_string_equal(text_of(get(row, "thread")), "worker (2)");
  assert_string_equal(text_of(get(row, "module")), "/usr/lib/libsample.so");
  yajl_tree_free(root);
  callsig_stats_group(stats, CALLSIG_BY_THREAD);
  root = parse(stats, "worker");
  row = YAJL_GET_ARRAY(get(root, "rows"))->values[0];
  assert_true(YAJL_IS_NULL(get(row, "function")) && YAJL_IS_NULL(get(row, "file")) && YAJL_IS_NULL(get(row, "line")));
  yajl_tree_free(root);
  callsig_stats_free(stats);
}

/* Strings that no JSON or CSV could hold as they are, and integers beyond what a double holds. */
static void edges(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  uint32_t text = index_writer_type(sample.index, FMT_TYPE_POINTER, "char*", 8, FMT_NONE);
  uint32_t wide = index_writer_type(sample.index, FMT_TYPE_UNSIGNED, "unsigned long", 8, FMT_NONE);
  index_writer_function(sample.index, "a,\"b\".c", 1, "operator,", FMT_FUNCTION_CXX);
  index_writer_arg(sample.index, FMT_ARG_STRING, "s", text);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "u", wide);
  sample_calls(&sample);
  uint64_t word = 0;
  memcpy(&word, "\"\\\n\xff\x01,", 6);
  sample_call(&sample, 0, (const uint64_t[]){0, 6, word, UINT64_MAX}, 4, 0, 1);
  struct callsig_stats *stats = sample_load(&sample, 1);
  yajl_val root = parse(stats, NULL), args = args_of(root);
  assert_string_equal(text_of(arg(args, "s", "char*", "read")), "\"\\\n\xef\xbf\xbd\x01,");
  assert_string_equal(YAJL_GET_NUMBER(arg(args, "u", "unsigned long", "read")), "18446744073709551615");
  yajl_tree_free(root);
  char *csv = printed(stats, callsig_stats_print_csv, NULL);
  assert_string_equal(csv, "file,line,function,signature,stage,thread,module,ncalls,pcalls,tottime,cumtime,min,max\r\n"
                           "\"a,\"\"b\"\".c\",1,\"operator,\",\"operator,(s=\"\"\\\"\"\\\\\\n\\xff\\x01,\"\", "
                           "u=18446744073709551615)\",,,,1,1,0.001,0.001,0.001,0.001\r\n");
  free(csv);
  callsig_stats_free(stats);
}

/* Sets a locale with a decimal comma: the machine's, or one that is made in `folder` of the sources that it has. */
static bool set_decimal_comma(const char *folder)
{
  if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "de_DE"))
    return true;
  char command[PATH_MAX + 64];
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>&1", folder);
  setenv("LOCPATH", folder, 1);
  return system(command) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
}

/* A program that set a locale with a decimal comma gets the same text. */
static void locales(void **state)
{
  (void)state;
  char folder[] = "/tmp/callsig-locale-XXXXXX", removal[sizeof folder + 16];
  assert_non_null(mkdtemp(folder));
  struct callsig_stats *stats = sample_load_seed();
  char *table = printed(stats, callsig_stats_print, NULL), *json = printed(stats, callsig_stats_print_json, NULL);
  const bool is_set = set_decimal_comma(folder);
  char *table_there = printed(stats, callsig_stats_print, NULL),
       *json_there = printed(stats, callsig_stats_print_json, NULL);
  const char point = *localeconv()->decimal_point;
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  snprintf(removal, sizeof removal, "rm -r %s", folder);
  assert_int_equal(system(removal), 0);
  assert_string_equal(table, table_there);
  assert_string_equal(json, json_there);
  free(table);
  free(json);
  free(table_there);
  free(json_there);
  callsig_stats_free(stats);
  if (!is_set)
    skip();
  assert_int_equal(point, ',');
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole),        cmocka_unit_test(read_arguments),
      cmocka_unit_test(other_states), cmocka_unit_test(by_function_and_thread),
      cmocka_unit_test(edges),        cmocka_unit_test(locales),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
