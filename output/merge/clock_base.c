/* Compares the clocks of processes of one program by the moments at which they read both the counter and the time. */
#include "output/merge/clock_base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "format/recording.h"

/* The part by which two readings of one machine may differ from each other's rate: the time is slewed by half of that
 * at the most. What is added up is off by no more. */
#define DRIFT 1e-3

/* Nanoseconds that a thread may have lost its processor for between the two readings of a moment, most of the time. */
#define APART_NS 2e4

struct process {
  uint32_t program, number;
  bool has_time; /* its ticks are nanoseconds, as those of some have become that were made one before */
  double span;   /* nanoseconds between its readings; 0: it has one alone */
};

static int compare_processes(const void *left, const void *right)
{
  const struct process *a = left, *b = right;
  if (a->program != b->program)
    return a->program < b->program ? -1 : 1;
  /* That by which the others are judged comes first. */
  if (a->span != b->span)
    return a->span > b->span ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static double difference(uint64_t later, uint64_t earlier)
{
  return later >= earlier ? (double)(later - earlier) : -(double)(earlier - later);
}

/* Did the counter and the time go on alike between two moments, when a tick takes `tick_ns`, give or take a part? */
static bool is_one_clock(const struct fmt_rec_clock_point *from, const struct fmt_rec_clock_point *to, double tick_ns,
                         double part)
{
  const double passed = difference(to->monotonic_ns, from->monotonic_ns),
               counted = difference(to->ticks, from->ticks) * tick_ns;
  return fabs(passed - counted) <= part * fabs(passed) + APART_NS;
}

/* The second has the shorter span. */
static bool have_one_base(const struct out_recording_info *longest, const struct out_recording_info *other,
                          double longest_span)
{
  const struct fmt_rec_clock_point *origin = &longest->process.start;
  const double tick_ns = longest->tick * 1e9, part = DRIFT + APART_NS / longest_span;
  if (longest->uncalibrated || !is_one_clock(origin, &other->process.start, tick_ns, part))
    return false;
  return other->uncalibrated || (is_one_clock(origin, &other->process.last, tick_ns, part) &&
                                 is_one_clock(&other->process.start, &other->process.last, tick_ns, part));
}

int out_clock_bases_differ(const struct out_profile *profile, bool *chosen)
{
  struct process *list = calloc(profile->recordings.count + 1u, sizeof *list);
  uint32_t count = 0;
  if (!list)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    const bool has_time = chosen[i] && info->clock == FMT_CLOCK_MONOTONIC;
    chosen[i] = chosen[i] && info->clock == FMT_CLOCK_TSC;
    if (chosen[i] || has_time)
      list[count++] = (struct process){
          .program = info->program,
          .number = i,
          .has_time = has_time,
          .span =
              info->uncalibrated ? 0 : difference(info->process.last.monotonic_ns, info->process.start.monotonic_ns)};
  }
  qsort(list, count, sizeof *list, compare_processes);
  for (uint32_t first = 0, end; first < count; first = end) {
    const struct out_recording_info *longest = out_profile_recording(profile, list[first].number);
    bool is_one = true;
    for (end = first; end < count && list[end].program == list[first].program; end++)
      is_one =
          is_one && !list[end].has_time &&
          (end == first || have_one_base(longest, out_profile_recording(profile, list[end].number), list[first].span));
    for (uint32_t i = first; i < end && is_one; i++)
      chosen[list[i].number] = false;
  }
  free(list);
  return 0;
}
