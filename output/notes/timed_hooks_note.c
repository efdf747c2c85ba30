/* Adds up what hooks took of times from which nothing is taken off. */
#include "output/notes/timed_hooks_note.h"

#include <errno.h>
#include <math.h>

#include "output/profile/edge_time.h"
#include "output/sampling/hook_cost.h"
#include "output/stats/compensate.h"

#define LEAST_SECONDS 0.0005 /* what the table shows */
#define LEAST_SHARE   0.02

/* What a call takes at the least whose hooks read a thread's CPU time: two calls of the kernel. */
#define CPU_CLOCK_SECONDS 100e-9

/* From this part of the times on, what the kernel takes to tell the time is told. */
#define MOSTLY_HOOKS 0.5

static const char cheaper[] = ": the default clock takes a small part of it, and --times auto asks for fewer calls";

struct sums {
  double hooks, times; /* seconds */
  double least;        /* of CPU time: seconds of the shortest call that was timed, which has one reading in it */
  uint64_t timed;      /* likewise: calls */
  bool is_cpu;         /* some are of CPU time */
};

static bool is_told(const struct sums *sums)
{
  return sums->hooks >= LEAST_SECONDS && sums->hooks >= LEAST_SHARE * sums->times;
}

/* By CPU time the hooks of earlier versions had no calibration. */
static bool is_uncalibrated(const struct out_profile *profile, const struct out_recording_info *info)
{
  return info->clock == FMT_CLOCK_CPU && !out_compensate_is_known(profile, info);
}

/* The edges of the recordings by CPU time whose hooks' cost is not known, with the least that it can be. */
static struct sums least_of_cpu(const struct out_profile *profile)
{
  struct sums sums = {.least = INFINITY};
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    const struct out_recording_info *info =
        out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
    if (!is_uncalibrated(profile, info) || !out_profile_is_call(profile, edge->to))
      continue;
    const uint64_t timed = out_edge_calls(profile, edge) - out_edge_sampling(profile, edge).untimed;
    sums.hooks += (double)timed * CPU_CLOCK_SECONDS;
    sums.timed += timed;
    if (timed > 0 && edge->min > 0)
      sums.least = fmin(sums.least, (double)edge->min * info->tick);
    sums.times += ((double)out_edge_total(profile, edge) - (double)edge->children) * info->tick;
  }
  return sums;
}

/* The edges of the recordings whose calls were all timed and whose hooks' cost is known. */
static struct sums sum_of(const struct out_profile *profile)
{
  struct sums sums = {0};
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    const struct out_recording_info *info =
        out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
    /* What leads to the root is no call, and has the outermost ones as its children. */
    if (info->flags & FMT_REC_SAMPLED || !out_profile_is_call(profile, edge->to) ||
        !out_compensate_is_known(profile, info))
      continue;
    const struct out_hook_cost cost = out_hook_cost(profile, edge);
    sums.is_cpu |= info->clock == FMT_CLOCK_CPU;
    sums.hooks += (cost.callee + cost.caller) * info->tick;
    sums.times += ((double)out_edge_total(profile, edge) - (double)edge->children) * info->tick;
  }
  return sums;
}

/* The shortest call has one reading in its time, and its caller another one: so much is the hooks' of every call. Where
 * that is most of the time, the note has the price, since nobody would guess it. */
static int tell_cpu(const struct sums *cpu, out_note_fn note, void *data)
{
  const double least = isfinite(cpu->least) ? 2 * cpu->least * (double)cpu->timed : 0;
  struct out_text text = {0};
  out_text_puts(&text, "times by --clock cpu hold what the hooks took, and it is not known how much: those of short "
                       "calls are mostly that");
  if (least >= MOSTLY_HOOKS * cpu->times) {
    out_text_printf(&text, "; for each of %llu calls the kernel was asked twice, which took ",
                    (unsigned long long)cpu->timed);
    out_text_fixed(&text, fmin(least, cpu->times), 0);
    out_text_puts(&text, " of ");
    out_text_fixed(&text, cpu->times, 0);
    out_text_puts(&text, " seconds or so");
    out_text_puts(&text, cheaper);
  }
  const int result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
  out_text_free(&text);
  return result;
}

int out_timed_hooks_note(const struct callsig_stats *stats, bool *told, out_note_fn note, void *data)
{
  *told = false;
  if (stats->compensating != OUT_COMPENSATE_SAMPLED)
    return 0;
  const struct sums cpu = least_of_cpu(&stats->profile), sums = sum_of(&stats->profile);
  if (is_told(&cpu)) {
    *told = true;
    const int result = tell_cpu(&cpu, note, data);
    if (result != 0)
      return result;
  }
  if (!is_told(&sums))
    return 0;
  struct out_text text = {0};
  out_text_puts(&text, "every call was timed: times hold what the hooks took, ");
  out_text_fixed(&text, sums.hooks, 0);
  out_text_puts(&text, " seconds as they were calibrated; --compensate takes it off");
  if (sums.is_cpu && sums.hooks >= MOSTLY_HOOKS * sums.times)
    out_text_puts(&text, cheaper);
  const int result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
  out_text_free(&text);
  *told = true;
  return result;
}
