/* What signatures print as: every kind of argument in every state. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/output_sample.h"

#define READ       UINT64_C(0)
#define LOST       UINT64_C(1)
#define UNREADABLE UINT64_C(2)
#define LOG2       UINT64_C(3)
#define TYPE       UINT64_C(4)
#define CUT        (UINT64_C(1) << 63)

/* One call of function 0 with these words must print as `text`. */
static void expect(struct sample *sample, const uint64_t *words, uint32_t count, const char *text)
{
  sample_calls(sample);
  sample_call(sample, 0, words, count, 0, 1);
  struct callsig_stats *stats = sample_load(sample, 1);
  char *found = signatures(stats);
  assert_string_equal(found, text);
  free(found);
  callsig_stats_free(stats);
}

#define EXPECT(sample, text, ...)                                                                                      \
  do {                                                                                                                 \
    const uint64_t words_[] = {__VA_ARGS__};                                                                           \
    expect(sample, words_, sizeof words_ / sizeof words_[0], text);                                                    \
  } while (0)

static struct sample begin(void)
{
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "a.c", 1, "f", 0);
  return sample;
}

static void integers(void **state)
{
  (void)state;
  struct sample sample = begin();
  index_writer_arg(sample.index, FMT_ARG_VALUE, "i", sample.int_type);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "u", sample.unsigned_type);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "b",
                   index_writer_type(sample.index, FMT_TYPE_BOOL, "_Bool", 1, FMT_NONE));
  index_writer_arg(sample.index, FMT_ARG_VALUE, "c",
                   index_writer_type(sample.index, FMT_TYPE_CHAR, "char", 1, FMT_NONE));
  EXPECT(&sample, "f(i=-5, u=4294967295, b=true, c='a')", 0, (uint64_t)-5, UINT32_MAX, 1, 'a');
}

static void characters(void **state)
{
  (void)state;
  struct sample sample = begin();
  uint32_t type = index_writer_type(sample.index, FMT_TYPE_CHAR, "char", 1, FMT_NONE);
  const char *names[] = {"a", "b", "c", "d", "e", "f"};
  for (int i = 0; i < 6; i++)
    index_writer_arg(sample.index, FMT_ARG_VALUE, names[i], type);
  EXPECT(&sample, "f(a='\\0', b='\\n', c='\\'', d='\\\\', e='\\xff', f='\"')", 0, 0, '\n', '\'', '\\', (uint64_t)-1,
         '"');
}

static void states(void **state)
{
  (void)state;
  struct sample sample = begin();
  for (int i = 0; i < 5; i++)
    index_writer_arg(sample.index, FMT_ARG_VALUE, (const char *[]){"a", "b", "c", "d", "e"}[i], sample.int_type);
  EXPECT(&sample, "f(a=7, b=?, c=<unreadable>, d=2^20..2^21, e:int)",
         READ | LOST << 4 | UNREADABLE << 8 | LOG2 << 12 | TYPE << 16, 7, 21);
}

static void buckets(void **state)
{
  (void)state;
  struct sample sample = begin();
  uint32_t list = index_writer_ranges(sample.index, (const int64_t[]){0, 64, 1024}, 3);
  for (int i = 0; i < 4; i++)
    index_writer_arg(sample.index, FMT_ARG_BUCKET_RANGE, (const char *[]){"a", "b", "c", "d"}[i], sample.int_type)
        ->aux = list;
  for (int i = 0; i < 4; i++)
    index_writer_arg(sample.index, FMT_ARG_BUCKET_LOG2, (const char *[]){"p", "q", "r", "s"}[i], sample.int_type);
  EXPECT(&sample, "f(a<0, b=0..63, c=64..1023, d>=1024, p=0, q=2^0..2^1, r=2^63..2^64, s=-2^3..-2^2)", 0, 0, 1, 2, 3, 0,
         1, 64, (uint64_t)-3);
}

static void enumerations(void **state)
{
  (void)state;
  struct sample sample = begin();
  uint32_t mode = index_writer_type(sample.index, FMT_TYPE_ENUM, "enum mode", 4, FMT_NONE);
  index_writer_enumerator(sample.index, 0, "SLOW");
  index_writer_enumerator(sample.index, 5, "FAST");
  uint32_t flags = index_writer_type(sample.index, FMT_TYPE_FLAGS, "enum flags", 4, FMT_NONE);
  index_writer_enumerator(sample.index, 1, "A");
  index_writer_enumerator(sample.index, 2, "B");
  index_writer_enumerator(sample.index, 4, "C");
  const char *names[] = {"a", "b", "c", "d", "e", "g"};
  for (int i = 0; i < 6; i++)
    index_writer_arg(sample.index, FMT_ARG_VALUE, names[i], i < 2 ? mode : flags);
  EXPECT(&sample, "f(a=FAST, b=6, c=B, d=A|C, e=0, g=A|0x18)", 0, 5, 6, 2, 5, 0, 25);
}

static void pointers(void **state)
{
  (void)state;
  struct sample sample = begin();
  uint32_t element = index_writer_type(sample.index, FMT_TYPE_FLOAT, "float", 4, FMT_NONE);
  uint32_t pointer = index_writer_type(sample.index, FMT_TYPE_POINTER, "float*", 8, element);
  index_writer_arg(sample.index, FMT_ARG_NULLNESS, "a", pointer)->join = 3;
  index_writer_arg(sample.index, FMT_ARG_NULLNESS, "b", pointer)->join = 4;
  index_writer_arg(sample.index, FMT_ARG_NULLNESS, "c", pointer)->join = 5;
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "m", sample.int_type);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "k", sample.int_type);
  index_writer_arg(sample.index, FMT_ARG_NULLNESS, "p", pointer);
  index_writer_arg(sample.index, FMT_ARG_NULLNESS, "q", pointer);
  index_writer_arg(sample.index, FMT_ARG_TYPE, "x", element);
  EXPECT(&sample, "f(a:float[16], b:float[?], c:float[k], n=16, m=?, k:int, p:float*, q=NULL, x:float)",
         LOST << 16 | TYPE << 20, 1, 1, 1, 16, 1, 0);
}

static void widened_length(void **state)
{
  (void)state;
  struct sample sample = begin();
  uint32_t pointer = index_writer_type(sample.index, FMT_TYPE_POINTER, "int*", 8, sample.int_type);
  index_writer_arg(sample.index, FMT_ARG_NULLNESS, "a", pointer)->join = 1;
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  EXPECT(&sample, "f(a:int[2^4..2^5], n=2^4..2^5)", LOG2 << 4, 1, 5);
}

static void function_pointers(void **state)
{
  (void)state;
  struct sample sample = begin();
  uint32_t type = index_writer_type(sample.index, FMT_TYPE_FUNCTION_POINTER, "int (*)(int)", 8, FMT_NONE);
  index_writer_symbol(sample.index, 0x100, 0x20, "on_read");
  const char *names[] = {"a", "b", "c", "d", "e"};
  for (int i = 0; i < 5; i++)
    index_writer_arg(sample.index, FMT_ARG_VALUE, names[i], type);
  EXPECT(&sample, "f(a=on_read, b=on_read+0x4, c=libsample.so+0x2000, d=0xabcdef012345, e=NULL)", 0, 0x10100, 0x10104,
         0x12000, 0xabcdef012345, 0);
}

static void strings(void **state)
{
  (void)state;
  struct sample sample = begin();
  uint32_t type = index_writer_type(sample.index, FMT_TYPE_POINTER, "char*", 8, FMT_NONE);
  const char *names[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 4; i++)
    index_writer_arg(sample.index, FMT_ARG_STRING, names[i], type);
  uint64_t text[2] = {0};
  memcpy(text, "a\"\\\n\xc3\xa9\xff", 7);
  uint64_t cut;
  memcpy(&cut, "abcdefgh", 8);
  EXPECT(&sample, "f(a=\"a\\\"\\\\\\n\xc3\xa9\\xff\", b=\"abcdefgh\"..., c=NULL, d=\"\")", 0, 7, text[0], 8 | CUT, cut,
         UINT64_MAX, 0);
}

static void floats(void **state)
{
  (void)state;
  struct sample sample = begin();
  uint32_t single = index_writer_type(sample.index, FMT_TYPE_FLOAT, "float", 4, FMT_NONE);
  uint32_t twice = index_writer_type(sample.index, FMT_TYPE_FLOAT, "double", 8, FMT_NONE);
  index_writer_arg(sample.index, FMT_ARG_FLOAT, "a", single);
  for (int i = 0; i < 4; i++)
    index_writer_arg(sample.index, FMT_ARG_FLOAT, (const char *[]){"b", "c", "d", "e"}[i], twice);
  float tenth = 0.1f;
  uint32_t bits;
  memcpy(&bits, &tenth, sizeof bits);
  double values[4] = {0.1, 16, 1e300, -1.0 / 0.0};
  uint64_t words[6] = {0, bits};
  memcpy(words + 2, values, sizeof values);
  expect(&sample, words, 6, "f(a=0.1, b=0.1, c=16.0, d=1e+300, e=-inf)");
}

static void spans(void **state)
{
  (void)state;
  struct sample sample = begin();
  uint32_t type = index_writer_type(sample.index, FMT_TYPE_ARRAY, "int[4]", 16, sample.int_type);
  const char *names[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 4; i++)
    index_writer_arg(sample.index, FMT_ARG_SPAN, names[i], type);
  EXPECT(&sample, "f(a=(16, 4), b=(-1,), c=(), d=(1, 2, ...))", 0, 2, 16, 4, 1, (uint64_t)-1, 0, 2 | CUT, 1, 2);
}

/* t: struct tensor* with dtype and shape; s: the same with a text of its own. */
static void make_groups(struct sample *sample)
{
  uint32_t dtype = index_writer_type(sample->index, FMT_TYPE_ENUM, "enum dtype", 4, FMT_NONE);
  index_writer_enumerator(sample->index, 0, "F32");
  uint32_t tensor = index_writer_type(sample->index, FMT_TYPE_AGGREGATE, "struct tensor", 64, FMT_NONE);
  uint32_t pointer = index_writer_type(sample->index, FMT_TYPE_POINTER, "struct tensor*", 8, tensor);
  uint32_t shape = index_writer_type(sample->index, FMT_TYPE_ARRAY, "int[4]", 16, sample->int_type);
  for (int i = 0; i < 2; i++) {
    struct fmt_index_arg *group = index_writer_arg(sample->index, FMT_ARG_GROUP, i ? "s" : "t", pointer);
    group->children = 3;
    group->flags = FMT_ARG_GROUP_POINTER;
    if (i)
      group->text = index_writer_string(sample->index, "image[{1},{0}] {2}");
    index_writer_arg(sample->index, FMT_ARG_NULLNESS, "", pointer);
    index_writer_arg(sample->index, FMT_ARG_VALUE, "dtype", dtype);
    index_writer_arg(sample->index, FMT_ARG_SPAN, "shape", shape);
  }
}

static void groups(void **state)
{
  (void)state;
  struct sample sample = begin();
  make_groups(&sample);
  EXPECT(&sample, "f(t:tensor(dtype=F32, shape=(16, 4)), s:image[(3,),F32] )", 0, 1, 0, 2, 16, 4, 1, 0, 1, 3);
}

static void null_groups(void **state)
{
  (void)state;
  struct sample sample = begin();
  make_groups(&sample);
  uint64_t unreadable = UNREADABLE << 8 | UNREADABLE << 12, lost = UNREADABLE << 16;
  EXPECT(&sample, "f(t=NULL, s=<unreadable>)", unreadable | lost, 0, 1, 0, 1, 3);
}

static void lost_fields(void **state)
{
  (void)state;
  struct sample sample = begin();
  make_groups(&sample);
  EXPECT(&sample, "f(t:tensor(dtype=?, shape:int[4]), s:image[<unreadable>,F32] )",
         LOST << 8 | TYPE << 12 | UNREADABLE << 28, 1, 1, 0);
}

static void ignored(void **state)
{
  (void)state;
  struct sample sample = begin();
  index_writer_arg(sample.index, FMT_ARG_IGNORED, "cookie", sample.int_type);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  EXPECT(&sample, "f(n=3)", 0, 3);
}

static void cxx_this(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  uint32_t shape = index_writer_type(sample.index, FMT_TYPE_AGGREGATE, "ns::Shape", 16, FMT_NONE);
  uint32_t pointer = index_writer_type(sample.index, FMT_TYPE_POINTER, "ns::Shape*", 8, shape);
  index_writer_function(sample.index, "shape.cc", 4, "ns::Shape::area", FMT_FUNCTION_CXX);
  index_writer_arg(sample.index, FMT_ARG_NULLNESS, "this", pointer)->flags = FMT_ARG_THIS;
  EXPECT(&sample, "ns::Shape::area(this:ns::Shape)", 0, 1);
}

static void functions(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "a.c", 1, "a", 0);
  index_writer_function(sample.index, "b.c", 1, "b", FMT_FUNCTION_VARIADIC);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  index_writer_function(sample.index, "", 0, "c", FMT_FUNCTION_NO_DWARF);
  index_writer_function(sample.index, "d.c", 1, "d", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  sample_call(&sample, 0, NULL, 0, 0, 1);
  sample_call(&sample, 1, (const uint64_t[]){0, 2}, 2, 1, 2);
  sample_call(&sample, 2, NULL, 0, 2, 3);
  sample_call(&sample, 3, NULL, 0, 3, 4);
  recording_enter_action(sample.thread, "load", 4);
  recording_exit(sample.thread, 5);
  uint64_t unknown = recording_writer_module(sample.recording, "/opt/plugin.so", 0x90000, 0x1000, NULL, 0);
  recording_enter(sample.thread, unknown, UINT32_MAX, NULL, 0, 5);
  recording_exit(sample.thread, 6);
  struct callsig_stats *stats = sample_load(&sample, 6);
  char *found = signatures(stats);
  assert_string_equal(found, "a()\nb(n=2, ...)\nd(...)\nc(?)\n0xfff6ffc0(?)\n{load}");
  free(found);
  char *table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, " libsample.so:0(c(?))\n"));
  assert_non_null(strstr(table, " plugin.so:0(0xfff6ffc0(?))\n"));
  assert_non_null(strstr(table, " {load}\n"));
  free(table);
  callsig_stats_free(stats);
}

/* Words that do not fit the layout are damage, not a crash: the call is kept. */
static void bad_words(void **state)
{
  (void)state;
  static const struct {
    uint64_t words[3];
    uint32_t count;
  } bad[] = {{{0}, 1}, {{0, 1, 2}, 3}, {{15, 1}, 2}, {{LOG2, 100}, 2}, {{0}, 0}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct sample sample = begin();
    index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
    expect(&sample, bad[i].words, bad[i].count, "f(...)");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers),       cmocka_unit_test(characters),
      cmocka_unit_test(states),         cmocka_unit_test(buckets),
      cmocka_unit_test(enumerations),   cmocka_unit_test(pointers),
      cmocka_unit_test(widened_length), cmocka_unit_test(function_pointers),
      cmocka_unit_test(strings),        cmocka_unit_test(floats),
      cmocka_unit_test(spans),          cmocka_unit_test(groups),
      cmocka_unit_test(null_groups),    cmocka_unit_test(lost_fields),
      cmocka_unit_test(ignored),        cmocka_unit_test(cxx_this),
      cmocka_unit_test(functions),      cmocka_unit_test(bad_words),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
