/* A program that is recorded twice: with every call timed, and with a sample. */
#include "tests/support/sampling_twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *make_index(size_t *size)
{
  static const char *const names[] = {[MAIN] = "main", [OUTER] = "outer", [INNER] = "inner", [LEAF] = "leaf"};
  struct index_writer *index = index_writer_new();
  uint32_t type = index_writer_type(index, FMT_TYPE_SIGNED, "int", 4, FMT_NONE);
  for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    index_writer_function(index, "a.c", i + 1, names[i], 0);
    index_writer_arg(index, FMT_ARG_VALUE, "n", type);
  }
  void *data = index_writer_finish(index, size);
  index_writer_free(index);
  return data;
}

void twin_begin(struct twin *twin, unsigned seed, uint32_t rate)
{
  size_t size;
  void *index = make_index(&size);
  *twin = (struct twin){.dice = {seed}, .now = 1}; /* at 0 begins what is not timed */
  for (int i = 0; i < 2; i++) {
    twin->writers[i] = recording_writer_new(7, HZ);
    twin->modules[i] = recording_writer_module(twin->writers[i], "/bin/test", 0x10000, 0x10000, index, size);
    if (i == SAMPLED)
      recording_writer_sample(twin->writers[i], UINT64_C(0x9E3779B9) * (seed + 1), rate);
    twin->threads[i] = recording_writer_thread(twin->writers[i], 1, "main");
  }
  free(index);
}

void twin_enter(struct twin *twin, enum function function, uint64_t n)
{
  for (int i = 0; i < 2; i++)
    recording_enter(twin->threads[i], twin->modules[i], function, (const uint64_t[]){0, n}, 2, twin->now);
}

void twin_leave(struct twin *twin)
{
  for (int i = 0; i < 2; i++)
    recording_exit(twin->threads[i], twin->now);
}

void twin_call(struct twin *twin, enum function function, uint64_t n, uint64_t ticks)
{
  twin_enter(twin, function, n);
  twin->now += ticks;
  twin_leave(twin);
}

static const char *const paths[] = {"exact", "sampled"};

void twin_end(struct twin *twin, struct callsig_stats *stats[2])
{
  for (int i = 0; i < 2; i++) {
    recording_writer_save(twin->writers[i], twin->now, scratch_path(paths[i]));
    recording_writer_free(twin->writers[i]);
    assert_int_equal(callsig_stats_load(scratch_path(paths[i]), &stats[i]), 0);
    unlink(scratch_path(paths[i]));
  }
}

void twin_free(struct callsig_stats *stats[2])
{
  for (int i = 0; i < 2; i++)
    callsig_stats_free(stats[i]);
}

struct callsig_stats_row twin_row(struct callsig_stats *stats, const char *signature)
{
  struct callsig_stats_row row = {.size = sizeof row};
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    if (strcmp(row.signature ? row.signature : row.function, signature) == 0)
      return row;
  }
  fail_msg("no row %s", signature);
  return row;
}

static double fraction(struct dice *dice)
{
  return (roll(dice, 1u << 30) + 0.5) / (1u << 30);
}

uint64_t twin_ticks(struct dice *dice, enum shape shape, double at)
{
  double normal = sqrt(-2 * log(fraction(dice))) * cos(2 * M_PI * fraction(dice)), ticks;
  switch (shape) {
  case EVEN:
    ticks = 200 + 30 * normal;
    break;
  case TWO_LENGTHS:
    ticks = roll(dice, 10) ? 40 : 400;
    break;
  case EXPONENTIAL:
    ticks = -200 * log(fraction(dice));
    break;
  case LOGNORMAL:
    ticks = exp(4 + 0.8 * normal);
    break;
  case DRIFTING:
    ticks = 60 + 200 * at + 10 * normal;
    break;
  case CONSTANT:
    ticks = 120;
    break;
  case UNIFORM:
    ticks = 20 + 380 * fraction(dice);
    break;
  case PARETO:
    ticks = 60 / pow(fraction(dice), 1 / 2.5);
    break;
  default:
    ticks = (at < 0.001 ? 3000 : 60) + 10 * normal;
  }
  return ticks < 1 ? 1 : (uint64_t)ticks;
}

void twin_run_shapes(struct twin *twin, unsigned calls)
{
  twin_enter(twin, MAIN, 0);
  for (unsigned i = 0; i < calls; i++) {
    double at = (double)i / calls;
    for (enum shape shape = 0; shape < SHAPES; shape++) {
      twin_enter(twin, OUTER, shape);
      twin->now += twin_ticks(&twin->dice, EVEN, at);
      twin_call(twin, LEAF, shape, twin_ticks(&twin->dice, shape, at));
      twin_leave(twin);
      twin_call(twin, INNER, shape, twin_ticks(&twin->dice, shape, at));
    }
    twin->now += 100;
  }
  twin_leave(twin);
}

void twin_expect(struct callsig_stats *stats, print_fn print, const char *text, int wanted)
{
  char *all = printed(stats, print, NULL);
  if ((strstr(all, text) != NULL) != wanted)
    fail_msg("%s '%s' in: %s", wanted ? "no" : "a", text, all);
  free(all);
}
