/* Recordings that are cut off, damaged, hostile or not recordings at all: a profile or one line, never a crash or a
 * hang.
 *
 *     test_output_reader STEP     damages every STEPth word and pointer */
/* ctest: case - quick 5 */
/* ctest: case _long full 1 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/hash.h"
#include "tests/support/output_sample.h"
#include "tests/support/seeds.h"

#define BASE UINT64_C(0x7f0000000000) /* of recording_writer.c */

struct bytes {
  unsigned char *data;
  size_t size;
};

/* tests/fuzz/seeds.h */
static struct bytes make(void)
{
  struct bytes bytes;
  bytes.data = seed_recording(&bytes.size);
  return bytes;
}

static void save(const void *data, size_t size, const char *path)
{
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, data, size), (ssize_t)size);
  close(file);
}

/* Prints what a damaged recording holds: all of it, or a message that its sums are too large for any number. */
static void print_damaged(struct callsig_stats *stats, print_fn print)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  int result = print(stats, out, NULL, 0);
  assert_true(result == 0 || result == -EOVERFLOW);
  assert_int_equal(fclose(out), 0);
  free(text);
}

/* Loads the bytes and prints them in every way. Returns what loading returned. */
static int try(const void *data, size_t size)
{
  const char *path = scratch_path("damaged");
  struct callsig_stats *stats;
  save(data, size, path);
  message_reset();
  int result = callsig_stats_load(path, &stats);
  unlink(path);
  if (result < 0) {
    assert_null(stats);
    assert_string_not_equal(last_message(), "");
    return result;
  }
  static const print_fn prints[] = {callsig_stats_print, callsig_stats_print_callers, callsig_stats_print_callees,
                                    callsig_stats_print_json, callsig_stats_print_csv};
  callsig_stats_compensate(stats, 1);
  for (size_t i = 0; i < sizeof prints / sizeof prints[0]; i++)
    print_damaged(stats, prints[i]);
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_THREAD | CALLSIG_BY_MODULE);
  print_damaged(stats, callsig_stats_print);
  callsig_stats_free(stats);
  return result;
}

static void whole(void **state)
{
  (void)state;
  struct bytes bytes = make();
  const char *path = scratch_path("whole");
  struct callsig_stats *stats;
  save(bytes.data, bytes.size, path);
  assert_int_equal(callsig_stats_load(path, &stats), 0);
  char *table = printed(stats, callsig_stats_print, NULL);
  char summary[64];
  snprintf(summary, sizeof summary, "         %d function calls", SEED_CALLS);
  assert_ptr_equal(strstr(table, summary), table);
  assert_null(strstr(table, "could not be read"));
  free(table);
  callsig_stats_free(stats);
  unlink(path);
  free(bytes.data);
}

static void cut_off(void **state)
{
  (void)state;
  struct bytes bytes = make();
  for (size_t size = 0; size < bytes.size; size += size < sizeof(struct fmt_rec_header) ? 61 : 29)
    assert_int_equal(try(bytes.data, size), size < sizeof(struct fmt_rec_header) ? -EINVAL : 0);
  free(bytes.data);
}

/* Each word of the file in turn becomes something else. */
static void words(void **state)
{
  const unsigned step = *(unsigned *)*state;
  static const uint64_t values[] = {0,         1, UINT64_MAX, BASE, BASE + 8, BASE + 64, UINT64_C(0x8000000000000000),
                                    0xFFFFFFFF};
  struct bytes bytes = make();
  for (size_t at = 0; at + 8 <= bytes.size; at += 8 * step) {
    uint64_t word;
    memcpy(&word, bytes.data + at, 8);
    uint64_t bad = values[at / 8 % (sizeof values / sizeof values[0])];
    memcpy(bytes.data + at, &bad, 8);
    try(bytes.data, bytes.size);
    memcpy(bytes.data + at, &word, 8);
  }
  free(bytes.data);
}

/* Each pointer in turn leads to every kind of record, back to where it is among them: cycles, wrong tags. */
static void pointers(void **state)
{
  const unsigned step = *(unsigned *)*state;
  struct bytes bytes = make();
  uint64_t records[64];
  size_t count = 0;
  for (size_t at = 0; at + 8 <= bytes.size && count < 64; at += 8) {
    uint32_t tag;
    memcpy(&tag, bytes.data + at, 4);
    if (tag == FMT_TAG_CONTEXT || tag == FMT_TAG_STACK || tag == FMT_TAG_EDGE || tag == FMT_TAG_VARIANT ||
        tag == FMT_TAG_FUNCTION || tag == FMT_TAG_THREAD || tag == FMT_TAG_MODULE)
      records[count++] = BASE + at;
  }
  size_t next = 0;
  unsigned met = 0;
  for (size_t at = 0; at + 8 <= bytes.size; at += 8) {
    uint64_t word;
    memcpy(&word, bytes.data + at, 8);
    if (word < BASE || word >= BASE + bytes.size || met++ % step != 0)
      continue;
    for (int i = 0; i < 3; i++) {
      memcpy(bytes.data + at, &records[next], 8);
      next = next + 1 < count ? next + 1 : 0;
      try(bytes.data, bytes.size);
    }
    memcpy(bytes.data + at, &word, 8);
  }
  free(bytes.data);
}

static void expect_message(const char *path, int result, const char *text)
{
  struct callsig_stats *stats;
  message_reset();
  assert_int_equal(callsig_stats_load(path, &stats), result);
  if (!strstr(last_message(), text) || !strstr(last_message(), path))
    fail_msg("%s: %s", path, last_message());
}

static void not_recordings(void **state)
{
  (void)state;
  const char *path = scratch_path("not");
  expect_message("/nonexistent/callsig.out", -ENOENT, "cannot open: No such file or directory");
  expect_message("/dev/null", -EINVAL, "not a regular file");
  expect_message("/", -EINVAL, "not a regular file");
  assert_int_equal(mkfifo(path, 0600), 0);
  expect_message(path, -EINVAL, "not a regular file");
  unlink(path);
  save("", 0, path);
  expect_message(path, -EINVAL, "the file is empty");
  save("#!/bin/sh\n", 10, path);
  expect_message(path, -EINVAL, "not a callsig recording");
  struct bytes bytes = make();
  ((struct fmt_rec_header *)bytes.data)->version = FMT_RECORDING_VERSION + 1;
  save(bytes.data, bytes.size, path);
  expect_message(path, -ENOTSUP, "written by a newer callsig");
  ((struct fmt_rec_header *)bytes.data)->version = FMT_RECORDING_VERSION;
  ((struct fmt_rec_header *)bytes.data)->header_size = 8;
  save(bytes.data, bytes.size, path);
  expect_message(path, -EINVAL, "its header makes no sense");
  unlink(path);
  free(bytes.data);
}

/* Reads the recording with so large a file of nothing behind it. */
static void read_with_hole(const struct bytes *bytes, off_t size)
{
  const char *path = scratch_path("sparse");
  struct callsig_stats *stats;
  save(bytes->data, bytes->size, path);
  assert_int_equal(truncate(path, size), 0);
  assert_int_equal(callsig_stats_load(path, &stats), 0);
  assert_true(callsig_stats_row_count(stats) > 0);
  callsig_stats_free(stats);
  unlink(path);
}

/* A huge file of nothing behind a header is read at once. */
static void sparse(void **state)
{
  (void)state;
  struct bytes bytes = make();
  read_with_hole(&bytes, (off_t)1 << 36);
  free(bytes.data);
}

/* The same where a call leads nowhere, so that it is told what is not read: looked for where the file has anything. */
static void sparse_and_damaged(void **state)
{
  (void)state;
  struct bytes bytes = make();
  unsigned found = 0;
  for (size_t at = 0; at + sizeof(struct fmt_rec_edge) <= bytes.size; at += 8) {
    struct fmt_rec_edge *edge = (struct fmt_rec_edge *)(bytes.data + at);
    if (edge->tag.tag == FMT_TAG_EDGE && ++found == 2)
      edge->to = 8;
  }
  assert_true(found > 2);
  read_with_hole(&bytes, (off_t)1 << 40);
  free(bytes.data);
}

/* Stacks that overlap each other are walked once for each byte of the file at most, not once for each pair. */
static void overlapping_stacks(void **state)
{
  (void)state;
  struct bytes bytes = make();
  enum { STACKS = 30000 };
  size_t first = (bytes.size + 31) & ~(size_t)31, size = first + (STACKS + 4) * 32;
  unsigned char *data = calloc(1, size);
  memcpy(data, bytes.data, bytes.size);
  uint64_t edge = 0;
  for (size_t at = 0; at + 8 <= bytes.size; at += 8) {
    uint32_t tag;
    memcpy(&tag, data + at, 4);
    struct fmt_rec_thread *thread = (struct fmt_rec_thread *)(data + at);
    if (tag == FMT_TAG_THREAD) {
      thread->first_stack = BASE + first;
      edge = thread->first_edge;
    }
  }
  for (size_t i = 0; i < STACKS; i++) {
    /* The frames' edges lie where the header's `outer` and the next frame's edge are. */
    uint64_t words[4] = {(uint64_t)FMT_TAG_STACK | (uint64_t)(size - first - i * 32) << 32, BASE + first + (i + 1) * 32,
                         0, edge};
    memcpy(data + first + i * 32, words, sizeof words);
    ((struct fmt_rec_stack *)(data + first + i * 32))->capacity = UINT32_MAX;
  }
  try(data, size);
  free(data);
  free(bytes.data);
}

/* Kilobytes of memory that this process has had at the most. */
static long most_memory(void)
{
  struct rusage used;
  assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
  return used.ru_maxrss;
}

/* An index of so many functions, the name of the first of which is so long. The caller frees it. */
static struct fmt_index_header *index_of(uint32_t functions, size_t length, size_t *size)
{
  struct index_writer *writer = index_writer_new();
  char *name = malloc(length + 1);
  memset(name, 'a', length);
  name[length] = '\0';
  for (uint32_t i = 0; i < functions; i++)
    index_writer_function(writer, "/src/a.c", i, i == 0 ? name : "f", 0);
  struct fmt_index_header *index = index_writer_finish(writer, size);
  index_writer_free(writer);
  free(name);
  return index;
}

/* A call of each of the functions that have an index's first numbers. */
static void call_functions(struct recording_thread *thread, uint64_t module, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    recording_enter(thread, module, i, NULL, 0, i * 10);
    recording_exit(thread, i * 10 + 10);
  }
}

/* Names of functions that each are the end of one long string do not become as many long strings. */
static void overlapping_names(void **state)
{
  (void)state;
  enum { FUNCTIONS = 1000, LENGTH = 200000 };
  size_t size;
  struct fmt_index_header *header = index_of(FUNCTIONS, LENGTH, &size);
  struct fmt_index_function *functions = (void *)((char *)header + header->sections[FMT_SECTION_FUNCTIONS].offset);
  for (uint32_t i = 1; i < FUNCTIONS; i++)
    functions[i].name = functions[0].name + i;
  header->checksum = fmt_hash((char *)header + header->header_size, size - header->header_size);
  struct recording_writer *writer = recording_writer_new(7, 1000);
  const uint64_t module = recording_writer_module(writer, "/bin/a", 0x10000, 0x10000, header, size);
  call_functions(recording_writer_thread(writer, 1, "main"), module, FUNCTIONS);
  const char *path = scratch_path("names");
  recording_writer_save(writer, FUNCTIONS * 10, path);
  recording_writer_free(writer);
  free(header);
  struct callsig_stats *stats;
  const long before = most_memory();
  assert_int_equal(callsig_stats_load(path, &stats), 0);
  struct callsig_stats_total total = {.size = sizeof total};
  assert_int_equal(callsig_stats_total(stats, &total), 0);
  assert_int_equal(total.calls, FUNCTIONS);
  assert_true(callsig_stats_damaged(stats) > 0);
  assert_true(most_memory() - before < 100000);
  callsig_stats_free(stats);
  unlink(path);
}

/* How many records are told as damaged of a recording of one function whose parameters lie in so many ways. */
static uint64_t damage_of_layouts(uint32_t count)
{
  struct index_writer *index = index_writer_new();
  const uint32_t type = index_writer_type(index, FMT_TYPE_SIGNED, "int", 4, FMT_NONE);
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%u", i);
    index_writer_function(index, "/src/a.h", 1, "f", 0);
    index_writer_arg(index, FMT_ARG_IGNORED, name, type);
  }
  size_t size;
  void *made = index_writer_finish(index, &size);
  index_writer_free(index);
  struct recording_writer *writer = recording_writer_new(7, 1000);
  const uint64_t module = recording_writer_module(writer, "/bin/a", 0x10000, 0x10000, made, size);
  call_functions(recording_writer_thread(writer, 1, "main"), module, count);
  const char *path = scratch_path("layouts");
  recording_writer_save(writer, count * 10, path);
  recording_writer_free(writer);
  free(made);
  struct callsig_stats *stats;
  assert_int_equal(callsig_stats_load(path, &stats), 0);
  struct callsig_stats_total total = {.size = sizeof total};
  assert_int_equal(callsig_stats_total(stats, &total), 0);
  assert_int_equal(total.calls, count);
  const uint64_t damaged = callsig_stats_damaged(stats);
  callsig_stats_free(stats);
  unlink(path);
  return damaged;
}

/* Where a function has so many layouts that not all are compared with each other, this is told. */
static void many_layouts(void **state)
{
  (void)state;
  assert_int_equal(damage_of_layouts(1001), 0);
  assert_int_equal(damage_of_layouts(1100), 99);
}

/* Has all modules of a recording the first one's index. */
static void share_index(struct bytes *bytes, uint64_t index, uint64_t size)
{
  for (size_t at = 0; at + sizeof(struct fmt_rec_module) <= bytes->size; at += 8) {
    struct fmt_rec_module *module = (struct fmt_rec_module *)(bytes->data + at);
    if (module->tag.tag != FMT_TAG_MODULE || module->tag.size != sizeof *module)
      continue;
    module->index = index;
    module->index_size = size;
  }
}

/* Thousands of modules that have one index of thousands of functions take no memory for each function of each. */
static void modules_of_one_index(void **state)
{
  (void)state;
  enum { FUNCTIONS = 40000, MODULES = 2000 };
  size_t size;
  struct fmt_index_header *header = index_of(FUNCTIONS, 1, &size);
  struct recording_writer *writer = recording_writer_new(7, 1000);
  const uint64_t module = recording_writer_module(writer, "/bin/a", 0x10000, 0x10000, header, size);
  for (uint64_t i = 2; i < MODULES; i++)
    recording_writer_module(writer, "/bin/a", i << 16, 0x10000, NULL, 0);
  call_functions(recording_writer_thread(writer, 1, "main"), module, 10);
  const char *path = scratch_path("modules");
  recording_writer_save(writer, 100, path);
  recording_writer_free(writer);
  free(header);
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  struct bytes bytes = {.data = malloc((size_t)status.st_size), .size = (size_t)status.st_size};
  int file = open(path, O_RDONLY);
  assert_int_equal(read(file, bytes.data, bytes.size), (ssize_t)bytes.size);
  close(file);
  const struct fmt_rec_module *first = (void *)(bytes.data + (module - BASE));
  share_index(&bytes, first->index, first->index_size);
  save(bytes.data, bytes.size, path);
  free(bytes.data);
  struct callsig_stats *stats;
  const long before = most_memory();
  assert_int_equal(callsig_stats_load(path, &stats), 0);
  assert_int_equal(callsig_stats_row_count(stats), 10);
  assert_true(most_memory() - before < 100000);
  callsig_stats_free(stats);
  unlink(path);
}

int main(int argc, char **argv)
{
  unsigned step = argc == 2 ? (unsigned)atoi(argv[1]) : 0;
  if (step == 0) {
    fprintf(stderr, "usage: test_output_reader STEP\n");
    return 2;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole),
      cmocka_unit_test(cut_off),
      cmocka_unit_test_prestate(words, &step),
      cmocka_unit_test_prestate(pointers, &step),
      cmocka_unit_test(not_recordings),
      cmocka_unit_test(sparse),
      cmocka_unit_test(sparse_and_damaged),
      cmocka_unit_test(overlapping_stacks),
      cmocka_unit_test(overlapping_names),
      cmocka_unit_test(many_layouts),
      cmocka_unit_test(modules_of_one_index),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
