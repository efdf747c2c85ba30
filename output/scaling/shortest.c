/* Holds the law of mean times against the shortest calls. */
#include "output/scaling/shortest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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

/* The means grow apart from the shortest calls when they are so many times as long among the longest third of the
 * sizes, by what they are among the shortest, while the shortest calls grow by at least this part of the decades. */
#define APART       1.5
#define GROWS_ALIKE 0.5

struct by_time {
  double mean, shortest;
};

static int compare_means(const void *left, const void *right)
{
  const struct by_time *a = left, *b = right;
  return (a->mean > b->mean) - (a->mean < b->mean);
}

static int compare_excess(const void *left, const void *right)
{
  const struct by_time *a = left, *b = right;
  const double x = a->mean / a->shortest, y = b->mean / b->shortest;
  return (x > y) - (x < y);
}

static double excess_of(struct by_time *points, uint32_t count)
{
  qsort(points, count, sizeof *points, compare_excess);
  return points[count / 2].mean / points[count / 2].shortest;
}

int out_scaling_grow_apart(const struct out_scaling_finding *finding, bool *grow)
{
  const uint32_t count = finding->points.count, third = count / 3;
  struct by_time *points = calloc(count + 1u, sizeof *points);
  *grow = false;
  if (!points || !has_shortest(finding)) {
    free(points);
    return points ? 0 : -ENOMEM;
  }
  for (uint32_t i = 0; i < count; i++)
    points[i] = (struct by_time){.mean = finding->points.times[i], .shortest = finding->shortest[i]};
  qsort(points, count, sizeof *points, compare_means);
  if (third > 0) {
    const double decades = log(points[count - 1].mean / points[0].mean);
    const double of_shortest = log(points[count - 1].shortest / points[0].shortest);
    *grow = of_shortest >= GROWS_ALIKE * decades &&
            excess_of(points + count - third, third) >= APART * excess_of(points, third);
  }
  free(points);
  return 0;
}

/* Takes the law of the shortest calls where they bear it, or that they are constant, and leaves it to the finding to
 * free. */
static int take_shortest(const struct out_scaling_samples *samples, struct out_scaling_finding *finding,
                         const struct out_points *points, struct out_choice *calm)
{
  struct out_scaling_finding again = *finding;
  again.kind = (enum out_scaling_kind)calm->kind;
  again.doubt = OUT_DOUBT_NONE;
  again.points = *points;
  again.verdict = *calm;
  int result = again.kind == OUT_SCALING_LAW ? out_scaling_doubt(samples, &again) : 0;
  *calm = again.verdict;
  if (result < 0 || again.kind == OUT_SCALING_NONE)
    return result;
  if (finding->doubt == OUT_DOUBT_DISTURBED || finding->doubt == OUT_DOUBT_CACHES) {
    /* Each is of some calls: which of them the function follows, the others cannot tell. */
    result = out_choice_add_rival(calm, &finding->verdict.fit.law);
    if (result < 0)
      return result;
  }
  again.verdict = *calm;
  again.means_off = finding->verdict.best.left_out;
  again.is_shortest = true;
  *calm = finding->verdict;
  *finding = again;
  return 0;
}

/* True when the shortest calls are constant, or have a law that they are near to and whose leading term makes up
 * clearly more than that: `allowed` is how far off they may be. */
static bool is_borne(const struct out_choice *calm, double allowed)
{
  const struct out_fit *fit = &calm->fit;
  return calm->kind == OUT_CHOICE_CONSTANT ||
         (calm->kind == OUT_CHOICE_LAW && fit->left_out <= allowed && fit->share >= OUT_SCALING_CLEAR * fit->left_out);
}

double out_scaling_rise(const struct out_points *points, const struct out_fit *fit)
{
  double largest = 0;
  for (uint32_t i = 0; i < points->count; i++)
    largest = fmax(largest, out_fit_at(fit, points->values + (size_t)i * points->candidates));
  return largest - largest / fit->growth;
}

/* True when the time grows no more than that, and that of the shortest calls not by the same law: what these find is in
 * the caches, what others look for was driven out of them, the more so the larger it is. */
static bool is_of_caches(const struct out_scaling_finding *finding, const struct out_choice *calm, double allowed)
{
  return out_scaling_rise(&finding->points, &finding->verdict.fit) < OUT_SCALING_CACHES &&
         !(is_borne(calm, allowed) && confirms(calm, &finding->verdict));
}

/* True when what is in the means and not in the shortest calls may have made the means grow as they do: waits, and
 * lines that others drove out of the caches. */
static bool explains_means(const struct out_choice *calm, const struct out_choice *verdict)
{
  return calm->kind == OUT_CHOICE_LAW && calm->fit.growth <= verdict->best.growth;
}

/* The shortest calls are even when they deviate by less than this from a constant, and the means are near them when
 * these are no longer than so many times as much, and by no more than caches make. What a search finds at once is
 * constant at its shortest as well, and far from its means. */
#define EVEN 0.05
#define NEAR 2.5
/* So much may they deviate where the means have a law that caches alone may make of a constant: both are named. */
#define ROUGHLY_EVEN 0.10

/* True when the shortest calls are constant, and what the means have beside is that of the caches. */
static bool is_even(const struct out_scaling_finding *finding, const struct out_choice *calm)
{
  if (calm->kind != OUT_CHOICE_CONSTANT ||
      calm->fit.left_out > (finding->doubt == OUT_DOUBT_CACHES ? ROUGHLY_EVEN : EVEN))
    return false;
  for (uint32_t i = 0; i < finding->points.count; i++) {
    const double mean = finding->points.times[i], least = finding->shortest[i];
    if (mean > NEAR * least || mean - least > OUT_SCALING_CACHES)
      return false;
  }
  return true;
}

/* True when what the shortest calls say may be said instead of a law that the means do not bear. Where waits were taken
 * out a shortest call may be too short, and says it only if the means name the same law. */
static bool stands_in(const struct out_scaling_finding *finding, const struct out_choice *calm,
                      enum out_scaling_waits waits)
{
  const bool is_same = confirms(calm, &finding->verdict);
  if (finding->doubt == OUT_DOUBT_ERROR && is_same)
    return true;
  if (waits == OUT_WAITS_TAKEN_OUT)
    return false;
  if (calm->kind != OUT_CHOICE_LAW)
    return is_even(finding, calm);
  /* Growth that caches make is in the shortest calls as well, where these are out of them. */
  if (!is_same && out_scaling_rise(&finding->points, &calm->fit) < OUT_SCALING_CACHES)
    return false;
  return finding->doubt == OUT_DOUBT_DISTURBED || explains_means(calm, &finding->verdict);
}

int out_scaling_ask_shortest(const struct out_scaling_samples *samples, enum out_scaling_waits waits,
                             struct out_scaling_finding *finding)
{
  const bool is_law = finding->kind == OUT_SCALING_LAW;
  if (!(is_law || finding->kind == OUT_SCALING_NONE) || finding->doubt == OUT_DOUBT_FEW_CALLS || !has_shortest(finding))
    return 0;
  struct out_points points = finding->points;
  struct out_choice calm;
  points.times = finding->shortest;
  int result = out_choose(&points, &calm);
  if (result < 0)
    return result;
  const double allowed = out_scaling_allowed_error(samples, finding, &calm.fit.law);
  if (allowed < 0) {
    out_choice_free(&calm);
    return -ENOMEM;
  }
  if (is_law && is_of_caches(finding, &calm, allowed)) {
    out_scaling_give_up(finding, OUT_DOUBT_CACHES);
  } else if (is_law && waits != OUT_WAITS_TAKEN_OUT && contradicts(&calm, &finding->verdict)) {
    out_scaling_give_up(finding, OUT_DOUBT_DISTURBED);
    finding->calm = calm.fit.law;
  } else if (is_law && waits != OUT_WAITS_TAKEN_OUT && !is_borne(&calm, allowed)) {
    bool grow;
    result = out_scaling_grow_apart(finding, &grow);
    if (result == 0 && grow)
      out_scaling_give_up(finding, OUT_DOUBT_APART);
  }
  if (result == 0 && finding->kind == OUT_SCALING_NONE && stands_in(finding, &calm, waits))
    result = take_shortest(samples, finding, &points, &calm);
  out_choice_free(&calm);
  return result;
}
