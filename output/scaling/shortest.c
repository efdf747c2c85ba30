/* Holds the law of mean times against the shortest calls. */
#include "output/scaling/shortest.h"

#include <math.h>

#include "output/scaling/doubt.h"

/* True when most points have calls enough for the shortest of them to be one that nothing disturbed. */
static bool has_shortest(const struct out_scaling_finding *finding)
{
  uint32_t often = 0;
  for (uint32_t i = 0; finding->shortest && i < finding->points.count; i++) {
    if (!isnormal(finding->shortest[i]) || finding->shortest[i] < 0)
      return false;
    often += finding->calls[i] >= OUT_SCALING_TRIMMED;
  }
  return often * 2 > finding->points.count;
}

/* True when the shortest calls follow another law, which grows less. What else runs on the machine makes long calls
 * longer and leaves short ones alone, as those end within their slice of time: the means then grow faster than the
 * function does. Shortest calls that follow no law, or are constant, say nothing: a search may end at once. */
static bool contradicts(const struct out_choice *calm, const struct out_choice *verdict)
{
  return calm->kind == OUT_CHOICE_LAW && calm->fit.growth < verdict->fit.growth &&
         !out_choice_names(calm, &verdict->fit.law);
}

/* True when the means have the same law, only that they are farther off: both of them name it. */
static bool confirms(const struct out_choice *calm, const struct out_choice *verdict)
{
  return calm->kind == OUT_CHOICE_LAW &&
         (out_choice_names(verdict, &calm->fit.law) || out_choice_names(calm, &verdict->fit.law));
}

/* Takes the law of the shortest calls where they bear it, and leaves it to the finding to free. */
static int take_shortest(const struct out_scaling_samples *samples, struct out_scaling_finding *finding,
                         const struct out_points *points, struct out_choice *calm)
{
  struct out_scaling_finding again = *finding;
  again.kind = OUT_SCALING_LAW;
  again.doubt = OUT_DOUBT_NONE;
  again.points = *points;
  again.verdict = *calm;
  int result = out_scaling_doubt(samples, &again);
  if (result < 0 || again.kind != OUT_SCALING_LAW)
    return result;
  again.means_off = finding->verdict.best.left_out;
  again.is_shortest = true;
  *calm = finding->verdict;
  *finding = again;
  return 0;
}

/* The most that caches make of a call whose steps do not become more, in seconds: some thirty lines that are fetched
 * from memory. */
#define CACHES 3e-6

/* True when the time grows no more than that, and that of the shortest calls not by the same law: what these find is in
 * the caches, what others look for was driven out of them, the more so the larger it is. */
static bool is_of_caches(const struct out_scaling_finding *finding, const struct out_choice *calm)
{
  const struct out_fit *fit = &finding->verdict.fit;
  double largest = 0;
  for (uint32_t i = 0; i < finding->points.count; i++)
    largest = fmax(largest, out_fit_at(fit, finding->points.values + (size_t)i * finding->points.candidates));
  return largest - largest / fit->growth < CACHES && !confirms(calm, &finding->verdict);
}

/* True when waits, which are in the means and not in the shortest calls, may have made the means grow as they do. */
static bool explains_means(const struct out_choice *calm, const struct out_choice *verdict)
{
  return calm->kind == OUT_CHOICE_LAW && calm->fit.growth <= verdict->best.growth;
}

int out_scaling_ask_shortest(const struct out_scaling_samples *samples, enum out_scaling_waits waits,
                             struct out_scaling_finding *finding)
{
  const bool is_law = finding->kind == OUT_SCALING_LAW, is_far = finding->doubt == OUT_DOUBT_ERROR;
  const bool is_none = finding->kind == OUT_SCALING_NONE && finding->doubt != OUT_DOUBT_FEW_CALLS;
  if (!(is_law || is_far || (is_none && waits == OUT_WAITS_COUNT)) || !has_shortest(finding))
    return 0;
  struct out_points points = finding->points;
  struct out_choice calm;
  points.times = finding->shortest;
  int result = out_choose(&points, &calm);
  if (result < 0)
    return result;
  if (is_law && is_of_caches(finding, &calm)) {
    out_scaling_give_up(finding, OUT_DOUBT_CACHES);
  } else if (is_law && waits != OUT_WAITS_TAKEN_OUT && contradicts(&calm, &finding->verdict)) {
    out_scaling_give_up(finding, OUT_DOUBT_DISTURBED);
    finding->calm = calm.fit.law;
  } else if (!is_law && (confirms(&calm, &finding->verdict) ||
                         (waits == OUT_WAITS_COUNT && explains_means(&calm, &finding->verdict)))) {
    result = take_shortest(samples, finding, &points, &calm);
  }
  out_choice_free(&calm);
  return result;
}
