/* Which calls count as the shortest of their edge, where waits for a processor were taken out of some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/stack/waiting.h"

#define ASKING 1000u  /* ticks that asking the kernel takes */
#define FOUND  50000u /* when a wait was last found */
#define LEAST  20000u /* ticks of the shortest call that is known */
#define LONG   (ASKING * PROF_CHANGE_COST * PROF_CHANGE_SMALL)

static const struct prof_thread waited = {.waited_at = FOUND, .look_least = {ASKING, ASKING}},
                                calm = {.look_least = {UINT64_MAX, UINT64_MAX}};

static void calls_that_no_wait_was_in(void **state)
{
  (void)state;
  assert_int_equal(prof_waiting_extreme(&calm, 0, 1, LEAST), 1);
  assert_int_equal(prof_waiting_extreme(&waited, FOUND, 1, LEAST), 1);
  assert_int_equal(prof_waiting_extreme(&waited, FOUND + 7, LEAST + 1, LEAST), LEAST + 1);
}

static void little_is_left_of_a_short_call(void **state)
{
  (void)state;
  assert_int_equal(prof_waiting_extreme(&waited, FOUND - 1, 1, LEAST), LEAST);
  assert_int_equal(prof_waiting_extreme(&waited, 0, LEAST - 1, LEAST), LEAST);
  assert_int_equal(prof_waiting_extreme(&waited, 0, LEAST + 1, LEAST), LEAST + 1);
}

/* Of a call that is long, a wait leaves what it has taken but for a few per cent. */
static void long_calls(void **state)
{
  (void)state;
  assert_int_equal(prof_waiting_extreme(&waited, 0, LONG, 2 * LONG), LONG);
  assert_int_equal(prof_waiting_extreme(&waited, 0, LONG - 1, 2 * LONG), 2 * LONG);
}

/* It is the only thing that is known. */
static void the_first_call(void **state)
{
  (void)state;
  assert_int_equal(prof_waiting_extreme(&waited, 0, 1, UINT64_MAX), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_that_no_wait_was_in),
      cmocka_unit_test(little_is_left_of_a_short_call),
      cmocka_unit_test(long_calls),
      cmocka_unit_test(the_first_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
