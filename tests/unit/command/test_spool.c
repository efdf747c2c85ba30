/* Profiles that are kept until they are sent: what cannot be read is told with its reason. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/push/spool.h"

/* What `cli_spool_read` writes to stderr, which returns NULL; the file has room for it. */
static void fail_to_read(const struct cli_spool *spool, const struct cli_spooled *spooled, FILE *told, char line[256])
{
  const int errors = dup(STDERR_FILENO);
  rewind(told);
  assert_int_equal(dup2(fileno(told), STDERR_FILENO), STDERR_FILENO);
  struct rlimit before, none;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  none = before;
  none.rlim_cur = 0;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  void *data = cli_spool_read(spool, spooled);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  assert_int_equal(dup2(errors, STDERR_FILENO), STDERR_FILENO);
  close(errors);
  assert_null(data);
  rewind(told);
  assert_non_null(fgets(line, 256, told));
}

static void test_why_a_profile_cannot_be_read(void **state)
{
  (void)state;
  char folder[] = "/tmp/callsig-spool-XXXXXX", line[256];
  struct cli_spool spool = {.folder = -1};
  struct cli_spooled spooled;
  assert_non_null(mkdtemp(folder));
  assert_int_equal(cli_spool_open(&spool, folder), 0);
  assert_int_equal(cli_spool_add(&spool, 1, 2, "profile", 7), 0);
  assert_int_equal(cli_spool_oldest(&spool, &spooled), 1);
  char *data = cli_spool_read(&spool, &spooled);
  assert_non_null(data);
  assert_memory_equal(data, "profile", 7);
  free(data);
  FILE *told = tmpfile();
  fail_to_read(&spool, &spooled, told, line);
  assert_non_null(strstr(line, strerror(EMFILE)));
  fclose(told);
  assert_int_equal(cli_spool_remove(&spool, &spooled), 0);
  cli_spool_close(&spool);
  rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_why_a_profile_cannot_be_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
