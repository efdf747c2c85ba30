/* Finds the step of a recording's clock, and its least. */
#include "output/scaling/clock_near.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The least reading is at most so many steps. */
#define STEPS_IN_LEAST 16
/* Readings of up to so many times the least are asked: longer ones are where waits were taken out. */
#define SHORT 16
/* Fewer readings above the least are multiples of anything by chance. */
#define READINGS 8
/* One in so many may be none. */
#define OTHERS 16
/* A clock in nanoseconds rounds its steps, which are then off by one: of so many ticks and more that tells a step. */
#define ROUNDED 8

static bool is_multiple(uint64_t reading, uint64_t step)
{
  const uint64_t rest = reading % step, off = rest < step - rest ? rest : step - rest;
  return off <= (step >= ROUNDED ? 1 : 0);
}

/* True when all but a few of the readings above the least are multiples. */
static bool is_step(const uint64_t *readings, uint32_t count, uint64_t step)
{
  uint32_t above = 0, others = 0;
  for (uint32_t i = 0; i < count && readings[i] <= SHORT * readings[0]; i++) {
    if (readings[i] <= readings[0] + 1)
      continue;
    above++;
    others += !is_multiple(readings[i], step);
  }
  return above >= READINGS && others * OTHERS <= above;
}

double out_scaling_step_of(const uint64_t *readings, uint32_t count)
{
  const uint64_t least = count > 0 ? readings[0] : 0;
  for (uint64_t steps = 1; steps <= STEPS_IN_LEAST; steps++) {
    const uint64_t middle = (least + steps / 2) / steps;
    for (uint64_t step = middle + 1; step >= 2 && step + 1 >= middle; step--)
      if (is_step(readings, count, step))
        return (double)step;
  }
  return 1;
}

static int compare_readings(const void *left, const void *right)
{
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* Was a call of the edge read? */
static bool is_read(const struct out_edge *edge)
{
  return edge->calls > 0 && edge->min > 0 && edge->min <= edge->max;
}

/* Puts the shortest calls of the edges that were read into `readings`, by recording: those of recording i end before
 * ends[i], where those of the next begin. `ends` is all 0. */
static void read_shortest(const struct out_profile *profile, uint64_t *readings, uint32_t *ends)
{
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = base_vector_at(&profile->edges, i);
    ends[out_profile_thread(profile, edge->thread)->recording + 1] += is_read(edge);
  }
  for (uint32_t i = 1; i <= profile->recordings.count; i++)
    ends[i] += ends[i - 1];
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = base_vector_at(&profile->edges, i);
    if (is_read(edge))
      readings[ends[out_profile_thread(profile, edge->thread)->recording]++] = edge->min;
  }
}

/* What the readings of one recording say. */
static void note(struct out_scaling_clock *clock, const struct out_recording_info *info, uint64_t *readings,
                 uint32_t count)
{
  if (count > 1)
    qsort(readings, count, sizeof *readings, compare_readings);
  const double step = out_scaling_step_of(readings, count) * info->tick;
  clock->step = fmax(clock->step, step);
  clock->near = fmax(clock->near, OUT_SCALING_STEPS * step);
  /* A reading by the system waits for what was begun before it: nothing overlaps. */
  if (info->clock == FMT_CLOCK_TSC && count > 0)
    clock->near = fmax(clock->near, OUT_SCALING_LEAST * (double)readings[0] * info->tick);
}

int out_scaling_clock_read(const struct out_profile *profile, struct out_scaling_clock *clock)
{
  uint64_t *readings = malloc((profile->edges.count + 1u) * sizeof *readings);
  uint32_t *ends = calloc(profile->recordings.count + 1u, sizeof *ends);
  const bool has_room = readings && ends;
  *clock = (struct out_scaling_clock){0};
  if (has_room)
    read_shortest(profile, readings, ends);
  for (uint32_t i = 0, first = 0; has_room && i < profile->recordings.count; first = ends[i++])
    note(clock, out_profile_recording(profile, i), readings + first, ends[i] - first);
  free(readings);
  free(ends);
  return has_room ? 0 : -ENOMEM;
}
