/* The place of a run's recording when it is given back: what may hold calls stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/recording_place.h"

static void take(struct cli_recording_place *place, char path[64])
{
  uint32_t writer = 0;
  snprintf(path, 64, "/tmp/test_recording_place.%d", (int)getpid());
  *place = (struct cli_recording_place){.fd = -1};
  assert_int_equal(cli_recording_place_take(path, place, &writer), 0);
  assert_int_equal(access(path, F_OK), 0);
}

static void what_never_came_is_removed(void **state)
{
  struct cli_recording_place place;
  struct fmt_rec_header header;
  char path[64];
  (void)state;
  take(&place, path);
  assert_int_equal(cli_recording_place_header(&place, &header), -ENOENT);
  cli_recording_place_leave(&place);
  assert_int_equal(access(path, F_OK), -1);
}

static void what_was_recorded_stays(void **state)
{
  struct cli_recording_place place;
  struct fmt_rec_header header = {.magic = FMT_RECORDING_MAGIC};
  char path[64];
  (void)state;
  take(&place, path);
  header.run = place.run;
  assert_int_equal(pwrite(place.fd, &header, sizeof header, 0), sizeof header);
  cli_recording_place_leave(&place);
  assert_int_equal(unlink(path), 0);
}

/* Reading fails, here by a descriptor that only writes: nobody knows then that there is nothing. */
static void what_cannot_be_read_stays(void **state)
{
  struct cli_recording_place place;
  struct fmt_rec_header header;
  char path[64];
  (void)state;
  take(&place, path);
  const int writes = open(path, O_WRONLY | O_CLOEXEC);
  assert_true(writes >= 0);
  close(place.fd);
  place.fd = writes;
  assert_int_equal(cli_recording_place_header(&place, &header), -EBADF);
  cli_recording_place_leave(&place);
  assert_int_equal(unlink(path), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_never_came_is_removed),
      cmocka_unit_test(what_was_recorded_stays),
      cmocka_unit_test(what_cannot_be_read_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
