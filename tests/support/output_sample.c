/* What the tests of output/ share: recordings in scratch files, and prints as strings. */
#include "tests/support/output_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/seeds.h"

static char message[2048];

static void keep(const char *line, void *data)
{
  (void)data;
  snprintf(message, sizeof message, "%s", line);
}

int catch_messages(void **state)
{
  (void)state;
  callsig_stats_set_message(keep, NULL);
  return 0;
}

const char *last_message(void)
{
  return message;
}

void message_reset(void)
{
  message[0] = '\0';
}

const char *scratch_path(const char *name)
{
  static char path[256];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/callsig-test-%d-%s", folder ? folder : "/tmp", (int)getpid(), name);
  return path;
}

void sample_begin(struct sample *sample)
{
  memset(sample, 0, sizeof *sample);
  sample->index = index_writer_new();
  sample->recording = recording_writer_new(7, 1000);
  sample->int_type = index_writer_type(sample->index, FMT_TYPE_SIGNED, "int", 4, FMT_NONE);
  sample->unsigned_type = index_writer_type(sample->index, FMT_TYPE_UNSIGNED, "unsigned int", 4, FMT_NONE);
}

void sample_calls(struct sample *sample)
{
  size_t size;
  void *index = index_writer_finish(sample->index, &size);
  sample->module = recording_writer_module(sample->recording, "/usr/lib/libsample.so", 0x10000, 0x10000, index, size);
  free(index);
  sample->thread = recording_writer_thread(sample->recording, 1, "main");
}

void sample_call(struct sample *sample, uint32_t function, const uint64_t *words, uint32_t count, uint64_t begin,
                 uint64_t end)
{
  recording_enter(sample->thread, sample->module, function, words, count, begin);
  recording_exit(sample->thread, end);
}

void sample_end(struct sample *sample, uint64_t now, const char *path)
{
  recording_writer_save(sample->recording, now, path);
  recording_writer_free(sample->recording);
  index_writer_free(sample->index);
}

struct callsig_stats *sample_load(struct sample *sample, uint64_t now)
{
  struct callsig_stats *stats;
  const char *path = scratch_path("sample");
  sample_end(sample, now, path);
  assert_int_equal(callsig_stats_load(path, &stats), 0);
  unlink(path);
  return stats;
}

char *printed(struct callsig_stats *stats, print_fn print, const char *restriction)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_int_equal(print(stats, out, &restriction, restriction ? 1 : 0), 0);
  assert_int_equal(fclose(out), 0);
  return text;
}

char *signatures(struct callsig_stats *stats)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_int_equal(callsig_stats_sort(stats, "stdname"), 0);
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    struct callsig_stats_row row = {.size = sizeof row};
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    fprintf(out, "%s%s", i ? "\n" : "", row.signature ? row.signature : row.function);
  }
  fclose(out);
  return text;
}

struct callsig_stats *sample_load_seed(void)
{
  struct callsig_stats *stats;
  size_t size;
  void *data = seed_recording(&size);
  FILE *file = fopen(scratch_path("seed"), "wb");
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
  free(data);
  assert_int_equal(callsig_stats_load(scratch_path("seed"), &stats), 0);
  unlink(scratch_path("seed"));
  return stats;
}
