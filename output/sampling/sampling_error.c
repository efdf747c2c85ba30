/* Computes how far the times of an edge's calls may be off that were not timed. */
#include "output/sampling/sampling_error.h"

#include <math.h>

#include "output/profile/edge_time.h"
#include "output/sampling/hook_cost.h"

/* So many calls of an edge are timed before any is not: they tell what it was like at first. */
#define FIRST_CALLS 32.0

/* How much of the disagreement of two estimates counts as error: both may be off, and whole ticks are rounded. */
#define DISAGREEMENT 1.5

/* How much wider an interval is for each standard deviation that the longest call is too far from the mean. */
#define TAIL 0.1

/* What of them an imputed time still knows, which is made of about as many calls. */
#define KNOWN_CALLS 8.0

/* The t that |t| exceeds with 5 %, by whole degrees of freedom: exactly for few, else by the expansion of Cornish and
 * Fisher (R. A. Fisher, E. A. Cornish, "The percentile points of distributions having known cumulants", Technometrics 2
 * (1960)), which is within 0.001 there. */
static double t_of(double freedom)
{
  static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447};
  const size_t known = sizeof few / sizeof few[0];
  const double z = 1.959964, f = freedom;
  if (freedom < 1 + (double)known)
    return few[freedom < 1 ? 0 : (int)freedom - 1];
  double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * f * f * f);
}

/* The variance of the edge's timed calls. The squares are a sum of up to 2^128, of which a double has 53 bits: the mean
 * is taken off before it is rounded. */
static double variance_of(const struct out_sampling *sampling)
{
  long double timed = (long double)sampling->timed, mean = (long double)sampling->timed_total / timed;
  long double squares = ldexpl((long double)sampling->squares_high, 64) + (long double)sampling->squares_low;
  long double deviations = squares - mean * (long double)sampling->timed_total;
  return deviations > 0 ? (double)(deviations / (timed - 1)) : 0;
}

/* By how much more the times of unlike calls may be off: a few long calls that make much of the time may as well be
 * missing among those that were timed, and the variance with them. As many times that are spread normally have none
 * farther from the mean than sqrt(2 ln m) standard deviations. */
static double tail_of(const struct out_edge *edge, const struct out_sampling *sampling)
{
  const double timed = (double)sampling->timed, deviation = sqrt(variance_of(sampling));
  /* The longest of the edge may be one that was timed apart. */
  const double squares = ldexp((double)sampling->squares_high, 64) + (double)sampling->squares_low;
  const double longest = fmin((double)edge->max, sqrt(squares)) - (double)sampling->timed_total / timed;
  const double farther = deviation > 0 ? longest / deviation - sqrt(2 * log(timed)) : 0;
  return 1 + TAIL * fmax(farther, 0);
}

/* How far the mean of the imputed times lies from that of the timed ones, each less what its hooks spared: 0 while it
 * is not known. Where calls change, or are timed more often while they are long, neither is right; nor where imputed
 * times were changed since they did not fit their callers'. */
static double disagreement(const struct out_profile *profile, const struct out_edge *edge,
                           const struct out_sampling *sampling, double all_untimed, double spared)
{
  double imputed = (double)edge->total - (double)sampling->timed_total;
  if (edge->recursion != FMT_NONE) {
    const struct out_recursion *recursion = out_profile_recursion(profile, edge->recursion);
    if (recursion->open > 0)
      return 0;
    imputed += (double)recursion->total - (double)recursion->apart_total;
  }
  const double timed = (double)sampling->timed_total / (double)sampling->timed;
  return imputed / all_untimed - (timed > spared ? timed - spared : 0);
}

double out_recorded_error(const struct out_profile *profile, const struct out_edge *edge, double untimed, double spared)
{
  if (!(untimed > 0) || edge->sampling == FMT_NONE)
    return 0;
  const struct out_sampling *sampling = out_profile_sampling(profile, edge->sampling);
  if (sampling->timed < 2)
    return NAN;
  double timed = (double)sampling->timed, later = timed > FIRST_CALLS ? timed - FIRST_CALLS : 0;
  double weight = fmin(timed, later + KNOWN_CALLS), t = t_of(weight - 1) * tail_of(edge, sampling);
  double all_untimed = (double)out_edge_sampling(profile, edge).untimed;
  double apart = DISAGREEMENT * untimed * disagreement(profile, edge, sampling, all_untimed, spared);
  return t * t * variance_of(sampling) * (untimed * untimed / weight + untimed) + apart * apart;
}

double out_sampling_error(const struct out_profile *profile, const struct out_edge *edge, double untimed)
{
  const struct out_recording_info *info =
      out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
  return out_recorded_error(profile, edge, untimed, (double)out_hooks_spared(info).callee / 1024);
}

double out_sample_period(const struct out_profile *profile, const struct out_edge *edge)
{
  const struct out_recording_info *info =
      out_profile_recording(profile, out_profile_thread(profile, edge->thread)->recording);
  const struct fmt_rec_samples *head =
      info->sampled == FMT_NONE ? NULL : &out_profile_sampled_run(profile, info->sampled)->head;
  return head && head->samples > 0 ? (double)head->period / 1024e9 / info->tick : 0;
}
