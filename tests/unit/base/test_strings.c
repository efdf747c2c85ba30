/* A table of strings has each text once, and at the offset that was told for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strings.h"

static void shared(void **state)
{
  (void)state;
  struct base_strings *strings = base_strings_new();
  uint32_t first, other, again, empty;
  assert_int_equal(base_strings_add(strings, "first", &first), 0);
  assert_int_equal(base_strings_add(strings, "other", &other), 0);
  assert_int_equal(base_strings_add(strings, "first", &again), 0);
  assert_int_equal(base_strings_add(strings, "", &empty), 0);
  assert_int_equal(first, again);
  assert_int_not_equal(first, other);
  assert_int_equal(empty, 0);
  assert_string_equal(base_strings_at(strings, other), "other");
  base_strings_free(strings);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(shared)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
