/*
 * Types, default kinds and joins. Run with the paths of the fixtures.
 */
/* ctest: arguments $<TARGET_FILE:callsig_plan_fixture> $<TARGET_PROPERTY:callsig_plan_fixture_cxx,CALLSIG_FILE> */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/symbols/plan_text.h"

static const char *fixture, *fixture_cxx;

static int set_up(void **state)
{
  static struct plan_index built;
  plan_build(&built, fixture, NULL);
  *state = &built;
  return built.result;
}

static int tear_down(void **state)
{
  plan_free(*state);
  return 0;
}

#define EXPECT_PLAN(function, text) assert_string_equal(plan_text(*state, function), text)

static void test_integers(void **state)
{
  EXPECT_PLAN("integers",
              "a: value char; b: value signed char; c: value unsigned char; d: value int8_t; e: value uint8_t; "
              "f: value " PLAN_SHORT "; g: value unsigned int; h: value size_t; i: value _Bool");
  assert_int_equal(plan_type(*state, "integers", "a")->kind, FMT_TYPE_CHAR);
  assert_int_equal(plan_type(*state, "integers", "b")->kind, FMT_TYPE_SIGNED);
  assert_int_equal(plan_type(*state, "integers", "c")->kind, FMT_TYPE_UNSIGNED);
  assert_int_equal(plan_type(*state, "integers", "d")->kind, FMT_TYPE_SIGNED);
  assert_int_equal(plan_type(*state, "integers", "h")->size, 8);
  assert_int_equal(plan_type(*state, "integers", "i")->kind, FMT_TYPE_BOOL);
}

static void test_enums(void **state)
{
  EXPECT_PLAN("enums", "a: value enum mode; b: value enum permission; c: value enum pair; d: value enum forced; "
                       "e: value enum negative; f: value anonymous_enum");
  assert_int_equal(plan_type(*state, "enums", "a")->kind, FMT_TYPE_ENUM);
  assert_int_equal(plan_type(*state, "enums", "b")->kind, FMT_TYPE_FLAGS);
  assert_int_equal(plan_type(*state, "enums", "c")->kind, FMT_TYPE_ENUM);
  assert_int_equal(plan_type(*state, "enums", "d")->kind, FMT_TYPE_FLAGS);
  assert_int_equal(plan_type(*state, "enums", "e")->kind, FMT_TYPE_ENUM);
  assert_int_equal(plan_type(*state, "enums", "e")->is_signed, 1);
  assert_int_equal(plan_type(*state, "enums", "f")->enumerator_count, 2);
}

static void test_floats(void **state)
{
  EXPECT_PLAN("floats",
              "a: type float; b: type double; c: type long double; d: type " PLAN_COMPLEX "; e: type __int128; "
              "f: type vector_of_4");
  assert_int_equal(plan_type(*state, "floats", "d")->kind, FMT_TYPE_OTHER);
  assert_int_equal(plan_type(*state, "floats", "f")->kind, FMT_TYPE_OTHER);
}

static void test_pointers(void **state)
{
  EXPECT_PLAN("pointers", "a: nullness struct node*; b: nullness char**; c: nullness Bitmap*; d: nullness lua_State*; "
                          "e: nullness struct opaque*; f: nullness void*; g: nullness double (*)[3]");
}

static void test_functions(void **state)
{
  EXPECT_PLAN("functions", "a: value int (*)(int); b: value callback; c: nullness void (**)(void); "
                           "d: value void (*)(void (*)(int), ...); e: nullness int (**)(int)");
  assert_int_equal(plan_type(*state, "functions", "b")->kind, FMT_TYPE_FUNCTION_POINTER);
}

static void test_aggregates(void **state)
{
  EXPECT_PLAN("aggregates", "a: type struct node; b: type tensor; c: type struct image");
  EXPECT_PLAN("variadic", "format: nullness char*; ...");
}

static void test_joins(void **state)
{
  EXPECT_PLAN("dot", "a: nullness float*[n]; b: nullness float*[n]; n: value size_t");
  EXPECT_PLAN("copy", "dst: nullness void*[dstCapacity]; dstCapacity: value size_t; src: nullness void*[srcSize]; "
                      "srcSize: value size_t");
  EXPECT_PLAN("context_first", "ctx: nullness void*; text: nullness char*[len]; len: value size_t");
  EXPECT_PLAN("read_items",
              "ptr: nullness void*[nmemb]; size: value size_t; nmemb: value size_t; stream: nullness FILE*");
  EXPECT_PLAN("structs", "nodes: nullness struct node*[node_count]; node_count: value int; one: nullness struct node*; "
                         "n: value int");
  EXPECT_PLAN("hungarian", "zBuf: nullness unsigned char*[nBuf]; nBuf: value int; aData: nullness int*[nData]; "
                           "nData: value int; azArg: nullness char**[nArg]; nArg: value int");
  EXPECT_PLAN("run_together", "buf: nullness char*[buflen]; buflen: value size_t; rows: nullness int*[nrows]; "
                              "nrows: value int");
  EXPECT_PLAN("sizes_by_place",
              "workspace: nullness void*[wkspSize]; wkspSize: value size_t; text: nullness char*[buf_size]; "
              "buf_size: value size_t");
  EXPECT_PLAN("handle_first", "b: nullness stream_handle*; buf: nullness void*[len]; len: value int");
  EXPECT_PLAN("renamed_void", "data: nullness GLvoid*[size]; from: nullness GLvoid*[size]; size: value int");
  EXPECT_PLAN("arguments", "argc: value int; argv: nullness char**[argc]");
}

static void test_no_joins(void **state)
{
  EXPECT_PLAN("bytes_of_ints", "values: nullness int*; nBytes: value size_t");
  EXPECT_PLAN("not_lengths", "L: nullness lua_State*; nresults: value int; error: nullness int*; page_size: value int; "
                             "f: value callback; count: value int");
  EXPECT_PLAN("size_of_another", "strm: nullness struct node*; level: value int; version: nullness char*; "
                                 "stream_size: value int");
  EXPECT_PLAN("pointers_out", "out: nullness char**; len: value size_t; n: nullness size_t*");
  EXPECT_PLAN("text_before", "name: nullness char*; values: nullness int*[count]; count: value int");
}

static void test_cxx(void **state)
{
  struct plan_index built;
  (void)state;
  if (!fixture_cxx)
    skip();
  plan_build(&built, fixture_cxx, NULL);
  assert_int_equal(built.result, 0);
  assert_string_equal(
      plan_text(&built, "geometry::Shape::area"),
      "this: nullness geometry::Shape* this; points: nullness geometry::Point*[point_count]; "
      "point_count: value std::size_t; hidden: nullness geometry::(anonymous namespace)::Hidden&& reference");
  assert_string_equal(plan_text(&built, "geometry::Box<geometry::Point>::grow"),
                      "this: nullness geometry::Box<geometry::Point>* this; by: nullness geometry::Point& reference; "
                      "times: value int");
  assert_string_equal(plan_text(&built, "geometry::pack<float, char>"),
                      "first: value int; $2: type float; $3: value char");
  assert_string_equal(plan_text(&built, "geometry::Shape::Shape"),
                      "this: nullness geometry::Shape* this; sides: value int");
  plan_free(&built);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integers), cmocka_unit_test(test_enums),     cmocka_unit_test(test_floats),
      cmocka_unit_test(test_pointers), cmocka_unit_test(test_functions), cmocka_unit_test(test_aggregates),
      cmocka_unit_test(test_joins),    cmocka_unit_test(test_no_joins),  cmocka_unit_test(test_cxx),
  };
  if (argc < 2)
    return 2;
  fixture = argv[1];
  fixture_cxx = argc > 2 ? argv[2] : NULL;
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
