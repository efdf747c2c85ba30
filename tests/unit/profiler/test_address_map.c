/* The map of addresses: what is put is taken once, it grows, its bound is told, and threads and forks do not mix. */
#include "profiler/base/address_map.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static uintptr_t address_of(uint64_t number)
{
  return 0x7f0000000000u + number * 48;
}

static struct prof_address_values values_of(uint64_t number)
{
  return (struct prof_address_values){number, ~number};
}

static void assert_taken(struct prof_address_map *map, uint64_t number)
{
  struct prof_address_values values = {0};
  assert_true(prof_address_map_take(map, address_of(number), &values));
  assert_int_equal(values.first, number);
  assert_int_equal(values.second, ~number);
  assert_false(prof_address_map_take(map, address_of(number), &values));
}

static void grows(void **state)
{
  (void)state;
  static struct prof_address_map map;
  const uint64_t count = 200000;
  for (uint64_t i = 0; i < count; i++)
    assert_true(prof_address_map_put(&map, address_of(i), values_of(i)));
  assert_non_null(map.levels[3]);
  assert_null(map.levels[5]);
  for (uint64_t i = count; i-- > 0;)
    assert_taken(&map, i);
  /* What was given back is used again: there are no more tables than before. */
  for (unsigned round = 0; round < 5; round++) {
    for (uint64_t i = 0; i < count; i++)
      assert_true(prof_address_map_put(&map, address_of(i * 7 + round), values_of(i * 7 + round)));
    for (uint64_t i = 0; i < count; i++)
      assert_taken(&map, i * 7 + round);
  }
  assert_null(map.levels[5]);
}

static void is_bounded(void **state)
{
  (void)state;
  static struct prof_address_map map = {.most = 2};
  uint64_t kept = 0, count = 40000;
  unsigned char *is_kept = calloc(count, 1);
  assert_non_null(is_kept);
  for (uint64_t i = 0; i < count; i++)
    kept += is_kept[i] = prof_address_map_put(&map, address_of(i), values_of(i));
  /* 4,096 and 16,384, of which hashing leaves few unused. */
  assert_in_range(kept, 18000, 20480);
  assert_null(map.levels[2]);
  struct prof_address_values values;
  for (uint64_t i = 0; i < count; i++)
    if (is_kept[i])
      assert_taken(&map, i);
    else
      assert_false(prof_address_map_take(&map, address_of(i), &values));
  free(is_kept);
}

static struct prof_address_map shared;

#define OF_THREAD 30000u

static void *fill_and_empty(void *number)
{
  const uint64_t first = (uint64_t)(uintptr_t)number * OF_THREAD;
  uint64_t wrong = 0;
  for (unsigned round = 0; round < 3; round++) {
    for (uint64_t i = first; i < first + OF_THREAD; i++)
      wrong += !prof_address_map_put(&shared, address_of(i), values_of(i));
    for (uint64_t i = first; i < first + OF_THREAD; i++) {
      struct prof_address_values values = {0};
      wrong += !prof_address_map_take(&shared, address_of(i), &values) || values.first != i || values.second != ~i;
    }
  }
  return (void *)(uintptr_t)wrong;
}

static void is_shared(void **state)
{
  (void)state;
  pthread_t threads[4];
  for (uintptr_t i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, fill_and_empty, (void *)i), 0);
  for (unsigned i = 0; i < 4; i++) {
    void *wrong;
    assert_int_equal(pthread_join(threads[i], &wrong), 0);
    assert_null(wrong);
  }
}

static void is_empty_in_a_child(void **state)
{
  (void)state;
  static struct prof_address_map map;
  assert_true(prof_address_map_put(&map, address_of(1), values_of(1)));
  pid_t child = fork();
  assert_return_code(child, 0);
  if (child == 0) {
    struct prof_address_values values;
    bool right = !prof_address_map_take(&map, address_of(1), &values) &&
                 prof_address_map_put(&map, address_of(2), values_of(2)) &&
                 prof_address_map_take(&map, address_of(2), &values) && values.first == 2;
    _exit(right ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_taken(&map, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(grows), cmocka_unit_test(is_bounded), cmocka_unit_test(is_shared),
                                     cmocka_unit_test(is_empty_in_a_child)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
