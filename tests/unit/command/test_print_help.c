/* Help texts: what is too wide is filled anew below where it begins, what fits stays as it is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "cli/common/print_help.h"

#define TEN   "nine, and "
#define FIFTY TEN TEN TEN TEN TEN

static void expect(const char *help, const char *wanted)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  cli_print_help(out, help);
  assert_int_equal(fclose(out), 0);
  assert_string_equal(text, wanted);
  free(text);
}

static void fitting_lines(void **state)
{
  (void)state;
  const char *help = "usage: x\n\nShort\nlines.\n\n  -a  one\n      and two\n  --long-one\n      three\n\nEnd\n";
  expect(help, help);
  expect("", "");
  expect("\n", "\n");
  expect("no newline", "no newline");
}

/* The usage is as it is, however wide. */
static void paragraphs(void **state)
{
  (void)state;
  expect("usage: " FIFTY FIFTY "\n\n" FIFTY TEN TEN "seven12 8 y\nz.\n\nNext\n",
         "usage: " FIFTY FIFTY "\n\n" FIFTY TEN TEN "seven12 8\ny z.\n\nNext\n");
  expect("\n" FIFTY FIFTY "z\n", "\n" FIFTY TEN TEN "nine, and\n" TEN TEN "z\n");
}

static void options(void **state)
{
  (void)state;
  expect("usage: x\n\n  -a FILE   " FIFTY TEN "12345 8 10\n            more\n  -b        short\n",
         "usage: x\n\n  -a FILE   " FIFTY TEN "12345 8\n            10 more\n  -b        short\n");
  /* One that is as long as the column is wide has a single space behind it. */
  expect("usage: x\n\n  -a FILE   one\n  -b LONGER " FIFTY TEN "12345 8 10\n",
         "usage: x\n\n  -a FILE   one\n  -b LONGER " FIFTY TEN "12345 8\n            10\n");
  /* One without its text, which is below it; and a list within an option. */
  expect("usage: x\n\n  --much-longer\n            " FIFTY TEN "12345 8 10\n            more\n",
         "usage: x\n\n  --much-longer\n            " FIFTY TEN "12345 8\n            10 more\n");
  expect("usage: x\n\n  -a FORM   csv   text\n            json  " FIFTY TEN "x 2\n            page  text\n",
         "usage: x\n\n  -a FORM   csv   text\n            json  " FIFTY TEN
         "x\n                  2\n            page  text\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(fitting_lines), cmocka_unit_test(paragraphs),
                                     cmocka_unit_test(options)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
