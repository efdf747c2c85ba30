/* What is looked into as a recording is a file: all else is not so much as opened, which a device may answer by doing
 * something. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/process_recording.h"
#include "format/recording.h"

/* Whether the file is taken for a recording; *opened: it was opened for that. */
static bool look(const char *path, bool *opened)
{
  struct fmt_rec_header header;
  char events[4096];
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  assert_true(watch >= 0);
  assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
  const bool is_one = cli_recording_header(path, &header);
  *opened = read(watch, events, sizeof events) > 0;
  close(watch);
  return is_one;
}

static void name_of(char path[64], const char *what)
{
  snprintf(path, 64, "/tmp/test_process_recording.%d.%s", (int)getpid(), what);
}

static void a_recording_is_opened(void **state)
{
  const struct fmt_rec_header header = {.magic = FMT_RECORDING_MAGIC};
  char path[64];
  bool opened;
  (void)state;
  name_of(path, "file");
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  assert_int_equal(write(file, &header, sizeof header), sizeof header);
  close(file);
  assert_true(look(path, &opened));
  assert_true(opened);
  unlink(path);
}

static void what_is_no_file_is_not_opened(void **state)
{
  char path[64];
  bool opened;
  (void)state;
  name_of(path, "fifo");
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_false(look(path, &opened));
  assert_false(opened);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_recording_is_opened),
      cmocka_unit_test(what_is_no_file_is_not_opened),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
