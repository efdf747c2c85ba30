/* A file that is written whole or not at all: nothing is beside it before, what fails leaves nothing, and it is its
 * owner's alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callsig/stats.h"
#include "format/recording.h"
#include "output/text/output_file.h"

static int enter(void **state)
{
  char *folder = strdup("output_file.XXXXXX");
  *state = folder;
  return folder != NULL && mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
  int result = chdir("..") == 0 ? rmdir(*state) : -1;
  free(*state);
  return result;
}

static unsigned count_files(void)
{
  unsigned count = 0;
  DIR *folder = opendir(".");
  assert_non_null(folder);
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(folder);
  return count;
}

static void write_file(const char *text, int result)
{
  struct out_output_file file;
  assert_int_equal(out_output_file_open(&file, "out"), 0);
  assert_true(fputs(text, file.stream) >= 0);
  assert_int_equal(out_output_file_close(&file, result), result);
}

static void expect(const char *text)
{
  char read[32] = {0};
  struct stat about;
  FILE *file = fopen("out", "r");
  assert_non_null(file);
  assert_int_equal(fstat(fileno(file), &about), 0);
  assert_int_equal(about.st_mode & 0777, 0600);
  assert_int_equal(fread(read, 1, sizeof read - 1, file), strlen(text));
  assert_string_equal(read, text);
  fclose(file);
  assert_int_equal(count_files(), 1);
}

static void takes_the_place(void **state)
{
  (void)state;
  write_file("first", 0);
  expect("first");
  write_file("second", 0);
  expect("second");
  write_file("third", -EINVAL);
  expect("second");
  assert_int_equal(unlink("out"), 0);
  write_file("fourth", -ENOMEM);
  assert_int_equal(count_files(), 0);
}

/* Where the file system has files without names, a kill leaves nothing. */
static void nothing_is_there_before(void **state)
{
  (void)state;
  int unnamed = open(".", O_WRONLY | O_TMPFILE | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (unnamed < 0)
    skip();
  close(unnamed);
  struct out_output_file file;
  assert_int_equal(out_output_file_open(&file, "out"), 0);
  assert_true(fputs("text", file.stream) >= 0);
  assert_int_equal(fflush(file.stream), 0);
  assert_int_equal(count_files(), 0);
  assert_int_equal(out_output_file_close(&file, 0), 0);
  expect("text");
  assert_int_equal(unlink("out"), 0);
}

/* What has the name that would be taken stays as it is. */
static void names_are_taken(void **state)
{
  (void)state;
  char name[32];
  snprintf(name, sizeof name, ".out.%06x", (unsigned)getpid() & 0xffffffu);
  assert_int_equal(symlink("elsewhere", name), 0);
  write_file("text", 0);
  assert_int_equal(unlink(name), 0);
  expect("text");
  write_file("more", 0);
  expect("more");
  assert_int_equal(symlink("elsewhere", ".out.placed"), 0);
  assert_int_equal(symlink("elsewhere", name), 0);
  write_file("last", 0);
  assert_int_equal(unlink(name), 0);
  assert_int_equal(unlink(".out.placed"), 0);
  expect("last");
  assert_int_equal(unlink("out"), 0);
}

/* What a kill left beside the file that was to be replaced goes when that is written again. */
static void left_by_a_kill(void **state)
{
  (void)state;
  write_file("first", 0);
  assert_int_equal(rename("out", ".out.placed"), 0);
  write_file("second", 0);
  write_file("third", 0);
  expect("third");
  assert_int_equal(unlink("out"), 0);
}

/* Several at once: each is whole, and one of them is there in the end. */
static void several_write(void **state)
{
  (void)state;
  enum { WRITERS = 4, TIMES = 300 };
  for (unsigned i = 0; i < WRITERS; i++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
      continue;
    int failed = 0;
    for (unsigned k = 0; k < TIMES && !failed; k++) {
      struct out_output_file file;
      failed = out_output_file_open(&file, "out") != 0 || fputs("text", file.stream) < 0 ||
               out_output_file_close(&file, 0) != 0;
    }
    _exit(failed);
  }
  for (unsigned i = 0; i < WRITERS; i++) {
    int status;
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
  write_file("last", 0);
  expect("last");
  assert_int_equal(unlink("out"), 0);
}

static void count_busy(const char *line, void *data)
{
  *(unsigned *)data += strcmp(line, "out: is a recording that a program still writes; name another file") == 0;
}

/* A program that begins to record at the path while the file is on its way keeps its recording. `begun`: what it has
 * written by then. */
static void begin_meanwhile(const char *begun, size_t size, int lock, bool is_own, int expected)
{
  struct out_output_file file;
  unsigned told = 0;
  assert_int_equal(out_output_file_open(&file, "out"), 0);
  assert_true(fputs("new", file.stream) >= 0);
  const int held = open("out", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  assert_true(held >= 0);
  assert_int_equal(write(held, begun, size), (ssize_t)size);
  assert_int_equal(flock(held, lock), 0);
  file.is_own_place = is_own;
  callsig_stats_set_message(count_busy, &told);
  assert_int_equal(out_output_file_close(&file, 0), expected);
  callsig_stats_set_message(NULL, NULL);
  struct stat opened, there;
  assert_int_equal(fstat(held, &opened), 0);
  assert_int_equal(stat("out", &there), 0);
  assert_int_equal(opened.st_ino == there.st_ino, expected < 0);
  assert_int_equal(told, expected < 0);
  assert_int_equal(count_files(), 1);
  assert_int_equal(close(held), 0);
  assert_int_equal(unlink("out"), 0);
}

static void recorded_meanwhile(void **state)
{
  static const char awaited[4096];
  (void)state;
  begin_meanwhile(FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC, LOCK_SH, false, -EBUSY);
  begin_meanwhile(awaited, sizeof awaited, LOCK_SH, false, -EBUSY);
  begin_meanwhile("", 0, LOCK_SH, false, -EBUSY);
  begin_meanwhile(FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC, LOCK_SH, true, 0);
  begin_meanwhile(FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC, LOCK_UN, false, 0);
  begin_meanwhile("a text", sizeof "a text", LOCK_SH, false, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(takes_the_place, enter, leave),
      cmocka_unit_test_setup_teardown(nothing_is_there_before, enter, leave),
      cmocka_unit_test_setup_teardown(names_are_taken, enter, leave),
      cmocka_unit_test_setup_teardown(left_by_a_kill, enter, leave),
      cmocka_unit_test_setup_teardown(several_write, enter, leave),
      cmocka_unit_test_setup_teardown(recorded_meanwhile, enter, leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
