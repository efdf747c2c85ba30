/*
 * The rules language: what parses, what it makes of plans, and what is said of names that do not exist. Run with the
 * path of the fixture.
 */
/* ctest: arguments $<TARGET_FILE:callsig_plan_fixture> */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/plan/rulecheck.h"
#include "symbols/plan/rules.h"
#include "tests/support/symbols/plan_text.h"

static const char *fixture;

/* The messages of parsing `text`; "" when it parses. */
static const char *parse(const char *text)
{
  static struct plan_index built;
  memset(&built, 0, sizeof built);
  int result = sym_rules_parse(text, strlen(text), "rules.txt", plan_message, &built, &built.rules);
  assert_int_equal(result == 0, built.messages[0] == '\0');
  sym_rules_free(built.rules);
  return built.messages;
}

#define EXPECT_REFUSED(text, message) assert_string_equal(parse(text), message "\n")

static void test_good_lines(void **state)
{
  (void)state;
  const char *const lines[] = {
      "",
      "# nothing",
      "  \t# nothing",
      "function f: a ignore",
      "function f: a ignore # and why",
      "function ns::C::m: a ignore",
      "function f*: a string",
      "function f: a string 32",
      "function f: a string 32 length n",
      "function f: a string length req->hdr.n",
      "function f: a bucket log2",
      "function f: a bucket 0,64,1024",
      "function f: a bucket -5, 0, 5",
      "function f: a length 16",
      "function f: a length n",
      "function f: a length *n",
      "function f: a value",
      "function f: $1 type",
      "function f: show req->hdr.kind",
      "function f: show a.b[3].c string 8",
      "function f: show ne[0..4]",
      "function f: return",
      "function f: show (enum kind)req->kind",
      "function f: show ((struct header *)req->data)->kind",
      "function f: show ( ( header* ) req->data )->kind",
      "function f: show *(unsigned int **)a[2]",
      "function f: show ((short *)a)[0..3]",
      "function f: show (*a).b",
      "function f: show (a)",
      "type t: kind=(enum kind)type, (flags) bits, n",
      "function f: return value",
      "function f: return bucket -1,0,1",
      "soft file x.c: function f*: return bucket log2",
      "soft function f: a ignore",
      "soft type std::vector<*>: size=_M_impl._M_finish - _M_impl._M_start",
      "function f: show t->ne[0..t->ndim]",
      "file src/*.c: function f: a ignore",
      "type tensor: dtype=type, shape=ne[0..ndim]",
      "type struct image: width, height print \"{0}x{1}\"",
      "type image: w=width bucket log2 print \"a \\\"b\\\" \\\\ {0}\"",
      "type ns::T: x",
      "function f: a ignore\r\n",
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    assert_string_equal(parse(lines[i]), "");
}

static void test_bad_lines(void **state)
{
  (void)state;
  EXPECT_REFUSED("functions f: a ignore",
                 "rules.txt:1: a rule begins with 'type', 'function' or 'file', behind 'soft' where it may not fit");
  EXPECT_REFUSED("\n\nfunction f a ignore", "rules.txt:3: a ':' is missing after the function's name");
  EXPECT_REFUSED("function : a ignore", "rules.txt:1: the function's name is missing before ':'");
  EXPECT_REFUSED("function f: ignore",
                 "rules.txt:1: after the parameter comes string, bucket, ignore, length, value or type");
  EXPECT_REFUSED("function f: a",
                 "rules.txt:1: after the parameter comes string, bucket, ignore, length, value or type");
  EXPECT_REFUSED("function f: req->hdr.kind value",
                 "rules.txt:1: a parameter comes here, by its name alone; a path is shown by 'show req->hdr.kind'");
  EXPECT_REFUSED("function f: a.b # why",
                 "rules.txt:1: a parameter comes here, by its name alone; a path is shown by 'show a.b'");
  EXPECT_REFUSED("function f: a[1] string",
                 "rules.txt:1: a parameter comes here, by its name alone; a path is shown by 'show a[1]'");
  EXPECT_REFUSED("function f:", "rules.txt:1: a parameter, 'return', or 'show' and a path, is missing");
  EXPECT_REFUSED("function f: a string 0", "rules.txt:1: a string's limit is 1 to 256 bytes");
  EXPECT_REFUSED("function f: a string 257", "rules.txt:1: a string's limit is 1 to 256 bytes");
  EXPECT_REFUSED("function f: a string 99999999999999999999", "rules.txt:1: not a number: '99999999999999999999'");
  EXPECT_REFUSED("function f: a bucket",
                 "rules.txt:1: 'bucket' needs log2 or numbers separated by commas, such as 0,64,1024");
  EXPECT_REFUSED("function f: a bucket 5,4", "rules.txt:1: the bounds of a bucket rule must ascend");
  EXPECT_REFUSED("function f: a ignore b", "rules.txt:1: unexpected text: 'b'");
  EXPECT_REFUSED("function f: show", "rules.txt:1: a name is missing");
  EXPECT_REFUSED("function f: show a.", "rules.txt:1: a field's name is missing");
  EXPECT_REFUSED("function f: show a[", "rules.txt:1: a number is missing after '['");
  EXPECT_REFUSED("function f: show a[1", "rules.txt:1: a ']' is missing");
  EXPECT_REFUSED("function f: show a[3..1]", "rules.txt:1: the range ends before it begins");
  EXPECT_REFUSED("function f: show (enum kind a",
                 "rules.txt:1: an enumeration's name and a ')' come after '(': (enum color)kind");
  EXPECT_REFUSED("function f: show ()a",
                 "rules.txt:1: an enumeration's name and a ')' come after '(': (enum color)kind");
  EXPECT_REFUSED("function f: show ((struct a *)b->c", "rules.txt:1: a ')' is missing");
  EXPECT_REFUSED("function f: show ((*)b)->c",
                 "rules.txt:1: a type comes before the '*' of a cast: (struct header *)data");
  EXPECT_REFUSED("function f: show (short *)a[0..3]",
                 "rules.txt:1: a range stands behind the parentheses of a cast: ((short *)data)[0..2]");
  EXPECT_REFUSED("function f: show (((((((((((((((((a)))))))))))))))))",
                 "rules.txt:1: a path is nested at most 16 deep");
  EXPECT_REFUSED("function f: show (enum k)a bucket log2",
                 "rules.txt:1: what is shown by an enumeration is one value and takes no further word");
  EXPECT_REFUSED("type t: a=(enum k)b[0..3]",
                 "rules.txt:1: what is shown by an enumeration is one value and takes no further word");
  EXPECT_REFUSED("function f: return string", "rules.txt:1: what is returned can be a bucket or a value");
  EXPECT_REFUSED("function f: return ignore", "rules.txt:1: what is returned can be a bucket or a value");
  EXPECT_REFUSED("function f: return length 4", "rules.txt:1: what is returned can be a bucket or a value");
  EXPECT_REFUSED("function f: return type", "rules.txt:1: what is returned can be a bucket or a value");
  EXPECT_REFUSED("function f: return bucket",
                 "rules.txt:1: 'bucket' needs log2 or numbers separated by commas, such as 0,64,1024");
  EXPECT_REFUSED("function f: show a ignore", "rules.txt:1: what is shown can be a string, bucket, value or type");
  EXPECT_REFUSED("function f: a length n[0..3]",
                 "rules.txt:1: a range [0..] can stand only at the end of a field of a type rule or of a shown path");
  EXPECT_REFUSED("type t: a print \"{1}\"",
                 "rules.txt:1: the print text names field {1} and there are 1, counted from 0");
  EXPECT_REFUSED("type t: a print \"{x}\"",
                 "rules.txt:1: in a print text '{' begins the number of a field, such as {0}");
  EXPECT_REFUSED("type t: a print \"x", "rules.txt:1: the closing '\"' is missing");
  EXPECT_REFUSED("type t: a ignore",
                 "rules.txt:1: a field can be a string, bucket, value or type; leave out what is not to be seen");
  EXPECT_REFUSED("file f.c: type t: a", "rules.txt:1: after 'file NAME:' comes 'function'");
  EXPECT_REFUSED("function f: show a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q", "rules.txt:1: a path has at most 16 parts");
}

static void test_every_bad_line_is_told(void **state)
{
  (void)state;
  EXPECT_REFUSED("x\nfunction f: a ignore\ny",
                 "rules.txt:1: a rule begins with 'type', 'function' or 'file', behind 'soft' where it may not fit\n"
                 "rules.txt:3: a rule begins with 'type', 'function' or 'file', behind 'soft' where it may not fit");
}

/* Builds with `rules` and compares the plan of `function`. */
static void check(const char *rules, const char *function, const char *text)
{
  struct plan_index built;
  plan_build(&built, fixture, rules);
  if (built.messages[0])
    fail_msg("%s", built.messages);
  assert_string_equal(plan_text(&built, function), text);
  assert_int_equal(sym_rules_seen(built.rules, &built.index), 0);
  assert_int_equal(sym_rules_check(built.rules, NULL, plan_message, &built), 0);
  assert_string_equal(built.messages, "");
  plan_free(&built);
}

static void test_parameter_rules(void **state)
{
  (void)state;
  check("function ruled: name string\nfunction ruled: data string 32 length used\nfunction ruled: x value\n"
        "function ruled: cookie ignore\nfunction ruled: used bucket log2\n",
        "ruled",
        "t: nullness tensor*; image: type struct image; req: nullness struct request*; name: string char* 64; "
        "data: string char* 32; used: log2 int; x: float double; cookie: ignored " PLAN_UNSIGNED_LONG);
  check("function ruled: used bucket 0,64,1024\nfunction ruled: name type\nfunction ruled: data value\n"
        "function ruled: req length 3\n",
        "ruled",
        "t: nullness tensor*; image: type struct image; req: nullness struct request[3]; name: type char*; "
        "data: value char*; used: range int; x: type double; cookie: value " PLAN_UNSIGNED_LONG);
  check("function dot: a type\nfunction dot: n ignore\n", "dot",
        "a: type float*; b: nullness float*; n: ignored size_t");
  check("function link_list: list length 4\nfunction link_*: list ignore\n", "link_list", "list: ignored struct node*");
}

static void test_lengths(void **state)
{
  (void)state;
  check("function not_lengths: error length nresults\n", "not_lengths",
        "L: nullness lua_State*; nresults: value int; error: nullness int*[nresults]; page_size: value int; "
        "f: value callback; count: value int");
  check("function pointers_out: out length *n\n", "pointers_out",
        "out: nullness char**[*n]; len: value size_t; n: nullness size_t*; *n: value size_t");
}

/* What is returned is the last arg, by the last rule that fits. */
static void test_returned(void **state)
{
  (void)state;
  const char *plain = "a: nullness float*[n]; b: nullness float*[n]; n: value size_t; return: ";
  char expected[256];
  snprintf(expected, sizeof expected, "%s%s", plain, "type float returned");
  check("function dot: return\n", "dot", expected);
  snprintf(expected, sizeof expected, "%s%s", plain, "float float returned");
  check("function dot: return\nfunction dot: return value\n", "dot", expected);
  check("function dot: return value\nfunction *: return\n", "link_list", "list: nullness struct node*");
}

static void test_show(void **state)
{
  (void)state;
  check("function link_list: show list->value\nfunction link_list: show list->next->value bucket log2\n", "link_list",
        "list: nullness struct node*; list->value: value int; list->next->value: log2 int");
  check("function ruled: show req->hdr.kind\nfunction ruled: show req->hdr->tag string 4\n"
        "function ruled: show req->embedded.low\nfunction ruled: show req->embedded.inner\n"
        "function ruled: show req->parts[0..3]\nfunction ruled: show t->ne[1]\nfunction ruled: show req->length[0]\n",
        "ruled",
        "t: nullness tensor*; image: type struct image; req: nullness struct request*; name: nullness char*; "
        "data: nullness char*; used: value int; x: type double; cookie: value " PLAN_UNSIGNED_LONG "; "
        "req->hdr.kind: value int; req->hdr->tag: string char[8] 4; req->embedded.low: value unsigned int; "
        "req->embedded.inner: value " PLAN_SHORT "; req->parts: span uint16_t[6]; t->ne[1]: value int64_t; "
        "req->length[0]: value size_t");
}

static void test_type_rules(void **state)
{
  (void)state;
  check("type tensor: dtype=type, shape=ne[0..ndim]\n", "by_value",
        "t: group tensor '' {dtype: value enum {...}; shape: span int64_t[4]}");
  check("type tensor: type, name string 16 print \"<{0} {1}>\"\n"
        "type image: w=width, h=height, format print \"image[{0}x{1},{2}]\"\n",
        "ruled",
        "t: group tensor '<{0} {1}>' {: nullness tensor*; type: value enum {...}; name: string char* 16}; "
        "image: group image 'image[{0}x{1},{2}]' {w: value unsigned int; h: value unsigned int; format: value enum "
        "mode}; "
        "req: nullness struct request*; name: nullness char*; data: nullness char*; used: value int; x: type double; "
        "cookie: value " PLAN_UNSIGNED_LONG);
  check("type struct node: value, next\n", "link_list",
        "list: group struct node '' {: nullness struct node*; value: value int; next: nullness struct node*}");
  check(
      "type request: hdr, parts[0..2]\ntype header: kind\n", "ruled",
      "t: nullness tensor*; image: type struct image; req: group request '' {: nullness struct request*; "
      "hdr: group header '' {: nullness struct header*; kind: value int}; parts: span uint16_t[6]}; "
      "name: nullness char*; data: nullness char*; used: value int; x: type double; cookie: value " PLAN_UNSIGNED_LONG);
}

/* What the check of all modules says when the fixture is the only one. */
static void check_unknown(const char *rules, const char *message)
{
  struct plan_index built;
  plan_build(&built, fixture, rules);
  assert_int_equal(built.result, 0);
  assert_string_equal(built.messages, "");
  assert_int_equal(sym_rules_seen(built.rules, &built.index), 0);
  assert_int_equal(sym_rules_check(built.rules, NULL, plan_message, &built), -22);
  char *module = strrchr(built.messages, '(');
  assert_non_null(module);
  *module = '\0';
  assert_string_equal(built.messages, message);
  plan_free(&built);
}

static void test_unknown_names(void **state)
{
  (void)state;
  char text[512];
  snprintf(text, sizeof text, "rules.txt:2: no function 'dott' in %s; the nearest name is 'dot' ", fixture);
  check_unknown("# first\nfunction dott: a ignore\n", text);
  snprintf(text, sizeof text, "rules.txt:1: no function matches 'dott*' in %s ", fixture);
  check_unknown("function dott*: a ignore\n", text);
  snprintf(text, sizeof text, "rules.txt:1: no type 'tensors' in %s; the nearest name is 'tensor' ", fixture);
  check_unknown("type tensors: a\n", text);
  snprintf(text, sizeof text, "rules.txt:1: no function 'dot' of file other.c in %s ", fixture);
  check_unknown("file other.c: function dot: a ignore\n", text);
  check_unknown("function dot: nn ignore\n", "rules.txt:1: function dot: no parameter 'nn'; the nearest name is 'n' ");
  check_unknown("function ruled: show req->hdr.kin\n",
                "rules.txt:1: function ruled: header has no field 'kin'; the nearest name is 'kind' ");
  check_unknown("type tensor: shape=me[0..ndim]\n",
                "rules.txt:1: type tensor: tensor has no field 'me'; the nearest name is 'ne' ");
  check_unknown("function dot: n string\n",
                "rules.txt:1: function dot: n is of type size_t, not a pointer to or an array of characters ");
  check_unknown("function dot: a bucket log2\n", "rules.txt:1: function dot: a is of type float*, not an integer ");
  check_unknown("function functions: a length 3\n",
                "rules.txt:1: function functions: a is of type int (*)(int), not a pointer to data ");
  check_unknown("function link_list: return\n", "rules.txt:1: function link_list: it returns nothing ");
  check_unknown("function dot: return bucket 0\n",
                "rules.txt:1: function dot: return is of type float, not an integer ");
  check_unknown("function dot: show n.x\n",
                "rules.txt:1: function dot: 'x' is asked of something that is not a struct or a pointer to one ");
}

static void test_known_without_effect(void **state)
{
  (void)state;
  struct plan_index built;
  plan_build(&built, fixture, "type opaque_to_all: kind\n");
  assert_int_equal(sym_rules_seen(built.rules, &built.index), 0);
  assert_int_equal(sym_rules_check(built.rules, NULL, plan_message, &built), 0);
  assert_string_equal(
      built.messages,
      "rules.txt:1: has no effect: nothing instrumented has what it names, or a later rule replaces it\n");
  plan_free(&built);
}

static void test_another_module_knows(void **state)
{
  (void)state;
  struct plan_index first, second;
  plan_build(&first, fixture, "function notes_only: a ignore\n");
  plan_build(&second, fixture, "function dot: a ignore\n");
  assert_int_equal(sym_rules_seen(first.rules, &first.index), 0);
  assert_int_equal(sym_rules_seen(first.rules, &second.index), 0);
  assert_int_equal(sym_rules_check(first.rules, NULL, plan_message, &first), 0);
  assert_string_equal(first.messages, "");
  plan_free(&first);
  plan_free(&second);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_lines),
      cmocka_unit_test(test_bad_lines),
      cmocka_unit_test(test_every_bad_line_is_told),
      cmocka_unit_test(test_parameter_rules),
      cmocka_unit_test(test_lengths),
      cmocka_unit_test(test_returned),
      cmocka_unit_test(test_show),
      cmocka_unit_test(test_type_rules),
      cmocka_unit_test(test_unknown_names),
      cmocka_unit_test(test_known_without_effect),
      cmocka_unit_test(test_another_module_knows),
  };
  if (argc < 2)
    return 2;
  fixture = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
