/* The environment before the C library has found it: the kernel's copy, and what is known where that cannot be read. */
#include "profiler/base/environment.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

/* What nobody can read is not taken for empty, and is asked for again. */
static void is_read_or_unknown(void **state)
{
  (void)state;
  struct rlimit files;
  char **entries = environ;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
  const struct rlimit none = {0, files.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  environ = NULL;
  const long unread = prof_environment_find();
  const char *unknown = prof_environment("TEST_ENVIRONMENT");
  setrlimit(RLIMIT_NOFILE, &files);
  const long found = prof_environment_find();
  const char *value = prof_environment("TEST_ENVIRONMENT");
  environ = entries;
  assert_int_equal(unread, -EMFILE);
  assert_null(unknown);
  assert_int_equal(found, 0);
  assert_non_null(value);
  assert_string_equal(value, "value");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_read_or_unknown)};
  (void)argc;
  /* The kernel's copy is that of the program's start. */
  if (!getenv("TEST_ENVIRONMENT") && setenv("TEST_ENVIRONMENT", "value", 1) == 0)
    execv("/proc/self/exe", argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
