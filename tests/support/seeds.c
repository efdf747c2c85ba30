/* A recording with everything in it, for tests that damage it. */
#include "tests/support/seeds.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/index_writer.h"
#include "tests/support/pipeline_writer.h"

#define LOG2 UINT64_C(3)

/* f(n) and g(cb). */
static void make_plain(struct index_writer *index, uint32_t int_type)
{
  uint32_t callback = index_writer_type(index, FMT_TYPE_FUNCTION_POINTER, "int (*)(int)", 8, FMT_NONE);
  index_writer_symbol(index, 0x100, 0x20, "on_read");
  index_writer_function(index, "a.c", 1, "f", 0);
  index_writer_arg(index, FMT_ARG_VALUE, "n", int_type);
  index_writer_function(index, "/src/a.c", 2, "g", FMT_FUNCTION_VARIADIC);
  index_writer_arg(index, FMT_ARG_VALUE, "cb", callback);
}

/* all(...): one argument of each kind. */
static void make_all(struct index_writer *index, uint32_t int_type)
{
  uint32_t mode = index_writer_type(index, FMT_TYPE_ENUM, "enum mode", 4, FMT_NONE);
  index_writer_enumerator(index, 0, "SLOW");
  index_writer_enumerator(index, 1, "FAST");
  uint32_t flags = index_writer_type(index, FMT_TYPE_FLAGS, "enum flags", 4, FMT_NONE);
  index_writer_enumerator(index, 1, "A");
  index_writer_enumerator(index, 2, "B");
  uint32_t text = index_writer_type(index, FMT_TYPE_POINTER, "char*", 8, FMT_NONE);
  uint32_t tensor = index_writer_type(index, FMT_TYPE_AGGREGATE, "struct tensor", 64, FMT_NONE);
  uint32_t pointer = index_writer_type(index, FMT_TYPE_POINTER, "struct tensor*", 8, tensor);
  uint32_t shape = index_writer_type(index, FMT_TYPE_ARRAY, "int[4]", 16, int_type);
  uint32_t real = index_writer_type(index, FMT_TYPE_FLOAT, "double", 8, FMT_NONE);
  uint32_t letter = index_writer_type(index, FMT_TYPE_CHAR, "char", 1, FMT_NONE);
  uint32_t truth = index_writer_type(index, FMT_TYPE_BOOL, "_Bool", 1, FMT_NONE);
  uint32_t list = index_writer_ranges(index, (const int64_t[]){0, 64, 1024}, 3);
  index_writer_function(index, "b.c", 9, "all", 0);
  index_writer_arg(index, FMT_ARG_NULLNESS, "src", text)->join = 1;
  index_writer_arg(index, FMT_ARG_VALUE, "w", int_type);
  index_writer_arg(index, FMT_ARG_VALUE, "mode", mode);
  index_writer_arg(index, FMT_ARG_VALUE, "flags", flags);
  index_writer_arg(index, FMT_ARG_STRING, "name", text);
  struct fmt_index_arg *group = index_writer_arg(index, FMT_ARG_GROUP, "t", pointer);
  group->children = 3;
  group->flags = FMT_ARG_GROUP_POINTER;
  group->text = index_writer_string(index, "image[{0},{1}]");
  index_writer_arg(index, FMT_ARG_NULLNESS, "", pointer);
  index_writer_arg(index, FMT_ARG_VALUE, "dtype", mode);
  index_writer_arg(index, FMT_ARG_SPAN, "shape", shape);
  index_writer_arg(index, FMT_ARG_BUCKET_RANGE, "r", int_type)->aux = list;
  index_writer_arg(index, FMT_ARG_BUCKET_LOG2, "l", int_type);
  index_writer_arg(index, FMT_ARG_FLOAT, "x", real);
  index_writer_arg(index, FMT_ARG_IGNORED, "cookie", int_type);
  index_writer_arg(index, FMT_ARG_TYPE, "s", tensor);
  index_writer_arg(index, FMT_ARG_VALUE, "c", letter);
  index_writer_arg(index, FMT_ARG_VALUE, "b", truth);
  index_writer_arg(index, FMT_ARG_VALUE, "req->hdr.kind", int_type);
}

static void call_all(struct recording_thread *thread, uint64_t module)
{
  uint64_t name;
  memcpy(&name, "a.jpg\0\0", 8);
  const uint64_t read[] = {0, 0, 1, 16, 1, 3, 5, name, 1, 1, 2, 16, 4, 2, 7, 0x3fe0000000000000, 'c', 1, 7};
  recording_enter(thread, module, 2, read, sizeof read / sizeof read[0], 60);
  recording_exit(thread, 70);
  const uint64_t lost[] = {0x1111111111121111, 0x1};
  recording_enter(thread, module, 2, lost, 2, 70);
  recording_exit(thread, 75);
  recording_enter(thread, module, 2, NULL, 0, 75);
  recording_exit(thread, 80);
}

/* Calls inside and outside of tasks, recursion across their border, and the times of the newest edge. */
static void call_stages(struct recording_writer *writer, struct recording_thread *thread, uint64_t module,
                        uint64_t stage)
{
  for (uint64_t i = 0; i < 2; i++) {
    recording_enter(thread, module, 0, (const uint64_t[]){0, i}, 2, 80 + i);
    recording_enter_task(thread, stage, i ? "width=640" : NULL, 80 + i);
  }
  recording_exit(thread, 90);
  recording_exit(thread, 91);
  enum { SUB_BITS = 3 };
  uint64_t histogram = recording_writer_make(writer, FMT_TAG_HISTOGRAM, sizeof(struct fmt_rec_histogram));
  uint64_t octave = recording_writer_make(writer, 0, sizeof(uint64_t) << SUB_BITS);
  memset(recording_writer_at(writer, octave), 1, sizeof(uint64_t) << SUB_BITS);
  struct fmt_rec_histogram *record = recording_writer_at(writer, histogram);
  record->sub_bits = SUB_BITS;
  record->octaves[0] = record->octaves[2] = octave;
  uint64_t edge = recording_thread_record(thread)->first_edge;
  ((struct fmt_rec_edge *)recording_writer_at(writer, edge))->histogram = histogram;
}

/* What the thread did with a stage, a queue and an event, counted and on its timeline, with the newest edge's call. */
static void keep_times(struct recording_writer *writer, struct recording_thread *thread, uint64_t stage)
{
  enum { CAPACITY = 8 };
  uint64_t queue = pipeline_writer_queue(writer, 0, 0, "source", 8, 0);
  pipeline_writer_put(writer, thread, queue, 3, 9);
  pipeline_writer_get(writer, thread, queue, 10, 12);
  pipeline_writer_task(writer, thread, stage, 80, 91, 0);
  pipeline_writer_task(writer, thread, stage, 81, 90, 1);
  pipeline_writer_event(writer, "flush", 3, 40);
  uint64_t edge = recording_thread_record(thread)->first_edge, event = recording_writer_header(writer)->first_event;
  uint64_t address =
      recording_writer_make(writer, FMT_TAG_RING, sizeof(struct fmt_rec_ring) + CAPACITY * sizeof(struct fmt_rec_span));
  const struct fmt_rec_span spans[] = {
      {.start = 3, .duration = 6, .what = queue, .item = 1, .kind = FMT_SPAN_PUT},
      {.start = 10, .duration = 2, .what = queue, .item = 1, .kind = FMT_SPAN_GET},
      {.start = 80, .duration = 10, .what = edge, .item = 1, .kind = FMT_SPAN_TASK},
      {.start = 82, .duration = 5, .what = edge, .kind = FMT_SPAN_CALL},
      {.start = 85, .what = event, .kind = FMT_SPAN_EVENT},
      {.start = 85, .duration = 4, .what = event, .kind = FMT_SPAN_RANGE},
  };
  struct fmt_rec_ring *ring = recording_writer_at(writer, address);
  ring->capacity = CAPACITY;
  ring->written = sizeof spans / sizeof spans[0];
  memcpy(ring->spans, spans, sizeof spans);
  recording_thread_record(thread)->ring = address;
  recording_writer_header(writer)->timeline_min = 0;
}

/* f(n) takes n / 4 ticks and a few more: enough sizes for a law. */
static void call_sizes(struct recording_thread *thread, uint64_t module)
{
  uint64_t now = 92;
  for (uint64_t n = 16; n <= 1024; n *= 2) {
    recording_enter(thread, module, 0, (const uint64_t[]){0, n}, 2, now);
    now += 3 + n / 4;
    recording_exit(thread, now);
  }
}

/* So often that not all of the calls are timed. */
static void call_often(struct recording_writer *recording, struct recording_thread *thread, uint64_t module)
{
  recording_writer_sample(recording, 1, 2);
  recording_writer_header(recording)->overhead = 1536;
  for (uint64_t i = 0; i < SEED_SAMPLED_CALLS; i++) {
    recording_enter(thread, module, UINT32_MAX, NULL, 0, 640 + i);
    recording_exit(thread, 640 + i + i % 2);
  }
}

void *seed_recording(size_t *size)
{
  struct index_writer *index = index_writer_new();
  struct recording_writer *recording = recording_writer_new(7, 1000);
  uint32_t int_type = index_writer_type(index, FMT_TYPE_SIGNED, "int", 4, FMT_NONE);
  make_plain(index, int_type);
  make_all(index, int_type);
  size_t index_size;
  void *made = index_writer_finish(index, &index_size);
  uint64_t module = recording_writer_module(recording, "/usr/lib/libsample.so", 0x10000, 0x10000, made, index_size);
  uint64_t plugin = recording_writer_module(recording, "/opt/plugin.so", 0x90000, 0x1000, NULL, 0);
  free(made);
  struct recording_thread *thread = recording_writer_thread(recording, 1, "main");
  struct recording_thread *worker = recording_writer_thread(recording, 2, "worker");
  recording_enter_action(worker, "load", 0);
  for (uint64_t i = 0; i < 8; i++)
    recording_enter(worker, module, i % 2, (const uint64_t[]){0, i % 2 ? 0x10100 : i}, 2, i);
  for (uint64_t i = 0; i < 3; i++)
    recording_exit(worker, 20 + i);
  for (uint64_t i = 0; i < 3; i++) {
    recording_enter(thread, module, 0, (const uint64_t[]){0, i}, 2, 10 * i);
    recording_exit(thread, 10 * i + 5);
  }
  recording_enter(thread, module, 0, (const uint64_t[]){LOG2, 3}, 2, 50);
  recording_exit(thread, 60);
  call_all(thread, module);
  uint64_t stage = pipeline_writer_stage(recording, 0, 1, "decode", 4, 0);
  call_stages(recording, thread, module, stage);
  keep_times(recording, thread, stage);
  call_sizes(thread, module);
  call_often(recording, thread, plugin);
  recording_enter(thread, plugin, UINT32_MAX, NULL, 0, 700);
  recording_widen(worker, module, 0, 0, FMT_WIDEN_LOG2, 1);
  const void *data = recording_writer_finish(recording, 720, size);
  void *copy = malloc(*size);
  if (!copy)
    abort();
  memcpy(copy, data, *size);
  recording_writer_free(recording);
  index_writer_free(index);
  return copy;
}
