/* Factors as people write them: which texts are none, and how near the others are read. */
/* ctest: build _command callsig_symbols */
/* ctest: build _runtime callsig_runtime PkgConfig::XXHASH */
#include "format/factor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void expect(const char *text, uint32_t wanted)
{
  uint32_t parts = 0;
  if (!fmt_factor_parse(text, &parts) || parts != wanted)
    fail_msg("%s: %u", text, parts);
}

static void factors(void **state)
{
  (void)state;
  expect("2", 2048);
  expect("1.5", 1536);
  expect("01.50", 1536);
  expect("1.0005", 1025);
  expect("1.3", 1331);
  expect("3.99999999999999999999999", 4096);
  expect("1000000", UINT32_C(1024000000));
}

/* As little above 1 as can be said is above 1 all the same. */
static void little(void **state)
{
  (void)state;
  expect("1.00000001", 1025);
  expect("1.0004", 1025);
}

static void nothing(void **state)
{
  static const char *const texts[] = {"",   "1",  "1.0",   "0.5",     "0",         "-2",
                                      "+2", "1.", ".5",    "2x",      "1,5",       "1e3",
                                      " 2", "2 ", "1.5.2", "1000001", "1000000.1", "99999999999999999999999"};
  uint32_t parts;
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (fmt_factor_parse(texts[i], &parts))
      fail_msg("'%s' is %u", texts[i], parts);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(factors), cmocka_unit_test(little), cmocka_unit_test(nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
