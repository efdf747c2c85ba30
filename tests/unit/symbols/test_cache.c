/* The cache of indexes: test_cache ELF. */
/* ctest: arguments $<TARGET_FILE:symbols_sample> */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/index/cache.h"
#include "symbols/index/prune.h"

static const char *program;
static char top[] = "/tmp/callsig-cache-XXXXXX";

static char last_message[1024];

static void note(const char *line, void *data)
{
  (void)data;
  snprintf(last_message, sizeof last_message, "%s", line);
}

static const struct sym_index_options options = {.size = sizeof options, .message = note};

static int set_up(void **state)
{
  (void)state;
  last_message[0] = '\0';
  return setenv("CALLSIG_CACHE_DIR", top, 1);
}

static unsigned mode_of(const char *path)
{
  struct stat facts;
  assert_int_equal(stat(path, &facts), 0);
  return facts.st_mode & 07777;
}

static unsigned files_in(const char *directory)
{
  unsigned count = 0;
  DIR *entries = opendir(directory);
  assert_non_null(entries);
  for (struct dirent *entry; (entry = readdir(entries));)
    count += entry->d_name[0] != '.';
  closedir(entries);
  return count;
}

static struct timespec changed(const char *path)
{
  struct stat facts;
  assert_int_equal(stat(path, &facts), 0);
  return facts.st_mtim;
}

/* Marks a file as old, so that writing it again shows. */
static void age(const char *path)
{
  const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_made_once(void **state)
{
  char cached[PATH_MAX], directory[sizeof top + 16];
  (void)state;
  snprintf(directory, sizeof directory, "%s/deep/er", top);
  setenv("CALLSIG_CACHE_DIR", directory, 1);
  mode_t mask = umask(0);
  assert_int_equal(sym_index_cache(program, &options, cached, sizeof cached), 0);
  umask(mask);
  assert_int_equal(mode_of(directory), 0700);
  assert_int_equal(mode_of(cached), 0600);
  assert_int_equal(files_in(directory), 1);
  age(cached);
  assert_int_equal(sym_index_cache(program, &options, cached, sizeof cached), 0);
  assert_int_equal(changed(cached).tv_sec, 1000);
}

static void assert_made_again(const char *cached)
{
  age(cached);
  assert_int_equal(sym_index_cache(program, &options, NULL, 0), 0);
  assert_int_not_equal(changed(cached).tv_sec, 1000);
  age(cached);
  assert_int_equal(sym_index_cache(program, &options, NULL, 0), 0);
  assert_int_equal(changed(cached).tv_sec, 1000);
}

static void test_made_again(void **state)
{
  char cached[PATH_MAX];
  (void)state;
  assert_int_equal(sym_index_cache(program, &options, cached, sizeof cached), 0);
  /* Cut off. */
  assert_int_equal(truncate(cached, 100), 0);
  assert_made_again(cached);
  assert_int_equal(truncate(cached, 0), 0);
  assert_made_again(cached);
  /* Another version of the code that makes indexes. */
  int fd = open(cached, O_WRONLY);
  uint32_t producer = 1;
  assert_int_equal(pwrite(fd, &producer, sizeof producer, offsetof(struct fmt_index_header, producer)),
                   sizeof producer);
  close(fd);
  assert_made_again(cached);
  /* A byte of the contents. */
  fd = open(cached, O_WRONLY);
  assert_int_equal(pwrite(fd, "\xff\xff\xff\xff", 4, sizeof(struct fmt_index_header) + 64), 4);
  close(fd);
  assert_made_again(cached);
}

/* Each expression of --below has an index of its own: those that were used last stay, and other modules' are left
 * alone. */
static void test_bounded(void **state)
{
  char cached[PATH_MAX] = "", first[PATH_MAX] = "", other[PATH_MAX + 16], directory[sizeof top + 16];
  (void)state;
  snprintf(directory, sizeof directory, "%s/bounded", top);
  setenv("CALLSIG_CACHE_DIR", directory, 1);
  struct sym_index_options below = options;
  for (unsigned i = 0; i < SYM_CACHE_KEPT + 4; i++) {
    below.below_hash = 1000 + i;
    assert_int_equal(sym_index_cache(program, &below, i == 0 ? first : cached, PATH_MAX), 0);
    if (i == 0) {
      snprintf(other, sizeof other, "%s/00ff-0000000000000000-v1.csi", directory);
      int fd = open(other, O_WRONLY | O_CREAT, 0600);
      assert_true(fd >= 0);
      close(fd);
      age(other);
    }
    age(i == 0 ? first : cached);
    /* The first is used again and again. */
    below.below_hash = 1000;
    assert_int_equal(sym_index_cache(program, &below, NULL, 0), 0);
  }
  assert_int_equal(files_in(directory), SYM_CACHE_KEPT + 1);
  assert_int_equal(access(first, F_OK), 0);
  assert_int_equal(access(cached, F_OK), 0);
  assert_int_equal(access(other, F_OK), 0);
}

static void put(const char *directory, const char *name, off_t size, time_t used)
{
  char path[PATH_MAX];
  const struct timespec times[2] = {{.tv_sec = used}, {.tv_sec = used}};
  snprintf(path, sizeof path, "%s/%s", directory, name);
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  assert_true(fd >= 0);
  assert_int_equal(ftruncate(fd, size), 0);
  assert_int_equal(futimens(fd, times), 0);
  close(fd);
}

static bool is_there(const char *directory, const char *name)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return access(path, F_OK) == 0;
}

/* A program that is built again and again leaves an index of each build: all together are bounded, what is in use is
 * not touched, and neither is what is no index. */
static void test_bounded_in_bytes(void **state)
{
  static const char made[] = "aa01-0000000000000000-v2.csi", unused[] = "bb02-0000000000000000-v2.csi",
                    less_unused[] = "cc03-00000000000000ff-v1.csi", last_used[] = "dd04-0000000000000000-v2.csi",
                    recent[] = "file-00000000000000aa-0000000000000000-v2.csi",
                    killed[] = "ee05-0000000000000000-v2.csi.aB3xY9", written[] = "ee06-0000000000000000-v2.csi.aB3xY9";
  static const char *const others[] = {"notes.csi", "bb02-0-v2.csi", "bb02-0000000000000000-v2.csi.old",
                                       "my-0000000000000000-v2.csi", "bb02-0000000000000000-v.csi"};
  const time_t now = 100 * SYM_CACHE_SPARED;
  char directory[sizeof top + 16], link[PATH_MAX];
  (void)state;
  snprintf(directory, sizeof directory, "%s/bytes", top);
  assert_int_equal(mkdir(directory, 0700), 0);
  put(directory, made, 1000, 0);
  put(directory, unused, 1000, 0);
  put(directory, less_unused, 1000, 10);
  put(directory, last_used, 1000, now - SYM_CACHE_SPARED - 1);
  put(directory, recent, 5000, now - SYM_CACHE_SPARED);
  put(directory, killed, 9000, 0);
  put(directory, written, 9000, now);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    put(directory, others[i], 9000, 0);
  snprintf(link, sizeof link, "%s/ff07-0000000000000000-v2.csi", directory);
  assert_int_equal(symlink("notes.csi", link), 0);

  assert_int_equal(sym_cache_prune(directory, made, 9000, now), 0);
  assert_false(is_there(directory, killed));
  assert_true(is_there(directory, unused));
  assert_int_equal(sym_cache_prune(directory, made, 7000, now), 0);
  assert_false(is_there(directory, unused));
  assert_false(is_there(directory, less_unused));
  assert_true(is_there(directory, last_used));
  assert_int_equal(sym_cache_prune(directory, made, 0, now), 0);
  assert_false(is_there(directory, last_used));
  assert_true(is_there(directory, made) && is_there(directory, recent) && is_there(directory, written));
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    assert_true(is_there(directory, others[i]));
  assert_int_equal(files_in(directory), 4 + sizeof others / sizeof others[0]);
  assert_int_equal(sym_cache_prune("/nonexistent", made, 0, now), 0);
}

static void test_not_writable(void **state)
{
  char directory[sizeof top + 32];
  (void)state;
  snprintf(directory, sizeof directory, "%s/file/below", top);
  char file[sizeof top + 16];
  snprintf(file, sizeof file, "%s/file", top);
  close(open(file, O_CREAT | O_WRONLY, 0600));
  setenv("CALLSIG_CACHE_DIR", directory, 1);
  assert_int_equal(sym_index_cache(program, &options, NULL, 0), -ENOTDIR);
  assert_non_null(strstr(last_message, "CALLSIG_CACHE_DIR"));
  unlink(file);
}

static void test_directory(void **state)
{
  char directory[PATH_MAX];
  (void)state;
  unsetenv("CALLSIG_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/x/cache", 1);
  setenv("HOME", "/h", 1);
  assert_int_equal(sym_cache_directory(directory, sizeof directory), 0);
  assert_string_equal(directory, "/x/cache/callsig");
  setenv("XDG_CACHE_HOME", "relative", 1);
  assert_int_equal(sym_cache_directory(directory, sizeof directory), 0);
  assert_string_equal(directory, "/h/.cache/callsig");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  assert_int_equal(sym_cache_directory(directory, sizeof directory), -ENOENT);
  assert_int_equal(sym_index_cache(program, &options, NULL, 0), -ENOENT);
  setenv("HOME", "/a-name-that-is-longer-than-the-buffer", 1);
  assert_int_equal(sym_cache_directory(directory, 10), -ENAMETOOLONG);
}

/* The home of users who are to have none is not made. */
static void test_home_that_is_not_there(void **state)
{
  char home[sizeof top + 16];
  struct stat facts;
  (void)state;
  snprintf(home, sizeof home, "%s/no-home", top);
  unsetenv("CALLSIG_CACHE_DIR");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", home, 1);
  assert_int_equal(sym_index_cache(program, &options, NULL, 0), -ENOENT);
  assert_non_null(strstr(last_message, home));
  assert_int_equal(stat(home, &facts), -1);
  assert_int_equal(mkdir(home, 0700), 0);
  assert_int_equal(sym_index_cache(program, &options, NULL, 0), 0);
}

static void test_missing_program(void **state)
{
  (void)state;
  assert_int_equal(sym_index_cache("/nonexistent", &options, NULL, 0), -ENOENT);
  assert_non_null(strstr(last_message, "/nonexistent"));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_made_once, set_up),
      cmocka_unit_test_setup(test_made_again, set_up),
      cmocka_unit_test_setup(test_not_writable, set_up),
      cmocka_unit_test_setup(test_directory, set_up),
      cmocka_unit_test_setup(test_home_that_is_not_there, set_up),
      cmocka_unit_test_setup(test_missing_program, set_up),
      cmocka_unit_test_setup(test_bounded, set_up),
      cmocka_unit_test(test_bounded_in_bytes),
  };
  if (argc != 2 || !mkdtemp(top))
    return 2;
  program = argv[1];
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[sizeof top + 16];
  snprintf(command, sizeof command, "rm -rf '%s'", top);
  return system(command) != 0 || failed;
}
