/* Chooses among all laws the one that the points follow, and names its rivals. */
#include "output/scaling/choose.h"

#include <errno.h>
#include <math.h>

/* The median of |x| of normal x by its standard deviation, inverted. */
#define MEDIAN_TO_DEVIATION 1.4826

/* A law that few steps bring no nearer than to so many times the loss of another is not the best one. */
#define ROUGHLY 3

struct choice {
  const struct out_points *points;
  struct out_fit_room room;
  double scale;
  uint32_t steps;
  bool is_rough;
  double most,
      near; /* a law whose score is above the one, and that is off by more than the other, need not be fitted */
  bool rises_with[OUT_LAW_CANDIDATES][OUT_LAW_CANDIDATES]; /* one candidate all but tells the other */
  struct base_vector fits;                                 /* struct out_fit, the constant first */
};

/* Two arguments whose logarithms correlate by more are one, as n and n * (n + 1) / 2: no law of both is told from those
 * of either. */
#define TOGETHER 0.99

static double logarithm_at(const struct out_points *points, uint32_t point, uint32_t candidate)
{
  return log1p(points->values[(size_t)point * points->candidates + candidate]);
}

static bool rise_together(const struct out_points *points, uint32_t a, uint32_t b)
{
  double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  for (uint32_t i = 0; i < points->count; i++) {
    mean_a += logarithm_at(points, i, a) / points->count;
    mean_b += logarithm_at(points, i, b) / points->count;
  }
  for (uint32_t i = 0; i < points->count; i++) {
    const double x = logarithm_at(points, i, a) - mean_a, y = logarithm_at(points, i, b) - mean_b;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  return fabs(ab) > TOGETHER * sqrt(aa * bb);
}

static void find_together(struct choice *choice)
{
  for (uint32_t a = 0; a < choice->points->candidates; a++)
    for (uint32_t b = 0; b < a; b++)
      choice->rises_with[a][b] = choice->rises_with[b][a] = rise_together(choice->points, a, b);
}

/* True when no two arguments of the law rise together. */
static bool is_told(const struct choice *choice, const struct out_law *law)
{
  for (uint32_t i = 0; i < law->argument_count; i++)
    for (uint32_t j = 0; j < i; j++)
      if (choice->rises_with[law->arguments[i]][law->arguments[j]])
        return false;
  return true;
}

/* A slower term that is taken off may not make the time fall as the argument rises. */
static bool is_rising(const struct out_points *points, const struct out_fit *fit)
{
  if (fit->law.argument_count != 1 || fit->law.term_count < 2)
    return true;
  uint32_t lowest = 0, argument = fit->law.arguments[0];
  for (uint32_t i = 1; i < points->count; i++)
    if (points->values[(uint64_t)i * points->candidates + argument] <
        points->values[(uint64_t)lowest * points->candidates + argument])
      lowest = i;
  double least = out_fit_at(fit, points->values + (uint64_t)lowest * points->candidates);
  for (uint32_t i = 0; i < points->count; i++)
    if (out_fit_at(fit, points->values + (uint64_t)i * points->candidates) < least * (1 - 1e-9))
      return false;
  return true;
}

/* False when the law is none of these points, or is not asked for. */
static bool fit_law(struct choice *choice, const struct out_law *law, struct out_fit *fit)
{
  /* What a constant is off by is asked in any case. */
  const double most = law->leading == 0 ? INFINITY
                                        : fmax(out_fit_loss_of_score(choice->points, law, choice->most),
                                               out_fit_loss_of_deviation(choice->points, choice->near));
  if (out_fit(choice->points, law, choice->scale, choice->steps, most, &choice->room, fit) < 0)
    return false;
  return law->leading == 0 || (fit->share >= OUT_CHOOSE_SHARE && is_rising(choice->points, fit));
}

static int take_law(const struct out_law *law, void *data)
{
  struct choice *choice = data;
  struct out_fit fit;
  if (!is_told(choice, law) || !fit_law(choice, law, &fit))
    return 0;
  if (choice->is_rough)
    choice->most = fmin(choice->most, fit.score + choice->points->count * log(ROUGHLY));
  struct out_fit *added = base_vector_add(&choice->fits, 1);
  if (!added)
    return -ENOMEM;
  *added = fit;
  return 0;
}

static struct out_fit *fit_at(const struct choice *choice, uint32_t number)
{
  return base_vector_at(&choice->fits, number);
}

/* Finds the best law alone: those that are worse are given up. */
static int fit_roughly(struct choice *choice)
{
  choice->is_rough = true;
  choice->scale = OUT_FIT_RESOLUTION;
  choice->steps = OUT_FIT_ROUGH;
  choice->most = INFINITY;
  return out_laws_each(choice->points->candidates, take_law, choice);
}

/* Fits what may be the verdict, or named beside it: what is not told from a law that is not told from the best, which
 * has a score as low as that of `good` at least, and what is plainer and near. */
static int fit_fully(struct choice *choice, double scale, const struct out_law *good)
{
  struct out_fit fit;
  choice->fits.count = 0;
  choice->is_rough = false;
  choice->scale = scale;
  choice->steps = OUT_FIT_FULL;
  choice->near = OUT_CHOOSE_LOG_STEP;
  choice->most = INFINITY;
  if (fit_law(choice, good, &fit))
    choice->most = fit.score + 2 * OUT_CHOOSE_APART;
  return out_laws_each(choice->points->candidates, take_law, choice);
}

static const struct out_fit *best_of(const struct choice *choice)
{
  const struct out_fit *best = fit_at(choice, 0);
  for (uint32_t i = 1; i < choice->fits.count; i++)
    if (fit_at(choice, i)->score < best->score)
      best = fit_at(choice, i);
  return best;
}

/* The scale of usual deviations: of the law that has the smallest ones when none counts by its square, as a few that
 * are far off must not choose it. */
static double find_scale(const struct choice *choice)
{
  return fmax(OUT_CHOOSE_SCALE, MEDIAN_TO_DEVIATION * best_of(choice)->median);
}

/* Even a constant is not fitted to times that are no numbers. */
static bool has_constant(const struct choice *choice)
{
  return choice->fits.count > 0 && fit_at(choice, 0)->law.leading == 0;
}

/* True when the law has fewer terms than `other`, or as many and fits better. */
static bool goes_before(const struct out_fit *fit, const struct out_fit *other)
{
  if (fit->law.term_count != other->law.term_count)
    return fit->law.term_count < other->law.term_count;
  return fit->score < other->score;
}

/* True when a slower term takes off a part of what the leading one gives: it bends the law to the points, and tells no
 * order by that. */
static bool is_bent(const struct out_fit *fit)
{
  for (uint32_t i = fit->law.leading; i < fit->law.term_count; i++)
    if (fit->coefficients[1 + i] < 0)
      return true;
  return false;
}

/* The best law that is not bent, where it is as near as a law has to be; else the best one. */
static const struct out_fit *straightest_of(const struct choice *choice)
{
  const struct out_fit *best = best_of(choice), *straight = NULL;
  for (uint32_t i = 1; i < choice->fits.count; i++) {
    const struct out_fit *fit = fit_at(choice, i);
    if (!is_bent(fit) && !out_law_is_steeper(&fit->law) && (!straight || fit->score < straight->score))
      straight = fit;
  }
  return is_bent(best) && straight && straight->left_out <= OUT_CHOOSE_STEP ? straight : best;
}

/* Of the laws that are not told from the best, the one with the fewest terms; of as many terms, the best. Where it is
 * farther off than is printed, one of its name that is near, with a slower term more, stands for it. */
static const struct out_fit *choose(const struct choice *choice)
{
  const struct out_fit *chosen = straightest_of(choice), *near = NULL;
  const bool may_bend = is_bent(chosen);
  const double limit = chosen->score + OUT_CHOOSE_APART;
  for (uint32_t i = 0; i < choice->fits.count; i++) {
    const struct out_fit *fit = fit_at(choice, i);
    if (fit->score <= limit && (may_bend || !is_bent(fit)) && goes_before(fit, chosen))
      chosen = fit;
  }
  for (uint32_t i = 0; chosen->left_out > OUT_CHOOSE_STEP && i < choice->fits.count; i++) {
    const struct out_fit *fit = fit_at(choice, i);
    if (fit->score <= limit && fit->left_out <= OUT_CHOOSE_STEP && out_law_same_name(&fit->law, &chosen->law) &&
        (!near || goes_before(fit, near)))
      near = fit;
  }
  return near ? near : chosen;
}

int out_choice_add_rival(struct out_choice *verdict, const struct out_law *law)
{
  if (out_law_same_name(law, &verdict->fit.law))
    return 0;
  for (uint32_t i = 0; i < verdict->rivals.count; i++)
    if (out_law_same_name(law, base_vector_at(&verdict->rivals, i)))
      return 0;
  struct out_law *added = base_vector_add(&verdict->rivals, 1);
  if (!added)
    return -ENOMEM;
  *added = *law;
  return 0;
}

void out_choice_drop_rival(struct out_choice *verdict, const struct out_law *law)
{
  struct out_law *rivals = verdict->rivals.data;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < verdict->rivals.count; i++)
    if (!out_law_same_name(&rivals[i], law))
      rivals[kept++] = rivals[i];
  verdict->rivals.count = kept;
}

/* True when `plain` says the same with fewer terms, or without the logarithms, and is off by no more than a machine's
 * steps vary. */
static bool is_plainer(const struct out_fit *plain, const struct out_fit *fit)
{
  bool has_fewer = plain->law.term_count < fit->law.term_count;
  bool has_no_more = plain->law.term_count <= fit->law.term_count;
  bool is_plain = out_law_is_plain_form(&plain->law, &fit->law);
  return (plain->left_out <= OUT_CHOOSE_STEP && has_fewer) ||
         (plain->left_out <= OUT_CHOOSE_LOG_STEP && has_no_more && is_plain);
}

/* Laws of no more terms that fit as well, and whatever fits better, but not clearly. A constant has no more than these.
 */
static int find_rivals(const struct choice *choice, struct out_choice *verdict)
{
  bool is_constant = verdict->kind == OUT_CHOICE_CONSTANT;
  uint32_t terms = is_constant ? 1 : verdict->fit.law.term_count;
  double limit = is_constant ? verdict->fit.score : verdict->fit.score + OUT_CHOOSE_APART;
  int result = 0;
  for (uint32_t i = 1; i < choice->fits.count && result == 0; i++) {
    const struct out_fit *fit = fit_at(choice, i);
    bool is_as_good = fit->score < verdict->fit.score || (fit->law.term_count <= terms && fit->score < limit) ||
                      (!is_constant && is_plainer(fit, &verdict->fit));
    if (is_as_good && fit->growth >= OUT_CHOOSE_GROWTH && !out_law_is_steeper(&fit->law))
      result = out_choice_add_rival(verdict, &fit->law);
  }
  return result;
}

/* The median is asked as well: half of the times far off would count little by their size alone. */
static bool is_constant(const struct out_fit *constant)
{
  return fmax(constant->deviation, MEDIAN_TO_DEVIATION * constant->median) <= OUT_CHOOSE_CONSTANT;
}

static int judge(const struct choice *choice, struct out_choice *verdict)
{
  const struct out_fit *constant = fit_at(choice, 0), *chosen = choose(choice);
  bool is_law = chosen->law.leading > 0 && chosen->growth >= OUT_CHOOSE_GROWTH;
  *verdict = (struct out_choice){
      .kind = OUT_CHOICE_NONE, .fit = *constant, .best = *best_of(choice), .rivals = BASE_VECTOR_OF(struct out_law)};
  verdict->is_steeper = is_law && chosen->explained >= OUT_CHOOSE_EXPLAINED && out_law_is_steeper(&chosen->law);
  if (is_law && chosen->explained >= OUT_CHOOSE_EXPLAINED && !verdict->is_steeper) {
    verdict->kind = OUT_CHOICE_LAW;
    verdict->fit = *chosen;
  } else if (!verdict->is_steeper && is_constant(constant)) {
    verdict->kind = OUT_CHOICE_CONSTANT;
  }
  return verdict->kind == OUT_CHOICE_NONE ? 0 : find_rivals(choice, verdict);
}

int out_choose(const struct out_points *points, struct out_choice *verdict)
{
  *verdict = (struct out_choice){.kind = OUT_CHOICE_NONE, .rivals = BASE_VECTOR_OF(struct out_law)};
  struct choice choice = {.points = points, .fits = BASE_VECTOR_OF(struct out_fit)};
  int result = out_fit_room_make(&choice.room, points);
  find_together(&choice);
  if (result == 0)
    result = fit_roughly(&choice);
  if (result == 0 && has_constant(&choice)) {
    const struct out_law good = best_of(&choice)->law;
    result = fit_fully(&choice, find_scale(&choice), &good);
  }
  if (result == 0 && has_constant(&choice))
    result = judge(&choice, verdict);
  if (result < 0)
    out_choice_free(verdict);
  base_vector_free(&choice.fits);
  out_fit_room_free(&choice.room);
  return result;
}

bool out_choice_names(const struct out_choice *verdict, const struct out_law *law)
{
  if (verdict->kind != OUT_CHOICE_LAW)
    return false;
  bool found = out_law_same_name(&verdict->fit.law, law);
  for (uint32_t i = 0; i < verdict->rivals.count && !found; i++)
    found = out_law_same_name(base_vector_at(&verdict->rivals, i), law);
  return found;
}

void out_choice_free(struct out_choice *verdict)
{
  base_vector_free(&verdict->rivals);
}
