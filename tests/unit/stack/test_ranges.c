/* Ranges found by their addresses: held against a list of all, newest first; and what looks meanwhile finds sound ones.
 */
#include "profiler/base/ranges.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT 3000u

static uint64_t seed = 88172645463325252u;

static uint64_t random_below(uint64_t bound)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed % bound;
}

static struct prof_range known[COUNT];
static unsigned known_count;

/* What the newest of those that match is, by looking at all. */
static struct prof_range *newest(bool (*matches)(const struct prof_range *, uintptr_t, uintptr_t), uintptr_t low,
                                 uintptr_t high)
{
  struct prof_range *found = NULL;
  for (unsigned i = 0; i < known_count; i++)
    if (matches(&known[i], low, high) && (!found || known[i].number > found->number))
      found = &known[i];
  return found;
}

static bool holds(const struct prof_range *range, uintptr_t low, uintptr_t high)
{
  (void)high;
  return range->low <= low && low < range->high;
}

static bool is_same(const struct prof_range *range, uintptr_t low, uintptr_t high)
{
  return range->low == low && range->high == high;
}

static unsigned place_of(uintptr_t low, uintptr_t high)
{
  return 63u - (unsigned)__builtin_clzll(high - low);
}

static bool is_across(const struct prof_range *range, uintptr_t low, uintptr_t high)
{
  return range->low < high && low < range->high && place_of(range->low, range->high) >= place_of(low, high);
}

static void make_bounds(uintptr_t *low, uintptr_t *high)
{
  *low = 0x7f0000000000u + random_below(1u << 22);
  *high = *low + 1 + random_below(UINT64_C(1) << random_below(21));
}

static void assert_agrees(const struct prof_ranges *ranges)
{
  uintptr_t low, high;
  make_bounds(&low, &high);
  assert_ptr_equal(prof_ranges_at(ranges, low), newest(holds, low, high));
  assert_ptr_equal(prof_ranges_across(ranges, low, high), newest(is_across, low, high));
  assert_ptr_equal(prof_ranges_with(ranges, low, high), newest(is_same, low, high));
  if (known_count == 0)
    return;
  const struct prof_range *some = &known[random_below(known_count)];
  assert_ptr_equal(prof_ranges_with(ranges, some->low, some->high), newest(is_same, some->low, some->high));
  assert_ptr_equal(prof_ranges_at(ranges, some->high), newest(holds, some->high, 0));
  assert_ptr_equal(prof_ranges_at(ranges, some->high - 1), newest(holds, some->high - 1, 0));
}

static void agrees_with_a_list(void **state)
{
  (void)state;
  struct prof_arena arena = {0};
  struct prof_ranges ranges = {0};
  uintptr_t low, high;
  known_count = 0;
  assert_agrees(&ranges);
  while (known_count < COUNT) {
    make_bounds(&low, &high);
    assert_true(prof_ranges_add(&ranges, &arena, &known[known_count++], low, high));
    struct prof_range *some = &known[random_below(known_count)];
    make_bounds(&low, &high);
    if (random_below(3) == 0)
      assert_true(prof_ranges_add(&ranges, &arena, some, low, high));
    else if (random_below(3) == 0)
      assert_true(prof_ranges_resize(&ranges, &arena, some, some->low - random_below(5000), some->high));
    assert_agrees(&ranges);
  }
  prof_arena_free(&arena);
}

/* A range that is never two places at once takes no more of the table, however often it moves. */
static void moves_without_end(void **state)
{
  (void)state;
  struct prof_arena arena = {0};
  struct prof_ranges ranges = {0};
  struct prof_range range = {0};
  known_count = 0;
  struct prof_range_slots *slots = NULL;
  for (unsigned i = 0; i < 200000; i++) {
    const uintptr_t low = 0x7f0000000000u + (i * 7919u % 64u) * 3000u;
    assert_true(prof_ranges_add(&ranges, &arena, &range, low, low + 8192 + i % 4000u));
    assert_ptr_equal(prof_ranges_at(&ranges, low), &range);
    if (i == 1000)
      slots = ranges.slots;
  }
  assert_ptr_equal(ranges.slots, slots);
  prof_arena_free(&arena);
}

static void ends_of_all_addresses(void **state)
{
  (void)state;
  struct prof_arena arena = {0};
  struct prof_ranges ranges = {0};
  struct prof_range all = {0}, last = {0}, first = {0};
  assert_null(prof_ranges_at(&ranges, 0));
  assert_null(prof_ranges_at(&ranges, UINTPTR_MAX));
  assert_true(prof_ranges_add(&ranges, &arena, &all, 0, UINTPTR_MAX));
  assert_ptr_equal(prof_ranges_at(&ranges, 0), &all);
  assert_ptr_equal(prof_ranges_at(&ranges, UINTPTR_MAX - 1), &all);
  assert_null(prof_ranges_at(&ranges, UINTPTR_MAX));
  assert_ptr_equal(prof_ranges_with(&ranges, 0, UINTPTR_MAX), &all);
  assert_true(prof_ranges_add(&ranges, &arena, &last, UINTPTR_MAX - 1, UINTPTR_MAX));
  assert_true(prof_ranges_add(&ranges, &arena, &first, 0, 1));
  assert_ptr_equal(prof_ranges_at(&ranges, 0), &first);
  assert_ptr_equal(prof_ranges_at(&ranges, 1), &all);
  assert_ptr_equal(prof_ranges_at(&ranges, UINTPTR_MAX - 1), &last);
  assert_ptr_equal(prof_ranges_across(&ranges, 5, 6), &all);
  prof_arena_free(&arena);
}

static struct prof_ranges shared;
static struct prof_range stacks[4000];
static bool is_done;

static void *look(void *unused)
{
  while (!__atomic_load_n(&is_done, __ATOMIC_ACQUIRE))
    for (unsigned i = 0; i < 4000; i++) {
      const uintptr_t address = 0x10000u + (uintptr_t)i * 65536u + i;
      const struct prof_range *found = prof_ranges_at(&shared, address);
      assert_true(!found || found == &stacks[i]);
    }
  return unused;
}

static void is_sound_while_it_grows(void **state)
{
  (void)state;
  struct prof_arena arena = {0};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, look, NULL), 0);
  for (unsigned i = 0; i < 4000; i++) {
    const uintptr_t low = 0x10000u + (uintptr_t)i * 65536u;
    assert_true(prof_ranges_add(&shared, &arena, &stacks[i], low, low + 65536u));
  }
  __atomic_store_n(&is_done, true, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  for (unsigned i = 0; i < 4000; i++)
    assert_ptr_equal(prof_ranges_at(&shared, 0x10000u + (uintptr_t)i * 65536u), &stacks[i]);
  prof_arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_a_list),
      cmocka_unit_test(moves_without_end),
      cmocka_unit_test(ends_of_all_addresses),
      cmocka_unit_test(is_sound_while_it_grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
