/* Numbers as text, beside what printf() makes of them; bytes that print and bytes that do not. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/pipeline/pipeline_text.h"
#include "output/text/text.h"
#include "tests/support/output_sample.h"

static uint64_t next(uint64_t *random)
{
  *random ^= *random << 13;
  *random ^= *random >> 7;
  *random ^= *random << 17;
  return *random;
}

static void expect(const struct out_text *text, const char *expected)
{
  assert_string_equal(out_text_string(text), expected);
  assert_int_equal(text->length, strlen(expected));
}

/* Of every size, and such that lie halfway between two thousandths. */
static double number(uint64_t random)
{
  double value;
  uint64_t bits = random >> 1;
  switch (random % 5) {
  case 0:
    memcpy(&value, &bits, sizeof value);
    return value;
  case 1:
    return (double)(random >> 8 & 0xFFFFFFF) * 0.0005;
  case 2:
    return ldexp((double)(random >> 11), -(int)(random >> 3 & 127));
  case 3:
    return (double)(random >> 16 & 0xFFFFFF) / 16;
  default:
    return (double)(random >> 16 & 0xFFFFFF) * 1e-9;
  }
}

static void thousandths(void **state)
{
  (void)state;
  static const double values[] = {0,        -0.0,     0.0005,       0.0015, 0.0025,   0.00049999,
                                  0.9995,   1,        5e-324,       1e-300, 999.9995, 1234567,
                                  1e15,     1e15 - 1, 1e15 - 0.125, 1e300,  -1.5,     NAN,
                                  INFINITY, 0.0625,   0.1875,       1e-3,   2.0005,   562949953421311.9375};
  struct out_text text = {0};
  char expected[400];
  uint64_t random = 88172645463325252u;
  for (uint32_t i = 0; i < 300000; i++) {
    double value = i < sizeof values / sizeof *values ? values[i] : number(next(&random));
    int width = (int)(i % 20);
    snprintf(expected, sizeof expected, "%*.3f", width, value);
    out_text_clear(&text);
    out_text_fixed(&text, value, width);
    expect(&text, expected);
  }
  out_text_free(&text);
}

static void integers(void **state)
{
  (void)state;
  static const uint64_t values[] = {0, 1, 9, 10, 11, 99, 100, 101, 105, 999, 1000, 1005, 10000, UINT64_MAX};
  struct out_text text = {0};
  char expected[64];
  uint64_t random = 88172645463325252u;
  for (uint32_t i = 0; i < 100000; i++) {
    uint64_t value = i < sizeof values / sizeof *values ? values[i] : next(&random) >> (i & 63);
    snprintf(expected, sizeof expected, "%*llu", (int)(i % 24), (unsigned long long)value);
    out_text_clear(&text);
    out_text_integer(&text, value, (int)(i % 24));
    expect(&text, expected);
  }
  out_text_free(&text);
}

static void printable(void **state)
{
  (void)state;
  static const struct {
    const char *bytes;
    size_t length;
    const char *expected;
  } cases[] = {
      {"", 0, ""},
      {"plain text ~", 12, "plain text ~"},
      {"a\0b\033[31m\177", 9, "a\\x00b\\x1b[31m\\x7f"},
      {"\n", 1, "\\x0a"},
      {"gr\xc3\xbc\xc3\x9f", 6, "gr\xc3\xbc\xc3\x9f"},
      {"\xc2\x9b|\xc2\xa0", 5, "\\xc2\\x9b|\xc2\xa0"},
      {"\xe2\x82", 2, "\\xe2\\x82"},
      {"\xed\xa0\x80x", 4, "\\xed\\xa0\\x80x"},
      {"\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80"},
  };
  struct out_text text = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    out_text_clear(&text);
    out_text_printable(&text, cases[i].bytes, cases[i].length);
    expect(&text, cases[i].expected);
  }
  out_text_free(&text);
}

static void grows(void **state)
{
  (void)state;
  struct out_text text = {0};
  for (unsigned i = 0; i < 5000; i++) {
    if (i % 2)
      out_text_putc(&text, (char)('a' + i % 26));
    else
      out_text_add(&text, (char[]){(char)('a' + i % 26)}, 1);
  }
  assert_int_equal(text.length, 5000);
  for (unsigned i = 0; i < 5000; i++)
    assert_int_equal(text.data[i], 'a' + i % 26);
  volatile size_t too_much = SIZE_MAX / 2;
  out_text_add(&text, "x", too_much);
  assert_true(text.failed);
  assert_int_equal(text.length, 5000);
  out_text_putc(&text, 'x');
  assert_int_equal(text.length, 5000);
  out_text_free(&text);
}

/* In how many parts of the time one is slower is told where it is so in any: of few tasks no part tells. */
static void slower(void **state)
{
  static const struct {
    unsigned slowest, parts;
    const char *told;
  } cases[] = {{0, 0, ""}, {0, 2, ""}, {1, 3, ", in 1 of 3 parts of the time"}, {3, 3, ", always"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char expected[100];
    struct out_text text = {0};
    out_put_slower(&text, 0.05, "the others", 0.02, cases[i].slowest, cases[i].parts);
    snprintf(expected, sizeof expected, "50.000ms a task, the others 20.000ms: 2.5 times as long%s\n", cases[i].told);
    expect(&text, expected);
    out_text_free(&text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slower),    cmocka_unit_test(thousandths), cmocka_unit_test(integers),
      cmocka_unit_test(printable), cmocka_unit_test(grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
