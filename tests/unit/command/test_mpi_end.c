/* Ranks that have ended meet at files that each leaves for the other: what else lies there is none of theirs. */
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
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/mpi_end.h"

enum { RANKS = 3, BEFORE = 7 };

static const unsigned orders[][RANKS] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}}; /* in which ranks end */

static char folder[] = "/tmp/test_mpi_end.XXXXXX";

static void name(char path[PATH_MAX], const char *file)
{
  snprintf(path, PATH_MAX, "%s/%s", folder, file);
}

static void name_of_rank(char path[PATH_MAX], const char *before, unsigned rank, const char *behind)
{
  snprintf(path, PATH_MAX, "%s/%s%u%s", folder, before, rank, behind);
}

/* A file of so many bytes, new. */
static void make(const char *path, unsigned size)
{
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  assert_true(file >= 0);
  assert_int_equal(ftruncate(file, size), 0);
  close(file);
}

/* Where ranks that recorded nothing come together: FILE has so many bytes before, and none when it was made anew. */
static int begin(void **state)
{
  char path[PATH_MAX];
  (void)state;
  strcpy(strrchr(folder, '.'), ".XXXXXX");
  if (!mkdtemp(folder))
    return -1;
  name(path, "file");
  make(path, BEFORE);
  for (unsigned rank = 0; rank < RANKS; rank++) {
    name_of_rank(path, "file.rank", rank, "");
    make(path, 0);
  }
  return 0;
}

static int end(void **state)
{
  (void)state;
  DIR *files = opendir(folder);
  for (const struct dirent *file; files && (file = readdir(files));)
    unlinkat(dirfd(files), file->d_name, 0);
  if (files)
    closedir(files);
  return rmdir(folder);
}

static void complete(unsigned rank)
{
  char joined[PATH_MAX], recording[PATH_MAX];
  struct cli_mpi_end one = {.joined = joined, .recording = recording, .rank = rank, .ranks = RANKS};
  name(joined, "file");
  name_of_rank(recording, "file.rank", rank, "");
  name_of_rank(one.own, ".file.rank", rank, ".1.mpi-own");
  name_of_rank(one.peer, ".file.rank", rank, ".1.mpi-peer");
  cli_mpi_end_complete(&one);
}

static int64_t size_of(const char *file)
{
  char path[PATH_MAX];
  struct stat status;
  name(path, file);
  return lstat(path, &status) == 0 ? (int64_t)status.st_size : -errno;
}

/* In any order the last of them puts all in FILE's place, and nothing is left beside it. */
static void the_last_completes(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    if (i > 0) {
      assert_int_equal(end(state), 0);
      assert_int_equal(begin(state), 0);
    }
    /* What ranks without calls leave is known by its mode, which is theirs under any umask. */
    const mode_t mask = umask(i % 2 ? 0277 : 022);
    for (unsigned k = 0; k < RANKS; k++) {
      assert_int_equal(size_of("file"), BEFORE);
      complete(orders[i][k]);
    }
    umask(mask);
    assert_int_equal(size_of("file"), 0);
    assert_int_equal(size_of(".file.1.mpi-node"), -ENOENT);
    assert_int_equal(size_of(".file.2.mpi-node"), -ENOENT);
  }
}

/* A link in the place of what the other left is not followed and not taken for a rank without calls: FILE stays as it
 * was, and nobody goes on to those who wait for both. */
static void a_link_is_no_rank(void **state)
{
  (void)state;
  char node[PATH_MAX], kept[PATH_MAX];
  complete(0);
  name(node, ".file.2.mpi-node");
  name(kept, "kept");
  assert_int_equal(rename(node, kept), 0);
  assert_int_equal(symlink(kept, node), 0);
  complete(2);
  complete(1);
  assert_int_equal(size_of("file"), BEFORE);
  assert_int_equal(size_of("kept"), 0);
  assert_int_equal(size_of(".file.2.mpi-node"), -ENOENT);
  assert_int_equal(size_of(".file.rank1.1.mpi-peer"), -ENOENT);
  assert_int_equal(size_of(".file.1.mpi-node"), -ENOENT);
}

/* What one rank recorded cannot be read: in any order FILE stays as it was, and nothing is left beside it. */
static void who_fails_keeps_nobody_waiting(void **state)
{
  static const char *const parts[] = {".file.1.mpi-node", ".file.2.mpi-node", ".file.rank0.1.mpi-own",
                                      ".file.rank1.1.mpi-own", ".file.rank2.1.mpi-own"};
  for (unsigned i = 0; i < RANKS * sizeof orders / sizeof *orders; i++) {
    char path[PATH_MAX];
    if (i > 0) {
      assert_int_equal(end(state), 0);
      assert_int_equal(begin(state), 0);
    }
    name_of_rank(path, "file.rank", i % RANKS, "");
    assert_int_equal(truncate(path, BEFORE), 0);
    for (unsigned k = 0; k < RANKS; k++)
      complete(orders[i / RANKS][k]);
    assert_int_equal(size_of("file"), BEFORE);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
      assert_int_equal(size_of(parts[k]), -ENOENT);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(the_last_completes, begin, end),
                                     cmocka_unit_test_setup_teardown(a_link_is_no_rank, begin, end),
                                     cmocka_unit_test_setup_teardown(who_fails_keeps_nobody_waiting, begin, end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
