/* Memory within reach of a module: in which gap between the mappings it is taken, and when there is none. */
#include "profiler/sled/near_memory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "profiler/base/syscall.h"

#define PAGE     ((uintptr_t)4096)
#define MEGABYTE ((uintptr_t)1 << 20)
#define GIGABYTE ((uintptr_t)1 << 30)
#define AROUND   (4 * GIGABYTE) /* of the module, on either side: full, but for the gaps that a test makes */
#define REACH    (2 * GIGABYTE)
#define SIZE     (3 * PAGE)

static uintptr_t low, high; /* the module */

static int fill(void **state)
{
  (void)state;
  void *mapped = mmap(NULL, 2 * AROUND, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return -1;
  low = (uintptr_t)mapped + AROUND;
  high = low + MEGABYTE;
  return 0;
}

static int clear(void **state)
{
  (void)state;
  return munmap((void *)(low - AROUND), 2 * AROUND);
}

static void gap(uintptr_t start, uintptr_t end)
{
  assert_int_equal(munmap((void *)start, end - start), 0);
}

static void takes(uintptr_t expected, uint64_t reach)
{
  long mapped = prof_near_map(low, high, reach, SIZE);
  assert_false(prof_sys_failed(mapped));
  assert_int_equal(mapped, expected);
  for (size_t i = 0; i < SIZE; i++)
    assert_int_equal(((uint8_t *)mapped)[i], 0);
  memset((void *)mapped, 0xcc, SIZE);
}

static void none_left(void **state)
{
  (void)state;
  assert_int_equal(prof_near_map(low, high, REACH, SIZE), -ENOMEM);
}

/* A page is left free on either side, so that nothing runs over into it or from it. */
static void fits_with_guards(void **state)
{
  (void)state;
  gap(low - MEGABYTE, low - MEGABYTE + SIZE + PAGE);
  assert_int_equal(prof_near_map(low, high, REACH, SIZE), -ENOMEM);
  gap(low - MEGABYTE + SIZE + PAGE, low - MEGABYTE + SIZE + 2 * PAGE);
  takes(low - MEGABYTE + PAGE, REACH);
  assert_int_equal(prof_near_map(low, high, REACH, SIZE), -ENOMEM);
}

static void nearest_below(void **state)
{
  (void)state;
  gap(low - 64 * MEGABYTE, low - 63 * MEGABYTE);
  gap(low - 32 * MEGABYTE, low - 31 * MEGABYTE);
  gap(high + MEGABYTE, high + 2 * MEGABYTE);
  takes(low - 31 * MEGABYTE - PAGE - SIZE, REACH);
}

/* Where a module was is left for it to come back to. */
static void leaves_small_gaps(void **state)
{
  (void)state;
  gap(low - 32 * MEGABYTE, low - 31 * MEGABYTE);
  gap(low - 256 * MEGABYTE, low - 128 * MEGABYTE);
  takes(low - 128 * MEGABYTE - PAGE - SIZE, REACH);
}

static void above(void **state)
{
  (void)state;
  gap(high + 8 * MEGABYTE, high + 9 * MEGABYTE);
  gap(high + 16 * MEGABYTE, high + 17 * MEGABYTE);
  takes(high + 8 * MEGABYTE + PAGE, REACH);
}

/* What lies directly above a program is where its heap grows. */
static void heap_has_room(void **state)
{
  (void)state;
  gap(high, high + GIGABYTE);
  takes(high + 256 * MEGABYTE, REACH);
}

/* The far end of the module reaches the far end of the memory. */
static void reach_below(void **state)
{
  (void)state;
  gap(low - MEGABYTE, low - MEGABYTE + SIZE + 2 * PAGE);
  uint64_t needed = high - (low - MEGABYTE + PAGE);
  assert_int_equal(prof_near_map(low, high, needed - 1, SIZE), -ENOMEM);
  takes(low - MEGABYTE + PAGE, needed);
}

static void reach_above(void **state)
{
  (void)state;
  gap(high + MEGABYTE, high + MEGABYTE + SIZE + 2 * PAGE);
  uint64_t needed = high + MEGABYTE + PAGE + SIZE - low;
  assert_int_equal(prof_near_map(low, high, needed - 1, SIZE), -ENOMEM);
  takes(high + MEGABYTE + PAGE, needed);
}

/* A gap out of reach does not stand in for one within. */
static void beyond_reach(void **state)
{
  (void)state;
  gap(low - 3 * GIGABYTE, low - 3 * GIGABYTE + MEGABYTE);
  gap(high + 2 * GIGABYTE, high + 2 * GIGABYTE + MEGABYTE);
  assert_int_equal(prof_near_map(low, high, REACH, SIZE), -ENOMEM);
}

static void whole_pages(void **state)
{
  (void)state;
  gap(low - MEGABYTE, low - MEGABYTE + 4 * PAGE);
  long mapped = prof_near_map(low, high, REACH, PAGE + 1);
  assert_int_equal(mapped, low - MEGABYTE + PAGE);
  ((volatile uint8_t *)mapped)[2 * PAGE - 1] = 1;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fill, clear)
  const struct CMUnitTest tests[] = {
      TEST(none_left),     TEST(fits_with_guards), TEST(nearest_below), TEST(leaves_small_gaps), TEST(above),
      TEST(heap_has_room), TEST(reach_below),      TEST(reach_above),   TEST(beyond_reach),      TEST(whole_pages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
