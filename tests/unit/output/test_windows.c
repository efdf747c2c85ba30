/* A recording's file as it is read: piece by piece, across pieces, cut off or unreadable meanwhile; and its records'
 * numbers. */
/* ctest: wrap pread malloc */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/recording/recording.h"
#include "output/stats/stats_object.h"
#include "tests/support/output_sample.h"
#include "tests/support/seeds.h"

#define BASE UINT64_C(0x7f0000000000) /* of recording_writer.c */

ssize_t __real_pread(int file, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t offset);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

/* What reading does next: an error (once for EINTR), and at most how many bytes at a time. */
static int read_error;
static size_t read_most = SIZE_MAX;
static unsigned long reads, failing_malloc, failing_read; /* 0: none */

ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t offset)
{
  reads++;
  if (failing_read && reads >= failing_read) {
    errno = EIO;
    return -1;
  }
  if (read_error) {
    errno = read_error;
    read_error = read_error == EINTR ? 0 : read_error;
    return -1;
  }
  return __real_pread(file, bytes, size < read_most ? size : read_most, offset);
}

void *__wrap_malloc(size_t size)
{
  return failing_malloc && --failing_malloc == 0 ? NULL : __real_malloc(size);
}

/* A file of several times what all windows hold, of which every byte follows from its place. */
enum { SIZE = 9 << 20 };

static unsigned char byte_at(uint64_t offset)
{
  return (unsigned char)((offset * UINT64_C(0x9E3779B97F4A7C15)) >> 56);
}

/* Nothing of it stays: what is open has no name any more. */
static int make_file(const char *path)
{
  unsigned char *bytes = malloc(SIZE);
  for (size_t i = 0; i < SIZE; i++)
    bytes[i] = byte_at(i);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(write(file, bytes, SIZE), SIZE);
  free(bytes);
  return file;
}

static void check(struct out_file_windows *windows, uint64_t offset, uint64_t size)
{
  const unsigned char *bytes = out_file_windows_at(windows, offset, size);
  assert_non_null(bytes);
  for (uint64_t i = 0; i < size; i++) {
    if (bytes[i] != byte_at(offset + i))
      fail_msg("byte %llu of %llu at %llu", (unsigned long long)i, (unsigned long long)size,
               (unsigned long long)offset);
  }
}

static void every_place(void **state)
{
  (void)state;
  struct out_file_windows windows;
  int file = make_file(scratch_path("windows"));
  assert_int_equal(out_file_windows_open(&windows, file, SIZE), 0);
  uint64_t random = 1;
  for (unsigned i = 0; i < 20000; i++) {
    random = random * UINT64_C(6364136223846793005) + 1;
    uint64_t offset = (random >> 33) % SIZE, size = (random >> 20) % 300;
    check(&windows, offset, size < SIZE - offset ? size : SIZE - offset);
  }
  check(&windows, 0, SIZE);
  check(&windows, 12345, 1 << 20);
  check(&windows, SIZE, 0);
  /* In order, each byte is read about once. */
  reads = 0;
  for (uint64_t offset = SIZE; offset > 0; offset -= 64)
    check(&windows, offset - 64, 64);
  assert_true(reads <= SIZE / 16384);
  out_file_windows_close(&windows);
  close(file);
}

static void in_small_parts(void **state)
{
  (void)state;
  struct out_file_windows windows;
  int file = make_file(scratch_path("windows"));
  read_most = 1000;
  read_error = EINTR;
  assert_int_equal(out_file_windows_open(&windows, file, SIZE), 0);
  check(&windows, 70000, 500);
  check(&windows, 70000, 200000);
  read_most = SIZE_MAX;
  out_file_windows_close(&windows);
  close(file);
}

static void shrinks(void **state)
{
  (void)state;
  struct out_file_windows windows;
  int file = make_file(scratch_path("windows"));
  assert_int_equal(out_file_windows_open(&windows, file, SIZE), 0);
  check(&windows, 0, 64);
  assert_int_equal(ftruncate(file, 100), 0);
  check(&windows, 0, 64);
  static const uint64_t sizes[] = {64, 1 << 20};
  for (size_t k = 0; k < 2; k++) {
    const unsigned char *bytes = out_file_windows_at(&windows, 1 << 20, sizes[k]);
    assert_non_null(bytes);
    for (uint64_t i = 0; i < sizes[k]; i++)
      assert_int_equal(bytes[i], 0);
  }
  assert_int_equal(windows.error, 0);
  out_file_windows_close(&windows);
  close(file);
}

static void memory_is_short(void **state)
{
  (void)state;
  struct out_file_windows windows;
  int file = make_file(scratch_path("windows"));
  for (unsigned long i = 1; i <= 2; i++) {
    failing_malloc = i;
    assert_int_equal(out_file_windows_open(&windows, file, SIZE), -ENOMEM);
    out_file_windows_close(&windows);
  }
  assert_int_equal(out_file_windows_open(&windows, file, SIZE), 0);
  failing_malloc = 1;
  assert_null(out_file_windows_at(&windows, 0, 1 << 20));
  assert_int_equal(windows.error, -ENOMEM);
  out_file_windows_close(&windows);
  close(file);
}

static void save_seed(const char *path)
{
  size_t size;
  unsigned char *seed = seed_recording(&size);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_int_equal(write(file, seed, size), (ssize_t)size);
  close(file);
  free(seed);
}

/* What cannot be read is no damage: there is no profile of the rest. */
static void unreadable(void **state)
{
  (void)state;
  const char *path = scratch_path("unreadable");
  struct callsig_stats *stats;
  save_seed(path);
  message_reset();
  read_error = EIO;
  assert_int_equal(callsig_stats_load(path, &stats), -EIO);
  read_error = 0;
  assert_null(stats);
  assert_non_null(strstr(last_message(), "cannot read: Input/output error"));
  assert_non_null(strstr(last_message(), path));

  struct out_recording recording;
  assert_int_equal(out_recording_read(path, &recording), 0);
  message_reset();
  /* As if reading had failed later. */
  recording.windows.error = -EIO;
  stats = out_stats_new();
  assert_non_null(stats);
  assert_int_equal(out_stats_take(stats, &recording, NULL), -EIO);
  assert_non_null(strstr(last_message(), "cannot read: Input/output error"));
  callsig_stats_free(stats);
  unlink(path);
}

/* Records at every eighth byte: two that begin within 32 bytes cannot both be records. */
static void overlapping(void **state)
{
  (void)state;
  enum { RECORDS = 64 };
  struct {
    struct fmt_rec_header header;
    struct fmt_rec_tag tags[RECORDS + 8];
  } file = {.header = {.magic = FMT_RECORDING_MAGIC,
                       .version = FMT_RECORDING_VERSION,
                       .header_size = sizeof(struct fmt_rec_header),
                       .base = BASE}};
  for (size_t i = 0; i < RECORDS; i++)
    file.tags[i] = (struct fmt_rec_tag){FMT_TAG_VARIANT, sizeof(struct fmt_rec_variant)};
  struct out_recording recording;
  struct base_vector list = BASE_VECTOR_OF(uint64_t), other = BASE_VECTOR_OF(uint64_t);
  assert_int_equal(out_recording_from_memory("memory", &file, sizeof file, &recording), 0);
  uint64_t first = BASE + offsetof(typeof(file), tags);
  for (unsigned round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < RECORDS; i++) {
      uint64_t place = first + i * 8 - BASE;
      bool is_first = i == 0 || place % 32 == 0;
      uint32_t number;
      struct out_record record;
      int found = out_recording_number(&recording, &list, BASE + place, FMT_TAG_VARIANT, sizeof(struct fmt_rec_variant),
                                       &number, &record);
      assert_int_equal(found, is_first ? (round ? OUT_RECORD_KNOWN : OUT_RECORD_NEW) : OUT_RECORD_BAD);
      assert_int_equal(out_recording_known(&recording, &list, BASE + place) != FMT_NONE, is_first);
      assert_int_equal(out_recording_known(&recording, &other, BASE + place), FMT_NONE);
    }
  }
  assert_int_equal(out_recording_known(&recording, &list, BASE + 4), FMT_NONE);
  assert_int_equal(out_recording_known(&recording, &list, BASE - 8), FMT_NONE);
  assert_int_equal(out_recording_known(&recording, &list, BASE + sizeof file), FMT_NONE);
  assert_int_equal(out_recording_known(&recording, &list, UINT64_MAX - 7), FMT_NONE);
  base_vector_free(&list);
  base_vector_free(&other);
  out_recording_close(&recording);
}

/* A recording of more calls than the windows hold at once, each with an argument of its own. Several threads make them:
 * the writer looks through all edges of a thread for each call. */
static void make_large(const char *path)
{
  enum { CALLS = 20000, CALLS_OF_A_THREAD = 1000 };
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "scan.c", 10, "scan", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  for (uint64_t i = 0; i < CALLS; i++) {
    if (i > 0 && i % CALLS_OF_A_THREAD == 0)
      sample.thread = recording_writer_thread(sample.recording, (uint32_t)(1 + i / CALLS_OF_A_THREAD), "other");
    sample_call(&sample, 0, (const uint64_t[]){0, i}, 2, 10 * i, 10 * i + 5);
  }
  sample_end(&sample, 10 * (uint64_t)CALLS, path);
}

/* A file that cannot be read to its end is not counted in part: each read fails in turn, and those after it. */
static void added_in_part(void **state)
{
  (void)state;
  const char *path = scratch_path("large");
  make_large(path);
  bool failed = true;
  unsigned in_part = 0;
  for (unsigned long at = 1; failed; at++) {
    struct callsig_stats *stats;
    struct callsig_stats_total total = {.size = sizeof total};
    assert_int_equal(callsig_stats_new(NULL, &stats), 0);
    reads = 0;
    failing_read = at;
    failed = callsig_stats_add(stats, path) < 0;
    assert_int_equal(failed, reads >= at);
    failing_read = 0;
    message_reset();
    assert_int_equal(callsig_stats_total(stats, &total), failed ? -EINVAL : 0);
    in_part += strstr(last_message(), "read only in part") != NULL;
    callsig_stats_free(stats);
  }
  assert_true(in_part > 0);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_place),     cmocka_unit_test(in_small_parts), cmocka_unit_test(shrinks),
      cmocka_unit_test(memory_is_short), cmocka_unit_test(unreadable),     cmocka_unit_test(overlapping),
      cmocka_unit_test(added_in_part),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
