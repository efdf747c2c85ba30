/* Recordings of calls at random, and the dice that they are thrown with. */
#include "tests/support/random_recording.h"

#include <stdlib.h>

#include "tests/support/index_writer.h"
#include "tests/support/pipeline_writer.h"
#include "tests/support/recording_writer.h"

enum { MODULE_AT = 0x10000, POINTER_AT = 0x100 };

uint32_t roll(struct dice *dice, uint32_t sides)
{
  dice->state = dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(dice->state >> 33) % sides;
}

/* Two builds: in the second, g() lies elsewhere and has another parameter. */
static void *make_index(unsigned build, size_t *size)
{
  struct index_writer *index = index_writer_new();
  uint32_t number = index_writer_type(index, FMT_TYPE_SIGNED, "int", 4, FMT_NONE);
  uint32_t callback = index_writer_type(index, FMT_TYPE_FUNCTION_POINTER, "int (*)(int)", 8, FMT_NONE);
  index_writer_symbol(index, POINTER_AT, 0x20, "on_read");
  index_writer_symbol(index, POINTER_AT + 0x20, 0x20, "on_write");
  index_writer_function(index, "/src/a.c", 1, "f", 0);
  index_writer_arg(index, FMT_ARG_VALUE, "n", number);
  index_writer_function(index, "/src/b.c", 2 + build, "g", 0);
  index_writer_arg(index, FMT_ARG_VALUE, "cb", callback);
  index_writer_arg(index, FMT_ARG_VALUE, build ? "m" : "n", number);
  index_writer_function(index, "/src/c.c", 3, "h", 0);
  void *data = index_writer_finish(index, size);
  index_writer_free(index);
  return data;
}

/* What calls are of. */
struct places {
  uint64_t modules[2], stages[2], bias;
};

/* One call with what it calls. */
static void call(struct recording_thread *thread, const struct places *places, struct dice *dice, unsigned depth,
                 uint64_t *now)
{
  *now += roll(dice, 5);
  uint32_t kind = roll(dice, 6);
  uint64_t module = places->modules[roll(dice, 2)];
  const uint64_t f[] = {0, roll(dice, 4)}, g[] = {0, places->bias + POINTER_AT + 0x20 * roll(dice, 2), roll(dice, 3)};
  if (kind <= 1)
    recording_enter(thread, module, 0, f, 2, *now);
  else if (kind == 2)
    recording_enter(thread, module, 1, g, 3, *now);
  else if (kind == 3)
    recording_enter(thread, module, 2, NULL, 0, *now);
  else if (kind == 4)
    recording_enter_action(thread, roll(dice, 2) ? "load" : "store", *now);
  else
    recording_enter_task(thread, places->stages[roll(dice, 2)], roll(dice, 2) ? "width=640" : NULL, *now);
  for (uint32_t calls = depth ? roll(dice, 4) : 0; calls > 0; calls--)
    call(thread, places, dice, depth - 1, now);
  *now += roll(dice, 1000);
  recording_exit(thread, *now);
}

static void make_thread(struct recording_writer *writer, const struct places *places, struct dice *dice,
                        uint32_t number, uint64_t *now)
{
  static const char *const names[] = {"main", "worker", "worker", "a name that is as long as it may be"};
  struct recording_thread *thread = recording_writer_thread(writer, 100 + number, names[number]);
  for (uint32_t calls = 1 + roll(dice, 4); calls > 0; calls--)
    call(thread, places, dice, 4, now);
  if (roll(dice, 3) == 0)
    recording_widen(thread, places->modules[0], 0, 0, FMT_WIDEN_LOG2, 1);
  if (number == 1) {
    recording_thread_record(thread)->state = FMT_THREAD_FOLDED;
    recording_thread_record(thread)->threads = 3;
  }
  if (roll(dice, 4) == 0) {
    recording_enter(thread, places->modules[0], 0, (const uint64_t[]){0, 7}, 2, *now);
    recording_enter(thread, places->modules[0], 0, (const uint64_t[]){0, 8}, 2, *now + 3);
  }
}

void save_random_recording(unsigned seed, const char *path)
{
  static const uint64_t rates[] = {1000, 1500, 7000000, 1234567890};
  struct dice dice = {seed};
  struct recording_writer *writer = recording_writer_new(1000 + seed, rates[seed % 4]);
  size_t size;
  if (seed % 2)
    recording_writer_sample(writer, seed, 3);
  void *index = make_index(seed % 3 == 0, &size);
  uint64_t bias = MODULE_AT * (uint64_t)(seed % 5 + 1), now = 0;
  struct places places = {
      .modules = {recording_writer_module(writer, "/lib/one.so", bias, 0x1000, index, size),
                  recording_writer_module(writer, "/lib/two.so", bias + 0x1000, 0x1000, NULL, 0)},
      .stages = {pipeline_writer_stage(writer, 0, 0, "read", 1, 0),
                 pipeline_writer_stage(writer, 0, 1, seed % 2 ? "decode" : "scale", 4, 0)},
      .bias = bias,
  };
  free(index);
  recording_writer_header(writer)->loss[FMT_LOSS_UNWOUND] = seed % 7;
  recording_writer_header(writer)->hook_inner = 2048;
  recording_writer_header(writer)->hook_outer = seed % 3 * 1024;
  for (uint32_t threads = 1 + roll(&dice, 4), i = 0; i < threads; i++)
    make_thread(writer, &places, &dice, i, &now);
  recording_writer_save(writer, now + 100, path);
  recording_writer_free(writer);
}
