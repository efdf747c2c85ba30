/* Looks for laws whose steps take longer once data leave a cache. */
#include "output/scaling/steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "output/scaling/doubt.h"
#include "output/scaling/shortest.h"

/* Sizes at which a step may begin that are tried, evenly among all. */
#define BEGINS 12u
/* A step ends one to three sizes behind where it begins. */
#define WIDEST 3u
/* Sizes before a step at which the term is at least half of the time, and sizes behind it. */
#define BEFORE 3u
#define BEHIND 2u
#define HALF   0.5
/* What a cache makes of one step: a factor of less is no step, and one of more is of something else. */
#define LEAST_FACTOR 1.15
#define MOST_FACTOR  4.0
/* A law with a step is borne by its points if it is off by no more, as it has more to adapt. */
#define BORNE     0.10
#define EXPLAINED 0.95
/* A law that is off by more than BORNE is not told from one with a power less of its argument whose steps take up to so
 * many times as long at the last size as where they take least: rows that are gone through by columns leave one cache
 * after the other, and miss the page tables' as well. */
#define MOST_SLOWER 8.0

struct search {
  const struct out_points *points;
  double scale;
  struct out_fit_room room;
  double *sizes; /* different ones of the law at hand, ascending */
  uint32_t size_count;
  bool are_open; /* steps that go on to the last size are looked for instead */
  double most;   /* a score above which a law with a step is none of those that are asked for */
  const struct out_law
      *known; /* NULL, or a law that is named anyway: with a step it is asked for up to another score */
  double most_known;
  bool is_for_best;        /* those are the best, and what is not told from it */
  struct base_vector fits; /* struct out_fit: borne ones */
};

double out_scaling_step_factor(const struct out_fit *fit)
{
  const double before = fit->coefficients[fit->law.term_count > 0 ? 1 : 0];
  return 1 + fit->coefficients[1 + fit->law.term_count] / before;
}

static const double *values_of(const struct out_points *points, uint32_t point)
{
  return points->values + (size_t)point * points->candidates;
}

static int compare_numbers(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void find_sizes(struct search *search, const struct out_law *law)
{
  const uint32_t count = search->points->count;
  for (uint32_t i = 0; i < count; i++)
    search->sizes[i] = out_law_size(law, values_of(search->points, i));
  qsort(search->sizes, count, sizeof *search->sizes, compare_numbers);
  search->size_count = 0;
  for (uint32_t i = 0; i < count; i++)
    if (search->size_count == 0 || search->sizes[i] > search->sizes[search->size_count - 1])
      search->sizes[search->size_count++] = search->sizes[i];
}

/* Is the law's term at least half of the time at sizes enough up to where the step begins? There it shows itself. */
static bool shows_before(const struct search *search, const struct out_fit *fit)
{
  double found[BEFORE];
  uint32_t count = 0;
  for (uint32_t i = 0; i < search->points->count && count < BEFORE; i++) {
    const double *values = values_of(search->points, i);
    const double size = out_law_size(&fit->law, values);
    bool is_new = size <= fit->law.from;
    for (uint32_t j = 0; j < count; j++)
      is_new = is_new && found[j] != size;
    if (is_new && fit->coefficients[1] * out_law_term(&fit->law, 0, values) >= HALF * out_fit_at(fit, values))
      found[count++] = size;
  }
  return count == BEFORE;
}

static bool is_borne(const struct search *search, const struct out_fit *fit)
{
  const double factor = out_scaling_step_factor(fit);
  if (factor < LEAST_FACTOR || factor > MOST_FACTOR || fit->coefficients[0] < 0)
    return false;
  if (fit->law.leading == 0)
    return fit->left_out <= OUT_CHOOSE_STEP && fit->explained >= OUT_CHOOSE_EXPLAINED;
  return fit->left_out <= BORNE && fit->explained >= EXPLAINED && shows_before(search, fit);
}

/* The loss above which the law is not asked for: steps that go on are, whatever their score. */
static double most_loss(const struct search *search, const struct out_law *law)
{
  const double near = out_fit_loss_of_deviation(search->points, law->leading > 0 ? BORNE : OUT_CHOOSE_STEP);
  const bool is_known = search->known && out_law_same_name(law, search->known);
  const double score = is_known ? search->most_known : search->most;
  return search->are_open ? near : fmin(near, out_fit_loss_of_score(search->points, law, score));
}

static int try_step(struct search *search, struct out_law law, uint32_t begin, uint32_t end)
{
  struct out_fit fit;
  law.is_stepped = true;
  law.from = search->sizes[begin];
  law.to = search->sizes[end];
  const double most = most_loss(search, &law);
  if (!(law.from > 0) || out_fit(search->points, &law, search->scale, OUT_FIT_ROUGH, most, &search->room, &fit) < 0 ||
      !is_borne(search, &fit))
    return 0;
  if (search->is_for_best && fit.law.leading > 0)
    search->most = fmin(search->most, fit.score + OUT_CHOOSE_APART);
  struct out_fit *added = base_vector_add(&search->fits, 1);
  if (!added)
    return -ENOMEM;
  *added = fit;
  return 0;
}

/* Only laws of one term without lone logarithms have steps, and the constant. */
static bool may_step(const struct out_law *law)
{
  if (law->term_count > 1 || law->leading != law->term_count || law->argument_count > 2 || out_law_is_steeper(law))
    return false;
  for (uint32_t i = 0; i < law->argument_count; i++)
    if (law->growth[0][i] == OUT_GROWTH_LOG || (law->argument_count > 1 && law->growth[0][i] != OUT_GROWTH_N))
      return false;
  return true;
}

/* All steps that begin there: those that go on to the last size, or those that end up to `last`. */
static int try_steps_from(struct search *search, const struct out_law *law, uint32_t begin, uint32_t stride,
                          uint32_t last)
{
  int result = 0;
  if (search->are_open)
    return try_step(search, *law, begin, search->size_count - 1);
  for (uint32_t width = 1; width <= WIDEST && begin + width * stride <= last && result == 0; width++)
    result = try_step(search, *law, begin, begin + width * stride);
  return result;
}

static int try_steps(struct search *search, const struct out_law *law)
{
  int result = 0;
  find_sizes(search, law);
  if (search->size_count < OUT_SCALING_STEP_SIZES)
    return 0;
  const uint32_t last = search->size_count - BEHIND, first = BEFORE - 1;
  const uint32_t stride = (last - first + BEGINS - 1) / BEGINS;
  for (uint32_t begin = first; begin < last && result == 0; begin += stride)
    result = try_steps_from(search, law, begin, stride, last);
  return result;
}

static int take_law(const struct out_law *law, void *data)
{
  struct search *search = data;
  struct out_law of_one = *law;
  const bool is_named = search->known && isinf(search->most_known) && out_law_same_name(law, search->known);
  if (!may_step(law) || is_named)
    return 0;
  if (law->leading > 0)
    return try_steps(search, law);
  /* A constant steps by any of the arguments. */
  of_one.argument_count = 1;
  int result = 0;
  for (uint32_t a = 0; a < search->points->candidates && result == 0; a++) {
    of_one.arguments[0] = (uint8_t)a;
    result = try_steps(search, &of_one);
  }
  return result;
}

static void end(struct search *search)
{
  free(search->sizes);
  base_vector_free(&search->fits);
  out_fit_room_free(&search->room);
}

/* End with end() in any case. */
static int begin(struct search *search, const struct out_points *points)
{
  *search = (struct search){.points = points, .scale = OUT_CHOOSE_SCALE, .fits = BASE_VECTOR_OF(struct out_fit)};
  search->sizes = calloc(points->count + 1u, sizeof *search->sizes);
  return search->sizes ? out_fit_room_make(&search->room, points) : -ENOMEM;
}

/* Looks for laws that are not told from this one. With a step it is asked for itself where it may take the place of
 * what it is without, or not at all. */
static int find_beside(struct search *search, const struct out_fit *fit, bool may_replace)
{
  search->most = fit->score + OUT_CHOOSE_APART;
  search->known = &fit->law;
  search->most_known = may_replace ? fit->score : -INFINITY;
  return out_laws_each(search->points->candidates, take_law, search);
}

/* Looks for the best law, and those that are not told from it. */
static int find_best(struct search *search)
{
  search->most = INFINITY;
  search->is_for_best = true;
  return out_laws_each(search->points->candidates, take_law, search);
}

static const struct out_fit *fit_at(const struct search *search, uint32_t number)
{
  return base_vector_at(&search->fits, number);
}

/* The best law with a step that is not a constant's; NULL: there is none. */
static const struct out_fit *best_of(const struct search *search)
{
  const struct out_fit *best = NULL;
  for (uint32_t i = 0; i < search->fits.count; i++) {
    const struct out_fit *fit = fit_at(search, i);
    if (fit->law.leading > 0 && (!best || fit->score < best->score))
      best = fit;
  }
  return best;
}

/* Names those laws with a step that the points do not tell from the verdict's. A constant has one of caches alone. */
static int add_rivals(const struct search *search, struct out_choice *verdict)
{
  const bool is_of_caches = out_scaling_rise(search->points, &verdict->fit) < OUT_SCALING_CACHES;
  int result = 0;
  for (uint32_t i = 0; i < search->fits.count && result == 0; i++) {
    const struct out_fit *fit = fit_at(search, i);
    if (fit->score <= verdict->fit.score + OUT_CHOOSE_APART && (fit->law.leading > 0 || is_of_caches))
      result = out_choice_add_rival(verdict, &fit->law);
  }
  return result;
}

/* What is asked of laws without a step beside one with a step. */
struct beside {
  struct search *search;
  struct out_choice *verdict;
};

static int add_plain(const struct out_law *law, void *data)
{
  const struct beside *beside = data;
  const struct out_points *points = beside->search->points;
  /* A step looks like a logarithm, and a logarithm like a step. */
  const double near = out_law_is_plain_form(&beside->verdict->fit.law, law) ? OUT_CHOOSE_LOG_STEP : OUT_CHOOSE_STEP;
  const double most = out_fit_loss_of_deviation(points, near);
  struct out_fit fit;
  if (law->leading == 0 || !may_step(law) || out_law_same_name(law, &beside->verdict->fit.law) ||
      out_fit(points, law, beside->search->scale, OUT_FIT_ROUGH, most, &beside->search->room, &fit) < 0)
    return 0;
  return fit.left_out <= near && fit.coefficients[1] > 0 ? out_choice_add_rival(beside->verdict, law) : 0;
}

/* Puts the law with the step in the place of the verdict's, which stays a rival while it is not far off. */
static int replace(struct search *search, const struct out_fit *stepped, struct out_choice *verdict)
{
  const struct out_fit plain = verdict->kind == OUT_CHOICE_LAW ? verdict->fit : verdict->best;
  const bool was_law = plain.law.leading > 0 && !out_law_is_steeper(&plain.law);
  verdict->kind = OUT_CHOICE_LAW;
  verdict->fit = *stepped;
  verdict->is_steeper = false;
  out_choice_drop_rival(verdict, &stepped->law);
  int result = 0;
  if (was_law && plain.left_out <= OUT_CHOOSE_STEP)
    result = out_choice_add_rival(verdict, &plain.law);
  if (result == 0)
    result = out_laws_each(search->points->candidates, add_plain, &(struct beside){search, verdict});
  return result < 0 ? result : add_rivals(search, verdict);
}

/* The law n, n log n, n^2 or n^3 of the argument. */
static struct out_law law_of_growth(uint8_t argument, uint8_t growth)
{
  return (struct out_law){
      .argument_count = 1, .term_count = 1, .leading = 1, .arguments = {argument}, .growth = {{growth}}};
}

/* Is this growth of the argument alone the verdict's, or a rival's? */
static bool has_growth(const struct out_choice *verdict, uint8_t argument, uint8_t growth)
{
  const struct out_law law = law_of_growth(argument, growth);
  return out_choice_names(verdict, &law);
}

/* Points that tell a law neither from n, or n log n, nor from n^3 do not tell it from what lies in between. */
static int ask_between(struct out_choice *verdict)
{
  const uint8_t argument = verdict->fit.law.arguments[0];
  const struct out_law between = law_of_growth(argument, OUT_GROWTH_N2);
  const bool may_be_less =
      has_growth(verdict, argument, OUT_GROWTH_N) || has_growth(verdict, argument, OUT_GROWTH_N_LOG);
  return may_be_less && has_growth(verdict, argument, OUT_GROWTH_N3) ? out_choice_add_rival(verdict, &between) : 0;
}

/* Makes a law with a step that these points bear that of the finding. Sets *is_taken. */
static int stand_in(struct out_scaling_finding *finding, const struct out_points *points, bool are_means,
                    bool *is_taken)
{
  struct search search;
  int result = begin(&search, points);
  if (result == 0)
    result = find_best(&search);
  const struct out_fit *best = result == 0 ? best_of(&search) : NULL;
  *is_taken = best && out_scaling_count_clear(points, finding->near) >= OUT_SCALING_STEP_SIZES &&
              (!are_means || out_scaling_rise(points, best) >= OUT_SCALING_CACHES);
  if (*is_taken) {
    finding->verdict.rivals.count = 0;
    if (!are_means)
      finding->means_off = finding->verdict.best.left_out;
    finding->is_shortest = !are_means;
    finding->points = *points;
    finding->kind = OUT_SCALING_LAW;
    finding->doubt = OUT_DOUBT_NONE;
    result = replace(&search, best, &finding->verdict);
  }
  end(&search);
  return result;
}

/* The same points with the shortest calls for times; without points where these are not known or not to be asked. */
static struct out_points shortest_of(enum out_scaling_waits waits, const struct out_scaling_finding *finding)
{
  struct out_points shortest = finding->points;
  shortest.times = finding->shortest;
  if (waits == OUT_WAITS_TAKEN_OUT || finding->is_shortest || !finding->shortest)
    return (struct out_points){0};
  for (uint32_t i = 0; i < shortest.count; i++)
    if (!isnormal(shortest.times[i]) || shortest.times[i] < 0)
      return (struct out_points){0};
  return shortest;
}

/* Of a finding without a law. */
static int find_law(enum out_scaling_waits waits, struct out_scaling_finding *finding)
{
  const struct out_points shortest = shortest_of(waits, finding);
  bool is_taken = false, are_disturbed = false;
  /* Means that others made longer bear no law with a step either. */
  int result = shortest.count > 0 ? out_scaling_grow_apart(finding, &are_disturbed) : 0;
  if (result == 0 && !are_disturbed)
    result = stand_in(finding, &finding->points, true, &is_taken);
  if (result == 0 && !is_taken && shortest.count > 0)
    result = stand_in(finding, &shortest, false, &is_taken);
  return result == 0 && is_taken ? ask_between(&finding->verdict) : result;
}

/* Names the laws with a step that the shortest calls, which noise reaches less, do not tell from that of the means. */
static int ask_shortest(const struct out_points *shortest, struct out_choice *verdict)
{
  struct search search;
  int result = begin(&search, shortest);
  struct out_choice calm = *verdict;
  if (result == 0 &&
      out_fit(shortest, &verdict->fit.law, search.scale, OUT_FIT_FULL, INFINITY, &search.room, &calm.fit) == 0) {
    result = find_beside(&search, &calm.fit, false);
    if (result == 0)
      result = add_rivals(&search, &calm);
  }
  verdict->rivals = calm.rivals;
  end(&search);
  return result;
}

/* Names the laws of one term whose steps become longer from some size to the last one, where the verdict has a slower
 * term beside its own: what grows faster shows at the largest sizes alone then, and sizes behind the step, which would
 * tell a cache from it, were not called. A law of fewer terms that is near is a rival, whatever its score. */
static int ask_open_steps(const struct out_points *points, struct out_choice *verdict)
{
  struct search search;
  if (verdict->fit.law.term_count <= verdict->fit.law.leading)
    return 0;
  int result = begin(&search, points);
  search.are_open = true;
  if (result == 0)
    result = out_laws_each(points->candidates, take_law, &search);
  for (uint32_t i = 0; i < search.fits.count && result == 0; i++)
    if (fit_at(&search, i)->law.leading > 0)
      result = out_choice_add_rival(verdict, &fit_at(&search, i)->law);
  end(&search);
  return result;
}

/* By how much what a step of the law takes becomes longer, from the size where it is least to the last. */
static double rise_of_steps(const struct out_points *points, const struct out_law *law)
{
  double least = INFINITY, last = 0, size = 0;
  for (uint32_t i = 0; i < points->count; i++) {
    const double *values = values_of(points, i), steps = out_law_term(law, 0, values);
    const double each = steps > 0 ? points->times[i] / steps : INFINITY;
    least = fmin(least, each);
    last = steps > size ? each : last;
    size = fmax(size, steps);
  }
  return last / least;
}

/* The growth with a power, or the logarithm, less; OUT_GROWTH_NONE: none is asked for. */
static enum out_growth slower_than(enum out_growth growth)
{
  return growth == OUT_GROWTH_N3                                 ? OUT_GROWTH_N2
         : growth == OUT_GROWTH_N2 || growth == OUT_GROWTH_N_LOG ? OUT_GROWTH_N
                                                                 : OUT_GROWTH_NONE;
}

/* Names the law with a power or the logarithm less where caches alone may make the difference. A logarithm with a term
 * of n beside it is bent to what the points want, and is as little told. */
static int ask_slower(const struct out_points *points, struct out_choice *verdict)
{
  const struct out_law *law = &verdict->fit.law;
  const enum out_growth growth = law->growth[0][0], slower_growth = slower_than(growth);
  const bool is_bent = growth == OUT_GROWTH_N_LOG && law->term_count > 1;
  if (law->is_stepped || law->leading != 1 || law->argument_count != 1 || slower_growth == OUT_GROWTH_NONE ||
      (verdict->fit.left_out <= BORNE && !is_bent))
    return 0;
  const struct out_law slower = law_of_growth(law->arguments[0], (uint8_t)slower_growth);
  return rise_of_steps(points, &slower) <= MOST_SLOWER ? out_choice_add_rival(verdict, &slower) : 0;
}

/* Of a finding with one. */
static int weigh_law(enum out_scaling_waits waits, struct out_scaling_finding *finding)
{
  const struct out_points shortest = shortest_of(waits, finding);
  struct search search;
  int result = begin(&search, &finding->points);
  if (result == 0)
    result = find_beside(&search, &finding->verdict.fit, true);
  const struct out_fit *best = result == 0 ? best_of(&search) : NULL;
  /* Where times near the clock's least stand before the others, what they bend looks like a step. */
  const bool are_clear = out_scaling_count_clear(&finding->points, finding->near) == finding->points.count;
  if (best && are_clear && best->score + OUT_CHOOSE_APART < finding->verdict.fit.score)
    result = replace(&search, best, &finding->verdict);
  else if (result == 0)
    result = add_rivals(&search, &finding->verdict);
  end(&search);
  if (result == 0)
    result = ask_open_steps(&finding->points, &finding->verdict);
  if (result == 0)
    result = ask_slower(&finding->points, &finding->verdict);
  if (result == 0 && shortest.count > 0)
    result = ask_shortest(&shortest, &finding->verdict);
  return result == 0 ? ask_between(&finding->verdict) : result;
}

int out_scaling_ask_steps(enum out_scaling_waits waits, struct out_scaling_finding *finding)
{
  if (finding->points.count < OUT_SCALING_STEP_SIZES)
    return 0;
  if (finding->kind == OUT_SCALING_LAW)
    return weigh_law(waits, finding);
  return finding->kind == OUT_SCALING_NONE && finding->doubt != OUT_DOUBT_FEW_CALLS && finding->doubt != OUT_DOUBT_CLOCK
             ? find_law(waits, finding)
             : 0;
}
