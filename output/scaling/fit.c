/* Fits one law to points, robustly, and measures how far it is off. */
#include "output/scaling/fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/scaling/least_squares.h"

#define HUBER     1.345
#define HALVINGS  30
#define CONVERGED 1e-8
#define SUPPORT   3 /* points that a term has to matter at */
/* Normal equations find a step when each column has this part left when the others are taken off it; the coefficients
 * are then right to ten digits. */
#define WELL_APART 1e-6
/* What all further steps gain is taken to be at most so many times what the linear problem promises of the next one. */
#define GAIN 4

/* A law on its way. */
struct attempt {
  const struct out_points *points;
  const struct out_law *law;
  struct out_fit_room *room;
  uint32_t columns;
  uint32_t steps; /* at most */
  double scale, most;
  double largest[1 + OUT_LAW_TERMS];      /* by column: what it was divided by */
  double coefficients[1 + OUT_LAW_TERMS]; /* of the divided columns */
  double loss;
};

int out_fit_room_make(struct out_fit_room *room, const struct out_points *points)
{
  const size_t size = (size_t)points->count + 1;
  *room = (struct out_fit_room){
      .columns = calloc(size, (1 + OUT_LAW_TERMS) * sizeof(double)),
      .matrix = calloc(size, (1 + OUT_LAW_TERMS) * sizeof(double)),
      .right = calloc(size, sizeof(double)),
      .fitted = calloc(size, sizeof(double)),
      .deviations = calloc(size, sizeof(double)),
      .sorted = calloc(size, sizeof(double)),
      .times = calloc(size, sizeof(double)),
      .ones = calloc(size, sizeof(double)),
      .logarithms = calloc(size, (points->candidates + 1) * sizeof(double)),
  };
  if (!room->columns || !room->matrix || !room->right || !room->fitted || !room->deviations || !room->sorted ||
      !room->times || !room->ones || !room->logarithms) {
    out_fit_room_free(room);
    return -ENOMEM;
  }
  for (uint32_t i = 0; i < points->count; i++) {
    room->times[i] = log(points->times[i]);
    room->ones[i] = 1;
    for (uint32_t c = 0; c < points->candidates; c++)
      room->logarithms[(size_t)c * points->count + i] =
          out_law_logarithm(points->values[(size_t)i * points->candidates + c]);
  }
  return 0;
}

void out_fit_room_free(struct out_fit_room *room)
{
  free(room->columns);
  free(room->matrix);
  free(room->right);
  free(room->fitted);
  free(room->deviations);
  free(room->sorted);
  free(room->times);
  free(room->ones);
  free(room->logarithms);
  *room = (struct out_fit_room){0};
}

/* What the step adds, by its coefficient: a part of the first term, or of the constant where there is none. */
static double stepped_term(const struct out_law *law, const double *values)
{
  return (law->term_count > 0 ? out_law_term(law, 0, values) : 1) * out_law_step(law, values);
}

double out_fit_at(const struct out_fit *fit, const double *values)
{
  double time = fit->coefficients[0];
  for (uint32_t i = 0; i < fit->law.term_count; i++)
    time += fit->coefficients[1 + i] * out_law_term(&fit->law, i, values);
  if (fit->law.is_stepped)
    time += fit->coefficients[1 + fit->law.term_count] * stepped_term(&fit->law, values);
  return time;
}

static double *column_of(const struct attempt *attempt, double *matrix, uint32_t column)
{
  return matrix + (uint64_t)column * attempt->points->count;
}

/* Multiplies a column by what the law's term makes of one argument. */
static void multiply(const struct attempt *attempt, uint32_t term, uint32_t argument, double *column)
{
  const struct out_points *points = attempt->points;
  const enum out_growth growth = attempt->law->growth[term][argument];
  const uint32_t candidate = attempt->law->arguments[argument];
  const double *logarithms = attempt->room->logarithms + (size_t)candidate * points->count;
  for (uint32_t i = 0; growth != OUT_GROWTH_NONE && i < points->count; i++)
    column[i] *= out_law_growth(growth, points->values[(size_t)i * points->candidates + candidate], logarithms[i]);
}

/* Column `number` of the law: the constant, its terms, and its step, a part of the first of them. */
static void make_column(const struct attempt *attempt, uint32_t number, double *column)
{
  const struct out_points *points = attempt->points;
  const struct out_law *law = attempt->law;
  const bool is_step = number > law->term_count;
  const uint32_t term = is_step ? 0 : number - 1;
  for (uint32_t i = 0; i < points->count; i++)
    column[i] = is_step ? out_law_step(law, points->values + (size_t)i * points->candidates) : 1;
  for (uint32_t a = 0; number > 0 && term < law->term_count && a < law->argument_count; a++)
    multiply(attempt, term, a, column);
}

/* The terms at every point, each column divided by its largest. */
static int make_columns(struct attempt *attempt)
{
  const struct out_points *points = attempt->points;
  for (uint32_t c = 0; c < attempt->columns; c++) {
    double *column = column_of(attempt, attempt->room->columns, c), largest = 0;
    make_column(attempt, c, column);
    for (uint32_t i = 0; i < points->count; i++)
      if (!(column[i] <= largest))
        largest = column[i];
    if (!(largest > 0) || !isfinite(largest))
      return -EDOM;
    for (uint32_t i = 0; i < points->count; i++)
      column[i] /= largest;
    attempt->largest[c] = largest;
  }
  return 0;
}

static double loss_of(double deviation, double scale)
{
  double limit = HUBER * scale, size = fabs(deviation);
  return size <= limit ? size * size : 2 * limit * size - limit * limit;
}

/* Fitted times and deviations for `coefficients`, and their loss; INFINITY when a time is not positive. */
static double judge(struct attempt *attempt, const double *coefficients)
{
  const struct out_points *points = attempt->points;
  double loss = 0;
  for (uint32_t i = 0; i < points->count; i++) {
    double fitted = 0;
    for (uint32_t c = 0; c < attempt->columns; c++)
      fitted += coefficients[c] * column_of(attempt, attempt->room->columns, c)[i];
    if (!(fitted > 0) || !isfinite(fitted))
      return INFINITY;
    attempt->room->fitted[i] = fitted;
    attempt->room->deviations[i] = attempt->room->times[i] - log(fitted);
    loss += points->weights[i] * loss_of(attempt->room->deviations[i], attempt->scale);
  }
  return loss;
}

/* The weight of a point in the fit: its own, less when it is far off. */
static double weight_of(const struct attempt *attempt, uint32_t point)
{
  double size = fabs(attempt->room->deviations[point]), limit = HUBER * attempt->scale;
  return attempt->points->weights[point] * (size <= limit ? 1 : limit / size);
}

/* A linear problem: of the deviations from `times`, as parts of those. */
struct linear {
  const double *times, *deviations;
  bool is_robust; /* deviations that are far off count less */
};

/* The problem around the fitted times: its solution is the step to take. */
static struct linear around_fit(const struct attempt *attempt)
{
  return (struct linear){.times = attempt->room->fitted, .deviations = attempt->room->deviations, .is_robust = true};
}

static double weight_in(const struct attempt *attempt, const struct linear *linear, uint32_t point)
{
  return linear->is_robust ? weight_of(attempt, point) : attempt->points->weights[point];
}

/* Solves the problem by reflections. Leaves the matrix with the leverages. */
static int reflect(struct attempt *attempt, const struct linear *linear, double *step)
{
  struct out_fit_room *room = attempt->room;
  const uint32_t count = attempt->points->count;
  for (uint32_t i = 0; i < count; i++) {
    const double root = sqrt(weight_in(attempt, linear, i)), part = root / linear->times[i];
    for (uint32_t c = 0; c < attempt->columns; c++)
      column_of(attempt, room->matrix, c)[i] = part * column_of(attempt, room->columns, c)[i];
    room->right[i] = root * linear->deviations[i];
  }
  return out_least_squares(room->matrix, room->right, count, attempt->columns, step);
}

/* The same problem as normal equations: a square, and a right side. */
struct normal {
  double square[1 + OUT_LAW_TERMS][1 + OUT_LAW_TERMS], right[1 + OUT_LAW_TERMS];
};

static inline void sum_normal(const struct attempt *attempt, const struct linear *linear, const uint32_t columns,
                              struct normal *normal)
{
  const uint32_t count = attempt->points->count;
  for (uint32_t i = 0; i < count; i++) {
    const double weight = weight_in(attempt, linear, i), part = 1 / linear->times[i];
    double row[1 + OUT_LAW_TERMS];
#pragma GCC unroll 4
    for (uint32_t c = 0; c < columns; c++) {
      row[c] = attempt->room->columns[(size_t)c * count + i] * part;
      const double weighted = weight * row[c];
      normal->right[c] += weighted * linear->deviations[i];
#pragma GCC unroll 4
      for (uint32_t d = 0; d <= c; d++)
        normal->square[c][d] += weighted * row[d];
    }
  }
}

/* This is where laws take most of their time: loops of a known number of columns are unrolled. */
static void make_normal(const struct attempt *attempt, const struct linear *linear, struct normal *normal)
{
  struct normal sums = {0};
  if (attempt->columns == 1)
    sum_normal(attempt, linear, 1, &sums);
  else if (attempt->columns == 2)
    sum_normal(attempt, linear, 2, &sums);
  else if (attempt->columns == 3)
    sum_normal(attempt, linear, 3, &sums);
  else
    sum_normal(attempt, linear, 4, &sums);
  *normal = sums;
}

/* Solves normal equations by A. Cholesky's factors. False when a column is hardly told from the others. */
static bool solve_normal(struct normal *normal, uint32_t columns, double *step)
{
  double found[1 + OUT_LAW_TERMS] = {0};
  for (uint32_t c = 0; c < columns; c++) {
    const double whole = normal->square[c][c];
    for (uint32_t d = 0; d <= c; d++) {
      double left = normal->square[c][d];
      for (uint32_t e = 0; e < d; e++)
        left -= normal->square[c][e] * normal->square[d][e];
      if (d == c && !(left > WELL_APART * whole))
        return false;
      normal->square[c][d] = d == c ? sqrt(left) : left / normal->square[d][d];
    }
    found[c] = normal->right[c];
    for (uint32_t d = 0; d < c; d++)
      found[c] -= normal->square[c][d] * found[d];
    found[c] /= normal->square[c][c];
  }
  for (uint32_t c = columns; c-- > 0;) {
    step[c] = found[c];
    for (uint32_t d = c + 1; d < columns; d++)
      step[c] -= normal->square[d][c] * step[d];
    step[c] /= normal->square[c][c];
    if (!isfinite(step[c]))
      return false;
  }
  return true;
}

/* The problem's solution, and how much it takes off the sum of its squares. */
static int solve(struct attempt *attempt, const struct linear *linear, double *step, double *gain)
{
  struct normal normal;
  make_normal(attempt, linear, &normal);
  int result = 0;
  double right[1 + OUT_LAW_TERMS];
  memcpy(right, normal.right, sizeof right);
  if (!solve_normal(&normal, attempt->columns, step))
    result = reflect(attempt, linear, step);
  *gain = 0;
  for (uint32_t c = 0; result == 0 && c < attempt->columns; c++)
    *gain += step[c] * right[c];
  return result;
}

/* First coefficients: those of least squares of relative deviations; where they make a time negative, equal parts. */
static void begin(struct attempt *attempt)
{
  const struct out_points *points = attempt->points;
  const struct linear from_nothing = {.times = points->times, .deviations = attempt->room->ones};
  double gain, sum = 0;
  int result = solve(attempt, &from_nothing, attempt->coefficients, &gain);
  attempt->loss = result == 0 ? judge(attempt, attempt->coefficients) : INFINITY;
  if (isfinite(attempt->loss))
    return;
  for (uint32_t i = 0; i < points->count; i++)
    sum += points->times[i];
  for (uint32_t c = 0; c < attempt->columns; c++)
    attempt->coefficients[c] = sum / points->count / attempt->columns;
  attempt->loss = judge(attempt, attempt->coefficients);
}

/* Takes as much of the step as lowers the loss. False when none does. */
static bool advance(struct attempt *attempt, const double *step)
{
  double part = 1;
  for (int i = 0; i < HALVINGS; i++, part /= 2) {
    double tried[1 + OUT_LAW_TERMS];
    for (uint32_t c = 0; c < attempt->columns; c++)
      tried[c] = attempt->coefficients[c] + part * step[c];
    double loss = judge(attempt, tried);
    if (loss < attempt->loss) {
      memcpy(attempt->coefficients, tried, sizeof tried);
      attempt->loss = loss;
      return true;
    }
  }
  judge(attempt, attempt->coefficients);
  return false;
}

/* Gauss and Newton's steps until the loss falls no more. Leaves the matrix with the leverages of the last one. */
static int descend(struct attempt *attempt)
{
  const struct linear linear = around_fit(attempt);
  double step[1 + OUT_LAW_TERMS] = {0};
  begin(attempt);
  if (!isfinite(attempt->loss))
    return -EDOM;
  for (uint32_t i = 0; i < attempt->steps; i++) {
    const double before = attempt->loss;
    double gain;
    int result = solve(attempt, &linear, step, &gain);
    if (result < 0)
      return result;
    if (before - GAIN * gain > attempt->most)
      return -ERANGE;
    if (gain <= CONVERGED * before || !advance(attempt, step) || before - attempt->loss <= CONVERGED * before)
      break;
  }
  return attempt->loss > attempt->most ? -ERANGE : reflect(attempt, &linear, step);
}

static int compare_numbers(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median_size(const struct attempt *attempt)
{
  uint32_t count = attempt->points->count;
  double *sorted = attempt->room->sorted;
  for (uint32_t i = 0; i < count; i++)
    sorted[i] = fabs(attempt->room->deviations[i]);
  qsort(sorted, count, sizeof *sorted, compare_numbers);
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* What a point would deviate by if it had not been fitted to: its deviation by 1 - leverage. */
static double left_out(const struct attempt *attempt)
{
  uint32_t count = attempt->points->count;
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    double leverage = 0;
    for (uint32_t c = 0; c < attempt->columns; c++) {
      double part = column_of(attempt, attempt->room->matrix, c)[i];
      leverage += part * part;
    }
    sum +=
        attempt->points->weights[i] * loss_of(attempt->room->deviations[i] / fmax(1 - leverage, 1e-3), attempt->scale);
  }
  return sqrt(sum / count);
}

/* Keeps the three largest, the largest first. */
static void keep_largest(double largest[SUPPORT], double value)
{
  for (uint32_t i = 0; i < SUPPORT; i++) {
    if (value <= largest[i])
      continue;
    double smaller = largest[i];
    largest[i] = value;
    value = smaller;
  }
}

static void find_shares(const struct attempt *attempt, struct out_fit *fit)
{
  fit->share = 1;
  for (uint32_t c = 0; c < attempt->columns; c++) {
    const double *column = column_of(attempt, attempt->room->columns, c);
    double largest[SUPPORT] = {0};
    for (uint32_t i = 0; i < attempt->points->count; i++)
      keep_largest(largest, fabs(attempt->coefficients[c]) * column[i] / attempt->room->fitted[i]);
    fit->shares[c] = largest[0];
    if (c > 0 && c <= attempt->law->leading)
      fit->share = fmin(fit->share, attempt->coefficients[c] > 0 ? largest[SUPPORT - 1] : 0);
  }
}

static double explained_by(const struct attempt *attempt)
{
  const struct out_points *points = attempt->points;
  double weights = 0, sum = 0, left = 0, all = 0;
  for (uint32_t i = 0; i < points->count; i++) {
    weights += weight_of(attempt, i);
    sum += weight_of(attempt, i) * attempt->room->times[i];
    left += weight_of(attempt, i) * attempt->room->deviations[i] * attempt->room->deviations[i];
  }
  for (uint32_t i = 0; i < points->count; i++) {
    double away = attempt->room->times[i] - sum / weights;
    all += weight_of(attempt, i) * away * away;
  }
  return all > 0 ? 1 - left / (points->count - attempt->columns) / (all / (points->count - 1)) : 0;
}

static double growth_of(const struct attempt *attempt)
{
  double smallest = INFINITY, largest = 0;
  for (uint32_t i = 0; i < attempt->points->count; i++) {
    smallest = fmin(smallest, attempt->room->fitted[i]);
    largest = fmax(largest, attempt->room->fitted[i]);
  }
  return largest / smallest;
}

/* What a score has for the law's unknowns: the deviation is one, and where the step is. */
static double penalty_of(const struct out_points *points, const struct out_law *law)
{
  const double unknowns = 1 + law->term_count + law->is_stepped + 1 + law->is_stepped;
  return 2 * unknowns + 2 * unknowns * (unknowns + 1) / (points->count - unknowns - 1);
}

static double score_of(const struct attempt *attempt)
{
  const double mean = attempt->loss / attempt->points->count + OUT_FIT_RESOLUTION * OUT_FIT_RESOLUTION;
  return attempt->points->count * log(mean) + penalty_of(attempt->points, attempt->law);
}

double out_fit_loss_of_score(const struct out_points *points, const struct out_law *law, double score)
{
  return points->count *
         (exp((score - penalty_of(points, law)) / points->count) - OUT_FIT_RESOLUTION * OUT_FIT_RESOLUTION);
}

double out_fit_loss_of_deviation(const struct out_points *points, double deviation)
{
  return points->count * deviation * deviation;
}

int out_fit(const struct out_points *points, const struct out_law *law, double scale, uint32_t steps, double most,
            struct out_fit_room *room, struct out_fit *fit)
{
  struct attempt attempt = {.points = points,
                            .law = law,
                            .room = room,
                            .columns = 1u + law->term_count + law->is_stepped,
                            .steps = steps,
                            .scale = scale,
                            .most = most};
  if (points->count < attempt.columns + 3 + law->is_stepped)
    return -EDOM;
  int result = make_columns(&attempt);
  if (result == 0)
    result = descend(&attempt);
  if (result < 0)
    return result;
  *fit = (struct out_fit){
      .law = *law,
      .score = score_of(&attempt),
      .deviation = sqrt(attempt.loss / points->count),
      .median = median_size(&attempt),
      .left_out = left_out(&attempt),
      .explained = explained_by(&attempt),
      .growth = growth_of(&attempt),
  };
  find_shares(&attempt, fit);
  for (uint32_t c = 0; c < attempt.columns; c++)
    fit->coefficients[c] = attempt.coefficients[c] / attempt.largest[c];
  return fit->share > 0 ? 0 : -EDOM;
}
