/* Memory of arrays that grow from nothing to many large pages, and shrink again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/hugepage_array.h"

static void fill(uint32_t *numbers, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++)
    numbers[i] = (uint32_t)(i * 2654435761u);
}

static void check(const uint32_t *numbers, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (numbers[i] != (uint32_t)(i * 2654435761u))
      fail_msg("number %zu of %zu", i, count);
  }
}

/* Sizes up and down, on both sides of where memory is mapped, with another array behind that is in the way. */
static void sizes(void **state)
{
  (void)state;
  static const size_t counts[] = {0,       1,       1000,    1 << 19, (1 << 20) - 1, 1 << 20, (1 << 20) + 1,
                                  3 << 20, 5 << 20, 9 << 20, 2 << 20, 1 << 20,       1 << 18, 1 << 22};
  uint32_t *numbers = NULL, *other = NULL;
  size_t count = 0;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    numbers = base_hugepage_array_resize(numbers, count * sizeof *numbers, counts[i] * sizeof *numbers);
    assert_non_null(numbers);
    check(numbers, count < counts[i] ? count : counts[i]);
    fill(numbers, 0, counts[i]);
    if (other)
      check(other, count);
    base_hugepage_array_free(other, count * sizeof *other);
    count = counts[i];
    other = base_hugepage_array_new(count, sizeof *other);
    assert_non_null(other);
    fill(other, 0, count);
  }
  check(numbers, count);
  base_hugepage_array_free(numbers, count * sizeof *numbers);
  base_hugepage_array_free(other, count * sizeof *other);
  base_hugepage_array_free(NULL, 1 << 30);
}

/* What does not fit leaves the memory as it was. */
static void memory_is_short(void **state)
{
  (void)state;
  enum { COUNT = 2 << 20 };
  uint32_t *numbers = base_hugepage_array_new(COUNT, sizeof *numbers);
  assert_non_null(numbers);
  fill(numbers, 0, COUNT);
  assert_null(base_hugepage_array_new(SIZE_MAX / 4, 8));
  assert_null(base_hugepage_array_resize(NULL, 0, SIZE_MAX - 100));
  assert_null(base_hugepage_array_resize(numbers, COUNT * sizeof *numbers, SIZE_MAX / 3));
  struct rlimit limit, less = {0};
  assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
  less.rlim_max = limit.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
  uint32_t *moved = base_hugepage_array_resize(numbers, COUNT * sizeof *numbers, 4 * (COUNT * sizeof *numbers));
  void *made = base_hugepage_array_new(COUNT, sizeof *numbers);
  assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
  assert_null(moved);
  assert_null(made);
  check(numbers, COUNT);
  base_hugepage_array_free(numbers, COUNT * sizeof *numbers);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(memory_is_short)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
