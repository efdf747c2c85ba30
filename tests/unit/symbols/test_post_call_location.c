/* Homes that parameters get after the hook's call: what DWARF says is lost stays so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/location/post_call_location.h"

/* Where a description is lost before anything of it was made code of, there is no code to look at. */
static void the_lost_have_no_code(void **state)
{
  (void)state;
  const struct sym_location_context context = {0};
  struct sym_location location;
  memset(&location, 0xff, sizeof location);
  sym_location_lose(&location, SYM_LOST_PIECE);
  sym_post_call_home(&context, 8, &location);
  assert_int_equal(location.kind, SYM_LOCATION_LOST);
  assert_int_equal(location.lost, SYM_LOST_PIECE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_lost_have_no_code)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
