/* Compares tasks of several that do the same in each part of the time. */
#include "output/pipeline/slow_parts.h"

#include <math.h>
#include <stdlib.h>

#include "output/pipeline/bottleneck.h"

#define PARTS 8u

/* Tasks in a part that make a mean. */
#define LEAST_TASKS 2.0

/* In one part somebody is as slow by chance with this probability at most: in half of eight parts with one of 1:200. */
#define IN_A_PART 0.10

struct sum {
  double time, tasks;
};

static double begin_of(const struct out_slow_entry *entry, unsigned slot)
{
  return entry->start + ldexp((double)slot * entry->tick, (int)entry->shift);
}

/* The time in which there are tasks. */
static void find_range(const struct out_slow_entry *entries, uint32_t count, double *from, double *until)
{
  *from = INFINITY;
  *until = -INFINITY;
  for (uint32_t i = 0; i < count; i++)
    for (unsigned slot = 0; slot < FMT_TASK_SLOTS; slot++) {
      if (entries[i].slots[slot].tasks == 0)
        continue;
      *from = fmin(*from, begin_of(&entries[i], slot));
      *until = fmax(*until, begin_of(&entries[i], slot + 1));
    }
}

static struct sum sum_of(const struct out_slow_entry *entry, double from, double until)
{
  struct sum sum = {0};
  for (unsigned slot = 0; slot < FMT_TASK_SLOTS; slot++) {
    const double middle = (begin_of(entry, slot) + begin_of(entry, slot + 1)) / 2;
    if (middle < from || middle >= until)
      continue;
    sum.time += (double)entry->slots[slot].own * entry->tick;
    sum.tasks += (double)entry->slots[slot].tasks;
  }
  return sum;
}

/* What tasks take by chance: times drawn from `values`, with a mean of which those in the parts are `scale` times. */
struct chances {
  const struct out_values *values; /* NULL: it is not asked */
  double scale;
};

static struct chances chances_of(const struct out_slow_entry *entries, uint32_t count, const struct out_values *values)
{
  struct sum all = {0};
  for (uint32_t i = 0; i < count; i++) {
    const struct sum sum = sum_of(&entries[i], -INFINITY, INFINITY);
    all.time += sum.time;
    all.tasks += sum.tasks;
  }
  const bool known = values && values->sum > 0 && all.time > 0;
  return (struct chances){.values = known ? values : NULL,
                          .scale = known ? all.time / all.tasks * values->count / values->sum : 1};
}

static double chance_of(const struct chances *chances, const struct sum *sum)
{
  return chances->values ? out_values_chance(chances->values, sum->tasks, sum->time / sum->tasks / chances->scale) : 0;
}

/* False: too few have tasks in the part. */
static bool judge(struct out_slow_entry *entries, uint32_t count, double from, double until,
                  const struct chances *chances)
{
  struct sum all = {0}, slowest = {0};
  uint32_t with_tasks = 0, which = 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct sum sum = sum_of(&entries[i], from, until);
    all.time += sum.time;
    all.tasks += sum.tasks;
    if (sum.tasks < LEAST_TASKS)
      continue;
    with_tasks++;
    if (slowest.tasks == 0 || sum.time * slowest.tasks > slowest.time * sum.tasks) {
      slowest = sum;
      which = i;
    }
  }
  const struct sum others = {all.time - slowest.time, all.tasks - slowest.tasks};
  if (with_tasks < 2 || others.tasks < LEAST_TASKS)
    return false;
  if (slowest.time * others.tasks >= OUT_STRAGGLER_RATIO * others.time * slowest.tasks) {
    entries[which].slower++;
    entries[which].slowest += with_tasks * chance_of(chances, &slowest) < IN_A_PART;
  }
  return true;
}

unsigned out_slow_parts(struct out_slow_entry *entries, uint32_t count, const struct out_values *values)
{
  const struct chances chances = chances_of(entries, count, values);
  double from, until;
  unsigned judged = 0;
  for (uint32_t i = 0; i < count; i++)
    entries[i].slower = entries[i].slowest = 0;
  find_range(entries, count, &from, &until);
  for (unsigned part = 0; part < PARTS && until > from; part++)
    judged += judge(entries, count, from + (until - from) * part / PARTS, from + (until - from) * (part + 1) / PARTS,
                    &chances);
  return judged;
}
