/* The language of --signature: which calls an expression selects, and where it says a mistake is. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/output_sample.h"

#define LOST UINT64_C(1)
#define LOG2 UINT64_C(3)
#define CUT  (UINT64_C(1) << 63)

/* resize(src:image*, w, mode, flags, name, t:tensor) and stop(), each call of which has a number in its `w`. */
static struct callsig_stats *make(void)
{
  struct sample sample;
  sample_begin(&sample);
  struct index_writer *index = sample.index;
  uint32_t mode = index_writer_type(index, FMT_TYPE_ENUM, "enum mode", 4, FMT_NONE);
  index_writer_enumerator(index, 0, "SLOW");
  index_writer_enumerator(index, 1, "FAST");
  uint32_t flags = index_writer_type(index, FMT_TYPE_FLAGS, "enum flags", 4, FMT_NONE);
  index_writer_enumerator(index, 1, "A");
  index_writer_enumerator(index, 2, "B");
  uint32_t text = index_writer_type(index, FMT_TYPE_POINTER, "char*", 8, FMT_NONE);
  uint32_t tensor = index_writer_type(index, FMT_TYPE_AGGREGATE, "struct tensor", 64, FMT_NONE);
  uint32_t shape = index_writer_type(index, FMT_TYPE_ARRAY, "int[4]", 16, sample.int_type);
  uint32_t callback = index_writer_type(index, FMT_TYPE_FUNCTION_POINTER, "int (*)(int)", 8, FMT_NONE);
  uint32_t real = index_writer_type(index, FMT_TYPE_FLOAT, "double", 8, FMT_NONE);
  index_writer_symbol(index, 0x100, 0x20, "on_read");
  index_writer_function(index, "a.c", 1, "resize", 0);
  index_writer_arg(index, FMT_ARG_NULLNESS, "src", text)->join = 1;
  index_writer_arg(index, FMT_ARG_VALUE, "w", sample.unsigned_type);
  index_writer_arg(index, FMT_ARG_VALUE, "mode", mode);
  index_writer_arg(index, FMT_ARG_VALUE, "flags", flags);
  index_writer_arg(index, FMT_ARG_STRING, "name", text);
  index_writer_arg(index, FMT_ARG_GROUP, "t", tensor)->children = 2;
  index_writer_arg(index, FMT_ARG_VALUE, "dtype", mode);
  index_writer_arg(index, FMT_ARG_SPAN, "shape", shape);
  index_writer_arg(index, FMT_ARG_VALUE, "cb", callback);
  index_writer_arg(index, FMT_ARG_VALUE, "req->hdr.kind", sample.int_type);
  index_writer_arg(index, FMT_ARG_FLOAT, "x", real);
  index_writer_function(index, "a.c", 9, "stop", 0);
  sample_calls(&sample);
  uint64_t jpg, png;
  memcpy(&jpg, "a.jpg\0\0", 8);
  memcpy(&png, "b.png\0\0", 8);
  double half = 0.5, two = 2;
  uint64_t half_bits, two_bits;
  memcpy(&half_bits, &half, 8);
  memcpy(&two_bits, &two, 8);
  /* 1: everything exact. */
  sample_call(&sample, 0, (const uint64_t[]){0, 1, 1, 1, 3, 5, jpg, 0, 2, 16, 4, 0x10100, 7, half_bits}, 14, 0, 1);
  /* 128: NULLs, another everything. */
  sample_call(&sample, 0, (const uint64_t[]){0, 0, 128, 0, 2, UINT64_MAX, 1, 1, 100, 0, (uint64_t)-2, two_bits}, 12, 1,
              2);
  /* A log2 bucket 4096..8191, mode lost, a string cut off. */
  uint64_t cut;
  memcpy(&cut, "abcdefgh", 8);
  sample_call(&sample, 0, (const uint64_t[]){LOG2 << 4 | LOST << 8, 1, 13, 0, 8 | CUT, cut, 0, 0, 0, 7, half_bits}, 11,
              2, 3);
  sample_call(&sample, 1, NULL, 0, 3, 4);
  return sample_load(&sample, 4);
}

/* Which of the calls are selected: "1", "2" (w=128), "3" (the bucket), "s" (stop). */
static void selects(const char *expression, const char *wanted)
{
  struct callsig_stats *stats = make();
  struct callsig_stats_filter filter = {.size = sizeof filter, .signature = expression};
  message_reset();
  if (callsig_stats_filter(stats, &filter) != 0)
    fail_msg("%s: %s", expression, last_message());
  char *found = signatures(stats), set[8] = "";
  strcat(set, strstr(found, "w=1,") ? "1" : "");
  strcat(set, strstr(found, "w=128,") ? "2" : "");
  strcat(set, strstr(found, "w=2^12") ? "3" : "");
  strcat(set, strstr(found, "stop()") ? "s" : "");
  if (strcmp(set, wanted) != 0)
    fail_msg("%s: selects %s, not %s", expression, set, wanted);
  free(found);
  callsig_stats_free(stats);
}

static void refuses(const char *expression, const char *wanted)
{
  struct callsig_stats *stats = make();
  struct callsig_stats_filter filter = {.size = sizeof filter, .signature = expression};
  message_reset();
  assert_int_equal(callsig_stats_filter(stats, &filter), -22);
  if (!strstr(last_message(), wanted))
    fail_msg("%s: %s", expression, last_message());
  callsig_stats_free(stats);
}

static void numbers(void **state)
{
  (void)state;
  selects("w == 1", "1");
  selects("w != 1", "23");
  selects("w >= 128", "23");
  selects("w > 0x7f", "23");
  selects("w < 1K", "12");
  selects("w >= 4K", "3");
  selects("w >= 4096", "3");
  selects("w > 4096", "");
  selects("w <= 8191", "123");
  selects("w < 5000", "12");
  selects("w == 5000", "");
  selects("w != 5000", "12");
  selects("w == 9999", "");
  selects("w != 9999", "123");
  selects("1 == w", "1");
  selects("w", "123");
  selects("!w", "");
  selects("req->hdr.kind == -2", "2");
  selects("req.hdr.kind < 0", "2");
  selects("req->hdr.kind", "123");
  selects("x == 0.5", "13");
  selects("x > 1", "2");
  selects("x >= 5e-1", "123");
}

static void logic(void **state)
{
  (void)state;
  selects("w == 1 || w == 128", "12");
  selects("w == 1 && mode == FAST", "1");
  selects("!(w == 1)", "23");
  selects("!!(w == 1)", "1");
  selects("w == 1 || w == 128 && mode == FAST", "1");
  selects("(w == 1 || w == 128) && mode == SLOW", "2");
  /* Three values: what is unknown selects nothing, whichever way round it is asked, unless the other side settles it.
   */
  selects("mode == FAST", "1");
  selects("!(mode == FAST)", "2");
  selects("mode == FAST || w >= 4096", "13");
  selects("!(mode == FAST && w < 4096)", "23");
}

static void names(void **state)
{
  (void)state;
  selects("mode == SLOW", "2");
  selects("FAST == mode", "1");
  selects("mode != FAST", "2");
  selects("mode >= FAST", "1");
  selects("flags == A|B", "1");
  selects("flags & A", "1");
  selects("(flags & B) != 0", "12");
  selects("flags == B", "2");
  selects("flags & 2", "12");
  selects("t.dtype == FAST", "2");
  selects("cb == on_read", "1");
  selects("cb != on_read", "23");
  selects("cb == NULL", "23");
}

static void pointers_and_strings(void **state)
{
  (void)state;
  selects("src", "13");
  selects("src == NULL", "2");
  selects("src != 0", "13");
  selects("name == \"a.jpg\"", "1");
  selects("name != \"a.jpg\"", "23");
  selects("name == NULL", "2");
  /* Of a string that was cut off, the beginning is known. */
  selects("name == \"abcdefgh\"", "");
  selects("name == \"abcdefghi\"", "");
  selects("name == \"abc\"", "");
  selects("name != \"abx\"", "123");
  selects("name.len == 5", "1");
  selects("name.len > 4", "13");
}

static void fields(void **state)
{
  (void)state;
  selects("t.shape[0] == 16", "1");
  selects("t.shape[1] < 10", "1");
  selects("t.shape[0] > 64", "2");
  selects("t->shape.len == 2", "1");
  selects("src.len == 1", "1");
  selects("src.len > 4000", "3");
}

static void characters(void **state)
{
  (void)state;
  selects("w == '\\x01'", "1");
  selects("w > 'A'", "23");
}

static void mistakes(void **state)
{
  (void)state;
  refuses("", "column 1: expected a name or a value, not the end");
  refuses("w >", "column 4: expected a name or a value, not the end");
  refuses("w = 1", "column 3: '=' is written '=='");
  refuses("w == 1 &&& w", "column 10: expected a name or a value");
  refuses("(w == 1", "column 8: expected ')' for the '(' of column 1");
  refuses("w == 1)", "column 7: expected && or || or the end here");
  refuses("w == 1 w", "column 8: expected && or ||");
  refuses("1 < w < 5", "column 7: comparisons do not chain");
  refuses("w == 12x", "column 8: 'x' is no suffix");
  refuses("w == 1e+", "column 7: 'e' is no suffix");
  refuses("w == 0x", "column 6: expected digits");
  refuses("w == 99999999999999999999", "column 6: the number does not fit 64 bits");
  refuses("name == \"abc", "column 9: the literal has no closing \"");
  refuses("name == 'abc'", "column 9: a character is one byte");
  refuses("name == \"\\q\"", "column 10: unknown escape '\\q'");
  refuses("width > 3", "column 1: no recorded function has an argument 'width'");
  refuses("w > 3 && mode == FASTT", "column 18: no recorded function has an argument 'FASTT'");
  refuses("t.shape[99] == 1", "column 8: at most 16 elements are recorded");
  refuses("t.shape[x] == 1", "column 8: expected a number and ']'");
  refuses("w # 1", "column 3: unexpected '#'");
  refuses("(w == 1) & 1", "column 10: a comparison is no value");
  char deep[512];
  memset(deep, '(', 200);
  strcpy(deep + 200, "w");
  refuses(deep, "column 101: parentheses nest more than 100 deep");
}

/* What notes say of a condition: these words, and of none else that it left out. NULL: nothing. */
static void tells(const char *expression, const char *function, const char *wanted, const char *other)
{
  struct callsig_stats *stats = make();
  struct callsig_stats_filter filter = {.size = sizeof filter, .signature = expression, .function = function};
  assert_int_equal(callsig_stats_filter(stats, &filter), 0);
  char *table = printed(stats, callsig_stats_print, NULL);
  const char *told = strstr(table, " left out: "), *more = told ? strstr(told + 1, " left out: ") : NULL;
  if (!told != !wanted || !more != !other || (wanted && !strstr(table, wanted)) || (other && !strstr(table, other)))
    fail_msg("%s: %s", expression, table);
  free(table);
  callsig_stats_free(stats);
}

/* What could not be decided is told. */
static void undecided(void **state)
{
  (void)state;
  const char *const missing = "1 signature left out: --signature can not be decided";
  const char *const one = "1 signature left out: what --signature compares can not be compared",
                    *const several = "3 signatures left out: what --signature compares can not be compared",
                    *const two = "2 signatures left out: what --signature compares can not be compared";
  tells("mode == FAST", NULL, missing, NULL);
  /* A bucket that does not decide it, and one that does. */
  tells("w >= 5000", NULL, missing, NULL);
  tells("w == 5000", NULL, missing, NULL);
  tells("w == 5000.5", NULL, missing, NULL);
  tells("w & 4096", NULL, missing, NULL);
  tells("!(w == 5000)", NULL, missing, NULL);
  tells("w >= 4096", NULL, NULL, NULL);
  tells("w == 5000 && mode == FAST", NULL, missing, NULL);
  tells("w == 5000 || w == 13", NULL, missing, NULL);
  tells("w == 5000 && x > 1", NULL, NULL, NULL);
  /* A string that was cut off. */
  tells("name == \"abcdefghi\"", NULL, missing, NULL);
  tells("name == \"abcdxfghi\"", NULL, NULL, NULL);
  /* What has no such argument was not asked for, nor what another filter leaves out. */
  tells("t.shape[1] == 3", NULL, NULL, NULL);
  tells("w == 5000", "stop", NULL, NULL);
  tells("w == 5000", "resize", missing, NULL);
  /* Sides that cannot be compared. */
  tells("mode == \"FAST\"", NULL, missing, two);
  tells("mode == A", NULL, missing, two);
  tells("name == 3", NULL, several, NULL);
  tells("name < \"b\"", NULL, several, NULL);
  tells("w == on_read", NULL, several, NULL);
  tells("t == 3", NULL, several, NULL);
  tells("mode == \"FAST\" && w == 1", NULL, one, NULL);
  tells("mode != \"SLOW\" && w == 128", NULL, one, NULL);
}

/* No row is no proof that there was no such call. */
static void none_is_known(void **state)
{
  (void)state;
  static const struct {
    const char *expression, *wanted;
  } cases[] = {{"w == 5000", "is known to be what the filters ask for"},
               {"mode == \"FAST\"", "is known to be what the filters ask for"},
               {"w == 9999", "nothing that was recorded is what the filters ask for"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct callsig_stats *stats = make();
    struct callsig_stats_filter filter = {.size = sizeof filter, .signature = cases[i].expression};
    assert_int_equal(callsig_stats_filter(stats, &filter), 0);
    char *table = printed(stats, callsig_stats_print, NULL);
    if (!strstr(table, cases[i].wanted))
      fail_msg("%s: %s", cases[i].expression, table);
    free(table);
    callsig_stats_free(stats);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers),       cmocka_unit_test(logic),
      cmocka_unit_test(names),         cmocka_unit_test(pointers_and_strings),
      cmocka_unit_test(fields),        cmocka_unit_test(characters),
      cmocka_unit_test(mistakes),      cmocka_unit_test(undecided),
      cmocka_unit_test(none_is_known),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
