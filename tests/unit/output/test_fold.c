/* Samples, counters and clocks of processes that become one: what is summed, what stays apart, and what nobody knows
 * any more. */
#include <string.h>

#include "output/merge/clock_base.h"
#include "output/merge/fold_counters.h"
#include "output/merge/fold_samples.h"
#include "tests/support/output_sample.h"

/* ------------------------------------------------------------------------------------------------------------------ */

static uint32_t string(struct out_profile *profile, const char *text)
{
  uint32_t offset;
  assert_int_equal(base_strings_add(profile->strings, text, &offset), 0);
  return offset;
}

/* A process, with samples that are so many ns apart and of which `others` are of no place; 0: it has none. */
static void add_process(struct out_profile *profile, uint64_t period, uint64_t others)
{
  struct out_recording_info *info = base_vector_add(&profile->recordings, 1);
  info->sampled = FMT_NONE;
  if (period == 0)
    return;
  info->sampled = profile->sampled_runs.count;
  struct out_sampled_run *run = base_vector_add(&profile->sampled_runs, 1);
  run->first = profile->places.count;
  run->head.period = period;
  run->head.others = others;
  run->head.flags = FMT_SAMPLES_OWN_RUN;
  run->head.used_ns = period * others;
  run->head.lost = 1;
}

/* A place of the newest process, below its place `parent`. */
static void add_place(struct out_profile *profile, const char *name, uint32_t parent, uint32_t row, uint64_t samples)
{
  struct out_sampled_run *run = out_profile_sampled_run(profile, profile->sampled_runs.count - 1);
  const uint32_t text = string(profile, name);
  *(struct out_place *)base_vector_add(&profile->places, 1) =
      (struct out_place){.name = text, .parent = parent, .row = row, .samples = samples};
  run->head.samples += samples;
  run->count++;
}

/* The sum's place of this name below the one called `parent`. */
static const struct out_place *find_place(const struct out_profile *profile, const struct out_sampled_run *sum,
                                          const char *name, const char *parent)
{
  const struct out_place *found = NULL;
  for (uint32_t i = 0; i < sum->count; i++) {
    const struct out_place *place = out_profile_place(profile, sum->first + i);
    const char *below = place->parent == FMT_NONE
                            ? ""
                            : out_profile_string(profile, out_profile_place(profile, sum->first + place->parent)->name);
    if (strcmp(out_profile_string(profile, place->name), name) != 0 || strcmp(below, parent) != 0)
      continue;
    assert_null(found);
    found = place;
  }
  assert_non_null(found);
  return found;
}

/* Three processes become one, and one between them another. */
static void samples(void **state)
{
  (void)state;
  struct out_profile profile = {0};
  assert_int_equal(out_profile_init(&profile), 0);
  add_process(&profile, 1000, 0);
  add_place(&profile, "/bin/x", FMT_NONE, FMT_NONE, 0);
  add_place(&profile, "f", 0, 7, 10);
  add_place(&profile, "g", 0, FMT_NONE, 20);
  add_process(&profile, 5, 1);
  add_place(&profile, "f", FMT_NONE, 7, 1000);
  add_process(&profile, 0, 0);
  add_process(&profile, 4000, 30);
  add_place(&profile, "/lib/y", FMT_NONE, FMT_NONE, 0);
  add_place(&profile, "/bin/x", FMT_NONE, FMT_NONE, 0);
  add_place(&profile, "g", 1, 8, 5);
  add_place(&profile, "f", 0, 9, 25);
  assert_int_equal(out_fold_samples(&profile, (const uint32_t[]){1, 0, 1, 1}, 2), 0);
  assert_int_equal(out_profile_recording(&profile, 0)->sampled, 0);
  assert_int_equal(out_profile_recording(&profile, 1)->sampled, 1);
  assert_int_equal(out_profile_recording(&profile, 2)->sampled, FMT_NONE);
  assert_int_equal(out_profile_recording(&profile, 3)->sampled, FMT_NONE);
  const struct out_sampled_run *sum = out_profile_sampled_run(&profile, 0);
  assert_int_equal(sum->head.samples, 60);
  assert_int_equal(sum->head.others, 30);
  assert_int_equal(sum->head.lost, 2);
  assert_int_equal(sum->head.used_ns, 30 * 4000);
  /* 30 samples of 1000 ns and 60 of 4000: the time of all of them stays. */
  assert_int_equal(sum->head.period * 90, 30 * 1000 + 60 * 4000);
  assert_int_equal(sum->count, 5);
  assert_int_equal(sum->head.count, 5);
  assert_int_equal(find_place(&profile, sum, "f", "/bin/x")->samples, 10);
  assert_int_equal(find_place(&profile, sum, "g", "/bin/x")->samples, 25);
  assert_int_equal(find_place(&profile, sum, "g", "/bin/x")->row, 8);
  assert_int_equal(find_place(&profile, sum, "f", "/lib/y")->samples, 25);
  assert_int_equal(out_profile_sampled_run(&profile, 1)->head.samples, 1000);
  out_profile_free(&profile);
}

static void which_samples(void **state)
{
  (void)state;
  struct out_profile profile = {0};
  assert_int_equal(out_profile_init(&profile), 0);
  for (unsigned i = 0; i < 4; i++)
    add_process(&profile, i < 3 ? 1 : 0, 1);
  out_profile_sampled_run(&profile, 1)->head.method++;
  out_profile_sampled_run(&profile, 2)->head.flags = 0;
  static const bool same[4][4] = {{true}, {false, true}, {false, false, false}, {false, false, false, true}};
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t j = 0; j <= i; j++)
      assert_int_equal(
          out_fold_same_samples(&profile, out_profile_recording(&profile, i), out_profile_recording(&profile, j)),
          same[i][j]);
  out_profile_free(&profile);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void add_counter(struct out_profile *profile, const char *key, uint32_t recording, uint32_t kind)
{
  const uint32_t text = string(profile, key);
  *(struct out_counter_record *)base_vector_add(&profile->stage_records.counters, 1) =
      (struct out_counter_record){.record.kind = kind, .recording = recording, .key = text};
}

static void add_use(struct out_profile *profile, uint32_t counter, uint32_t thread, uint32_t stage, uint64_t amount,
                    uint64_t last_ticks)
{
  struct out_counter_use_record *use = base_vector_add(&profile->stage_records.counter_uses, 1);
  *use = (struct out_counter_use_record){.thread = thread, .counter = counter, .stage = stage};
  use->record.count = 1;
  use->record.amount = use->record.last = use->record.least = use->record.most = amount;
  use->record.last_ticks = last_ticks;
  use->record.shift = 5;
  memset(use->record.slots, 1, sizeof use->record.slots);
}

static const struct out_counter_use_record *use_at(const struct out_profile *profile, uint32_t number)
{
  return base_vector_at(&profile->stage_records.counter_uses, number);
}

/* Two counters of one key are one, where they are of one kind and process; so is what one thread counted with them in
 * one stage, and when it did is told of it no more. */
static void counters(void **state)
{
  (void)state;
  struct out_profile profile = {0};
  assert_int_equal(out_profile_init(&profile), 0);
  add_counter(&profile, "bytes", 0, 1);
  add_counter(&profile, "bytes", 1, 1);
  add_counter(&profile, "bytes", 0, 2);
  add_counter(&profile, "bytes", 0, 1);
  add_counter(&profile, "items", 0, 1);
  add_use(&profile, 0, 3, 0, 7, 100);
  add_use(&profile, 3, 3, 0, 2, 50);
  add_use(&profile, 3, 3, 1, 9, 60);
  add_use(&profile, 3, 4, 0, 11, 70);
  add_use(&profile, 4, 3, 0, 13, 80);
  add_use(&profile, 3, 3, 0, 30, 200);
  assert_int_equal(out_fold_counters(&profile), 0);
  assert_int_equal(profile.stage_records.counters.count, 4);
  assert_int_equal(profile.stage_records.counter_uses.count, 4);
  const struct out_counter_use_record *sum = use_at(&profile, 0);
  assert_int_equal(sum->record.count, 3);
  assert_int_equal(sum->record.amount, 39);
  assert_int_equal(sum->record.least, 2);
  assert_int_equal(sum->record.most, 30);
  assert_int_equal(sum->record.last, 30);
  assert_int_equal(sum->record.last_ticks, 200);
  assert_int_equal(sum->record.shift, 0);
  for (const char *at = (const char *)sum->record.slots; at < (const char *)(&sum->record.slots + 1); at++)
    assert_int_equal(*at, 0);
  for (uint32_t i = 1; i < 4; i++) {
    assert_int_equal(use_at(&profile, i)->record.count, 1);
    assert_int_equal(use_at(&profile, i)->record.shift, 5);
  }
  /* The fourth is the first by now, and the fifth the fourth. */
  assert_int_equal(use_at(&profile, 1)->counter, 0);
  assert_int_equal(use_at(&profile, 3)->counter, 3);
  const struct out_counter_record *last = base_vector_at(&profile.stage_records.counters, 3);
  assert_string_equal(out_profile_string(&profile, last->key), "items");
  out_profile_free(&profile);
}

/* ------------------------------------------------------------------------------------------------------------------ */

#define SECOND UINT64_C(1000000000)

/* A process from `start` to `end` (ns) on a machine whose counter was 0 at `zero` and counts `rate` ticks a second. */
static void add_clock(struct out_profile *profile, const char *program, uint64_t start, uint64_t end, uint64_t zero,
                      double rate)
{
  struct out_recording_info *info = base_vector_add(&profile->recordings, 1);
  const struct fmt_rec_clock_point from = {(uint64_t)((double)(start - zero) / 1e9 * rate), start},
                                   to = {(uint64_t)((double)(end - zero) / 1e9 * rate), end};
  info->program = string(profile, program);
  info->clock = info->process.clock = FMT_CLOCK_TSC;
  info->process.start = from;
  info->process.last = to;
  info->uncalibrated = end == start;
  info->tick = end == start ? 1e-9 : 1 / rate;
}

/* Ticks of a machine stay what they are; those of several do not add up. */
static void clocks(void **state)
{
  (void)state;
  struct out_profile profile = {0};
  bool differ[15];
  assert_int_equal(out_profile_init(&profile), 0);
  for (size_t i = 0; i < 15; i++)
    differ[i] = i != 11;
  /* One machine, with one that ended at once. */
  add_clock(&profile, "one", 100 * SECOND, 101 * SECOND, 5 * SECOND, 3e9);
  add_clock(&profile, "one", 5000 * SECOND, 5000 * SECOND, 5 * SECOND, 3e9);
  add_clock(&profile, "one", 90 * SECOND, 90 * SECOND + 3000000, 5 * SECOND, 3e9);
  /* Another rate, of the same start; another start; and another rate of which so long after no reading tells. */
  add_clock(&profile, "rate", 100 * SECOND, 101 * SECOND, 5 * SECOND, 3e9);
  add_clock(&profile, "rate", 100 * SECOND, 100 * SECOND + 3000000, 5 * SECOND, 3.1e9);
  add_clock(&profile, "start", 100 * SECOND, 101 * SECOND, 5 * SECOND, 3e9);
  add_clock(&profile, "start", 100 * SECOND, 100 * SECOND, 6 * SECOND, 3e9);
  add_clock(&profile, "late", 100 * SECOND, 101 * SECOND, 0, 3e9);
  add_clock(&profile, "late", 10000 * SECOND, 10000 * SECOND + SECOND / 2, 5000 * SECOND, 6e9);
  add_clock(&profile, "alone", 1 * SECOND, 2 * SECOND, 0, 1e9);
  add_clock(&profile, "other", 1 * SECOND, 2 * SECOND, 0, 1e9);
  out_profile_recording(&profile, 10)->clock = FMT_CLOCK_MONOTONIC;
  add_clock(&profile, "alone", 1 * SECOND, 2 * SECOND, 0, 2e9);
  /* Two that run as one, and a third that was made nanoseconds before. */
  for (size_t i = 0; i < 3; i++)
    add_clock(&profile, "before", 100 * SECOND, (102 - i) * SECOND, 5 * SECOND, 3e9);
  out_profile_recording(&profile, 13)->clock = FMT_CLOCK_MONOTONIC;
  assert_int_equal(out_clock_bases_differ(&profile, differ), 0);
  for (size_t i = 0; i < 15; i++)
    if (differ[i] != ((i >= 3 && i <= 8) || i == 12 || i == 14))
      fail_msg("process %zu", i);
  out_profile_free(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(samples), cmocka_unit_test(which_samples),
                                     cmocka_unit_test(counters), cmocka_unit_test(clocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
