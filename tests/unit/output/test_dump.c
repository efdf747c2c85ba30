/* Recordings written by callsig_stats_dump(): the merge of many is what all of them are.
 *
 *     test_output_dump RECORDINGS STEP     merges so many, and damages every STEPth word of two */
/* ctest: case - quick 40 53 */
/* ctest: case _more full 150 7 */
/* ctest: case _long full 1000 1 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callsig/pipeline.h"
#include "tests/support/output_sample.h"
#include "tests/support/pipeline_writer.h"
#include "tests/support/random_recording.h"
#include "tests/support/seeds.h"

static const char *numbered(unsigned number)
{
  char name[32];
  snprintf(name, sizeof name, "part-%u", number);
  return scratch_path(name);
}

/* Recordings of seeds 0, `step`, ... With a step of 4 their clocks have one rate. */
static void make_parts(unsigned count, unsigned step)
{
  for (unsigned i = 0; i < count; i++)
    save_random_recording(i * step, numbered(i));
}

static void remove_parts(unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    unlink(numbered(i));
}

/* The parts from `first` to `last`, downwards when `last` is smaller. */
static struct callsig_stats *load_parts(unsigned first, unsigned last)
{
  struct callsig_stats *stats;
  assert_int_equal(callsig_stats_load(numbered(first), &stats), 0);
  for (unsigned i = first; i != last;) {
    i += i < last ? 1u : -1u;
    assert_int_equal(callsig_stats_add(stats, numbered(i)), 0);
  }
  return stats;
}

static struct callsig_stats *load(const char *path)
{
  struct callsig_stats *stats;
  assert_int_equal(callsig_stats_load(path, &stats), 0);
  return stats;
}

static void dump_and_free(struct callsig_stats *stats, const char *path)
{
  assert_int_equal(callsig_stats_dump(stats, path), 0);
  callsig_stats_free(stats);
}

static const unsigned groupings[] = {
    CALLSIG_BY_SIGNATURE,
    CALLSIG_BY_FUNCTION,
    CALLSIG_BY_FUNCTION | CALLSIG_BY_MODULE,
    CALLSIG_BY_MODULE,
    CALLSIG_BY_FUNCTION | CALLSIG_BY_THREAD,
    CALLSIG_BY_THREAD,
    CALLSIG_BY_STAGE,
    CALLSIG_BY_SIGNATURE | CALLSIG_BY_STAGE,
};

static void expect_same(struct callsig_stats *left, struct callsig_stats *right, print_fn print)
{
  char *first = printed(left, print, NULL), *second = printed(right, print, NULL);
  if (strcmp(first, second) != 0) {
    size_t at = 0;
    while (first[at] == second[at])
      at++;
    at = at < 200 ? 0 : at - 200;
    fail_msg("reports differ:\n%.600s\n---\n%.600s", first + at, second + at);
  }
  free(first);
  free(second);
}

/* Everything that is printed of the two is equal, in every grouping but those by thread unless `threads`. */
static void expect_equal(struct callsig_stats *left, struct callsig_stats *right, bool threads, bool notes)
{
  static const print_fn noted[] = {callsig_stats_print, callsig_stats_print_json, callsig_stats_print_callers,
                                   callsig_stats_print_callees};
  for (size_t i = 0; i < sizeof groupings / sizeof groupings[0]; i++) {
    bool by_function = groupings[i] & (CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE);
    if (groupings[i] & CALLSIG_BY_THREAD && !threads)
      continue;
    assert_int_equal(callsig_stats_group(left, groupings[i]), 0);
    assert_int_equal(callsig_stats_group(right, groupings[i]), 0);
    expect_same(left, right, callsig_stats_print_csv);
    for (size_t k = 0; notes && k < (by_function ? 4 : 2); k++)
      expect_same(left, right, noted[k]);
  }
}

static void whole(void **state)
{
  const unsigned recordings = *(unsigned *)*state;
  make_parts(recordings, 1);
  const char *path = scratch_path("merged");
  char merged[256];
  snprintf(merged, sizeof merged, "%s", path);
  struct callsig_stats *all = load_parts(0, recordings - 1);
  assert_int_equal(callsig_stats_dump(all, merged), 0);
  struct stat status;
  assert_int_equal(stat(merged, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
  struct callsig_stats *one = load(merged);
  expect_equal(all, one, true, true);
  callsig_stats_compensate(all, 1);
  callsig_stats_compensate(one, 1);
  expect_equal(all, one, true, true);
  callsig_stats_free(all);
  callsig_stats_free(one);
  unlink(merged);
  remove_parts(recordings);
}

/* The bytes of a file; the caller frees them. */
static char *bytes_of(const char *path, size_t *size)
{
  struct stat status;
  int file = open(path, O_RDONLY);
  assert_true(file >= 0);
  assert_int_equal(fstat(file, &status), 0);
  char *bytes = malloc((size_t)status.st_size + 1);
  assert_non_null(bytes);
  *size = (size_t)status.st_size;
  assert_int_equal(read(file, bytes, *size), status.st_size);
  close(file);
  return bytes;
}

static void expect_same_file(const char *left, const char *right)
{
  size_t sizes[2];
  char *first = bytes_of(left, &sizes[0]), *second = bytes_of(right, &sizes[1]);
  assert_int_equal(sizes[0], sizes[1]);
  assert_memory_equal(first, second, sizes[0]);
  free(first);
  free(second);
}

/* (A + B) + C, A + (B + C) and A + B + C are the same file; so is the merge of one merge. */
static void associative(void **state)
{
  (void)state;
  enum { PARTS = 9 };
  char left[256], right[256], both[256];
  snprintf(left, sizeof left, "%s", scratch_path("left"));
  snprintf(right, sizeof right, "%s", scratch_path("right"));
  snprintf(both, sizeof both, "%s", scratch_path("both"));
  make_parts(PARTS, 1);
  dump_and_free(load_parts(0, PARTS - 1), both);
  for (unsigned cut = 1; cut < PARTS; cut++) {
    dump_and_free(load_parts(0, cut - 1), left);
    dump_and_free(load_parts(cut, PARTS - 1), right);
    struct callsig_stats *stats = load(left);
    assert_int_equal(callsig_stats_add(stats, right), 0);
    dump_and_free(stats, left);
    expect_same_file(left, both);
  }
  dump_and_free(load(both), right);
  expect_same_file(right, both);
  unlink(left);
  unlink(right);
  unlink(both);
  remove_parts(PARTS);
}

static void commutative(void **state)
{
  (void)state;
  enum { PARTS = 12 };
  make_parts(PARTS, 1);
  struct callsig_stats *up = load_parts(0, PARTS - 1), *down = load_parts(PARTS - 1, 0);
  callsig_stats_sort(up, "stdname");
  callsig_stats_sort(down, "stdname");
  static const unsigned by[] = {CALLSIG_BY_SIGNATURE, CALLSIG_BY_FUNCTION, CALLSIG_BY_FUNCTION | CALLSIG_BY_THREAD,
                                CALLSIG_BY_FUNCTION | CALLSIG_BY_MODULE};
  for (size_t i = 0; i < sizeof by / sizeof by[0]; i++) {
    assert_int_equal(callsig_stats_group(up, by[i]), 0);
    assert_int_equal(callsig_stats_group(down, by[i]), 0);
    expect_same(up, down, callsig_stats_print_csv);
  }
  callsig_stats_free(up);
  callsig_stats_free(down);
  remove_parts(PARTS);
}

static char *table_by(struct callsig_stats *stats, unsigned groups)
{
  callsig_stats_group(stats, groups);
  return printed(stats, callsig_stats_print, NULL);
}

/* Processes with stages stay by themselves where those of one command line become one, and all of them is kept. */
static void not_folded_by_command(void **state)
{
  (void)state;
  enum { PARTS = 12 };
  make_parts(PARTS, 4);
  char path[256];
  snprintf(path, sizeof path, "%s", scratch_path("folded"));
  struct callsig_stats *all = load_parts(0, PARTS - 1), *one = load_parts(0, PARTS / 2);
  assert_int_equal(callsig_stats_fold_processes(one), 0);
  assert_int_equal(callsig_stats_dump_family(one, path, 7), 0);
  callsig_stats_free(one);
  one = load_parts(PARTS / 2 + 1, PARTS - 1);
  assert_int_equal(callsig_stats_add(one, path), 0);
  assert_int_equal(callsig_stats_fold_processes(one), 0);
  expect_equal(all, one, false, false);
  assert_int_equal(callsig_stats_dump_family(one, path, 7), 0);
  struct callsig_stats *loaded = load(path);
  /* Notes name processes where they named files, which are gone; written once more they are the same. */
  expect_equal(one, loaded, true, false);
  assert_int_equal(callsig_stats_dump_family(loaded, path, 7), 0);
  struct callsig_stats *again = load(path);
  expect_equal(loaded, again, true, true);
  callsig_stats_free(again);
  char *table = table_by(loaded, CALLSIG_BY_PROCESS);
  assert_null(strstr(table, " processes)]"));
  free(table);
  callsig_stats_free(all);
  callsig_stats_free(one);
  callsig_stats_free(loaded);
  unlink(path);
  remove_parts(PARTS);
}

static void folded(void **state)
{
  (void)state;
  enum { PARTS = 40 };
  make_parts(PARTS, 4);
  char path[256], again[256];
  snprintf(path, sizeof path, "%s", scratch_path("folded"));
  snprintf(again, sizeof again, "%s", scratch_path("again"));
  struct callsig_stats *all = load_parts(0, PARTS - 1), *one = load_parts(0, PARTS - 1);
  assert_int_equal(callsig_stats_fold(one), 0);
  expect_equal(all, one, false, false);
  assert_int_equal(callsig_stats_dump(one, path), 0);
  struct callsig_stats *loaded = load(path);
  expect_equal(one, loaded, true, true);
  size_t sizes[2];
  free(bytes_of(path, &sizes[0]));
  dump_and_free(all, again);
  free(bytes_of(again, &sizes[1]));
  assert_true(sizes[0] < sizes[1]);
  /* Folding what is folded changes nothing. */
  assert_int_equal(callsig_stats_fold(loaded), 0);
  expect_equal(one, loaded, true, true);
  dump_and_free(loaded, again);
  free(bytes_of(again, &sizes[1]));
  assert_int_equal(sizes[0], sizes[1]);
  char *table = table_by(one, CALLSIG_BY_THREAD);
  assert_non_null(strstr(table, "[thread worker (4)]"));
  free(table);
  callsig_stats_free(one);
  unlink(path);
  unlink(again);
  remove_parts(PARTS);
}

static char *printed_pipeline(const struct callsig_pipeline *pipeline)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_int_equal(callsig_pipeline_print_json(pipeline, out), 0);
  assert_int_equal(fclose(out), 0);
  return text;
}

static char *pipeline_of(const char *path)
{
  struct callsig_pipeline *pipeline;
  assert_int_equal(callsig_pipeline_load(path, &pipeline), 0);
  char *text = printed_pipeline(pipeline);
  callsig_pipeline_free(pipeline);
  return text;
}

/* Three threads, a stage that is open and one that is closed, a queue between them, an event; tasks that fail. */
static void make_pipeline(const char *path)
{
  struct recording_writer *writer = recording_writer_new(77, 1000000);
  struct dice dice = {3};
  uint64_t stages[] = {pipeline_writer_stage(writer, 0, 0, "read", 1, 5),
                       pipeline_writer_stage(writer, 0, 1, "decode", 2, 6)};
  uint64_t queue = pipeline_writer_queue(writer, 0, 0, "read", 8, 5), now = 10;
  struct recording_thread *threads[3];
  for (uint32_t i = 0; i < 3; i++)
    threads[i] = recording_writer_thread(writer, 10 + i, i ? "decoder" : "reader");
  for (uint32_t i = 0; i < 100; i++) {
    uint64_t begin = now;
    now += 10 + roll(&dice, 500);
    pipeline_writer_task(writer, threads[0], stages[0], begin, now, 0);
    pipeline_writer_put(writer, threads[0], queue, now, now + roll(&dice, 9));
    uint32_t decoder = 1 + roll(&dice, 2);
    now += 10;
    pipeline_writer_get(writer, threads[decoder], queue, now - 5, now);
    pipeline_writer_task(writer, threads[decoder], stages[1], now, now + 700 + roll(&dice, 300), i % 9 == 0);
    recording_enter_action(threads[0], "seek", now);
    recording_exit(threads[0], now + 3);
    now += 1000;
  }
  pipeline_writer_event(writer, "flush", 12, 345);
  pipeline_writer_drop(writer, stages[1], 4);
  pipeline_writer_close_stage(writer, stages[0], now);
  pipeline_writer_put(writer, threads[0], queue, now, now + 2);
  recording_writer_save(writer, now + 50, path);
  recording_writer_free(writer);
}

/* What callsig stages shows of a recording is what it shows of its dump, and of the dump of that; pipelines of several
 * processes are kept apart. */
static void pipelines(void **state)
{
  (void)state;
  char path[256], both[256];
  snprintf(path, sizeof path, "%s", scratch_path("pipeline"));
  snprintf(both, sizeof both, "%s", scratch_path("pipelines"));
  make_pipeline(path);
  char *before = pipeline_of(path);
  assert_non_null(strstr(before, "flush"));
  assert_non_null(strstr(before, "seek"));
  for (int i = 0; i < 2; i++) {
    dump_and_free(load(path), path);
    char *after = pipeline_of(path);
    assert_string_equal(before, after);
    free(after);
  }
  struct callsig_stats *stats = load(path);
  assert_int_equal(callsig_stats_add(stats, path), 0);
  dump_and_free(stats, both);
  struct callsig_pipeline *pipeline;
  assert_int_equal(callsig_pipeline_load(both, &pipeline), -ENOTSUP);
  assert_non_null(strstr(last_message(), "of several processes"));
  struct callsig_pipeline **pipelines;
  size_t count;
  assert_int_equal(callsig_pipeline_load_all(both, &pipelines, &count), 0);
  assert_int_equal(count, 2);
  for (size_t i = 0; i < count; i++) {
    char *after = printed_pipeline(pipelines[i]);
    assert_string_equal(before, after);
    free(after);
  }
  callsig_pipeline_free_all(pipelines, count);
  assert_int_equal(callsig_pipeline_load_all(path, &pipelines, &count), 0);
  assert_int_equal(count, 1);
  callsig_pipeline_free_all(pipelines, count);
  free(before);
  unlink(path);
  unlink(both);
}

static void expect_refusal(struct callsig_stats *stats, const char *path, int error, const char *text)
{
  message_reset();
  assert_int_equal(callsig_stats_dump(stats, path), error);
  if (!strstr(last_message(), text) || strncmp(last_message(), path, strlen(path)) != 0)
    fail_msg("%s: %s", path, last_message());
}

static void refusals(void **state)
{
  (void)state;
  char other[256], link[256];
  make_parts(1, 1);
  struct callsig_stats *stats = load_parts(0, 0);
  snprintf(other, sizeof other, "%s", scratch_path("other"));
  snprintf(link, sizeof link, "%s", scratch_path("link"));
  expect_refusal(stats, "/nonexistent/folder/file", -ENOENT, ": No such file or directory");
  expect_refusal(stats, "/tmp", -EISDIR, "is a folder");
  expect_refusal(stats, "/dev/null", -EEXIST, "not a recording");
  int file = open(other, O_WRONLY | O_CREAT, 0600);
  assert_int_equal(write(file, "precious", 8), 8);
  close(file);
  expect_refusal(stats, other, -EEXIST, "not a recording");
  assert_int_equal(symlink(other, link), 0);
  expect_refusal(stats, link, -ELOOP, "symbolic link");
  unlink(link);
  assert_int_equal(truncate(other, 0), 0);
  assert_int_equal(callsig_stats_dump(stats, other), 0);
  /* The disk is full: the older recording stays, and nothing else. */
  struct rlimit limit, small = {.rlim_cur = 4096};
  getrlimit(RLIMIT_FSIZE, &limit);
  small.rlim_max = limit.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  expect_refusal(stats, other, -EFBIG, ": File too large");
  setrlimit(RLIMIT_FSIZE, &limit);
  callsig_stats_free(load(other));
  callsig_stats_free(stats);
  unlink(other);
  remove_parts(1);
}

static void save(const void *data, size_t size, const char *path)
{
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, data, size), (ssize_t)size);
  close(file);
}

/* Loads the bytes, and prints, folds and writes what came of them. */
static void try(const void *data, size_t size)
{
  char path[256];
  snprintf(path, sizeof path, "%s", scratch_path("damaged"));
  struct callsig_stats *stats = NULL;
  save(data, size, path);
  struct callsig_stats_total total = {.size = sizeof total};
  if (callsig_stats_load(path, &stats) == 0 && callsig_stats_total(stats, &total) == -EOVERFLOW) {
    assert_int_equal(callsig_stats_dump(stats, path), -EOVERFLOW);
    callsig_stats_free(stats);
  } else if (stats) {
    free(printed(stats, callsig_stats_print_callers, NULL));
    assert_int_equal(callsig_stats_fold(stats), 0);
    assert_int_equal(callsig_stats_fold_processes(stats), 0);
    free(printed(stats, callsig_stats_print, NULL));
    assert_int_equal(callsig_stats_dump(stats, path), 0);
    callsig_stats_free(stats);
  }
  unlink(path);
}

/* Each word in turn of a merged recording, and of a plain one that is folded and written, becomes something else. */
static void damaged(void **state)
{
  const unsigned step = *(unsigned *)*state;
  static const uint64_t values[] = {0, 1, UINT64_MAX, 0x10000, 0x10100, 0x11000, UINT64_C(1) << 63, 0xFFFFFFFF};
  char path[256];
  snprintf(path, sizeof path, "%s", scratch_path("seed"));
  size_t sizes[2];
  char *files[2] = {NULL, seed_recording(&sizes[1])};
  save(files[1], sizes[1], path);
  dump_and_free(load(path), path);
  files[0] = bytes_of(path, &sizes[0]);
  for (size_t i = 0; i < 2; i++) {
    for (size_t at = 0; at + 8 <= sizes[i]; at += 8 * step) {
      uint64_t word;
      memcpy(&word, files[i] + at, 8);
      memcpy(files[i] + at, &values[at / 8 % (sizeof values / sizeof values[0])], 8);
      try(files[i], sizes[i]);
      memcpy(files[i] + at, &word, 8);
    }
    free(files[i]);
  }
  unlink(path);
}

int main(int argc, char **argv)
{
  unsigned recordings = argc == 3 ? (unsigned)atoi(argv[1]) : 0, step = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
  if (recordings == 0 || step == 0) {
    fprintf(stderr, "usage: test_output_dump RECORDINGS STEP\n");
    return 2;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(whole, &recordings),
      cmocka_unit_test(associative),
      cmocka_unit_test(commutative),
      cmocka_unit_test(folded),
      cmocka_unit_test(not_folded_by_command),
      cmocka_unit_test(refusals),
      cmocka_unit_test_prestate(damaged, &step),
      cmocka_unit_test(pipelines),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
