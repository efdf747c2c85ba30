/* callsig/pipeline.h included alone: a program needs no other header for pipelines and the messages about them. */
#include "callsig/pipeline.h"

/* cmocka.h needs these before it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static char told[256];

static void keep(const char *line, void *data)
{
  (void)data;
  strncpy(told, line, sizeof told - 1);
}

static void stands_alone(void **state)
{
  (void)state;
  struct callsig_pipeline *pipeline;
  callsig_stats_set_message(keep, NULL);
  assert_int_equal(callsig_pipeline_load("/nowhere/callsig.out", &pipeline), -ENOENT);
  assert_null(pipeline);
  assert_non_null(strstr(told, "/nowhere/callsig.out"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(stands_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
