/* Fits one law to points, robustly, and measures how far it is off. */
#include "output/scaling/fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/scaling/least_squares.h"

#define HUBER     1.345
#define HALVINGS  30
#define CONVERGED 1e-10
#define SUPPORT   3 /* points that a term has to matter at */

/* A law on its way. */
struct attempt {
  const struct out_points *points;
  const struct out_law *law;
  struct out_fit_room *room;
  uint32_t columns;
  uint32_t steps; /* at most */
  double scale;
  double largest[1 + OUT_LAW_TERMS];      /* by column: what it was divided by */
  double coefficients[1 + OUT_LAW_TERMS]; /* of the divided columns */
  double loss;
};

int out_fit_room_make(struct out_fit_room *room, uint32_t points)
{
  size_t size = (size_t)points + 1;
  *room = (struct out_fit_room){
      .columns = calloc(size, (1 + OUT_LAW_TERMS) * sizeof(double)),
      .matrix = calloc(size, (1 + OUT_LAW_TERMS) * sizeof(double)),
      .right = calloc(size, sizeof(double)),
      .fitted = calloc(size, sizeof(double)),
      .deviations = calloc(size, sizeof(double)),
      .sorted = calloc(size, sizeof(double)),
  };
  if (room->columns && room->matrix && room->right && room->fitted && room->deviations && room->sorted)
    return 0;
  out_fit_room_free(room);
  return -ENOMEM;
}

void out_fit_room_free(struct out_fit_room *room)
{
  free(room->columns);
  free(room->matrix);
  free(room->right);
  free(room->fitted);
  free(room->deviations);
  free(room->sorted);
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

/* Column `column` of the law at one point: the constant, its terms, and its step. */
static double column_at(const struct out_law *law, uint32_t column, const double *values)
{
  if (column == 0)
    return 1;
  return column <= law->term_count ? out_law_term(law, column - 1, values) : stepped_term(law, values);
}

/* The terms at every point, each column divided by its largest. */
static int make_columns(struct attempt *attempt)
{
  const struct out_points *points = attempt->points;
  for (uint32_t c = 0; c < attempt->columns; c++) {
    double *column = column_of(attempt, attempt->room->columns, c), largest = 0;
    for (uint32_t i = 0; i < points->count; i++) {
      column[i] = column_at(attempt->law, c, points->values + (uint64_t)i * points->candidates);
      if (!(column[i] <= largest))
        largest = column[i];
    }
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
    attempt->room->deviations[i] = log(points->times[i] / fitted);
    loss += points->weights[i] * loss_of(attempt->room->deviations[i], attempt->scale);
  }
  return loss;
}

/* First coefficients: those of least squares of relative deviations; where they make a time negative, equal parts. */
static void begin(struct attempt *attempt)
{
  const struct out_points *points = attempt->points;
  struct out_fit_room *room = attempt->room;
  for (uint32_t i = 0; i < points->count; i++) {
    double root = sqrt(points->weights[i]);
    for (uint32_t c = 0; c < attempt->columns; c++)
      column_of(attempt, room->matrix, c)[i] = root * column_of(attempt, room->columns, c)[i] / points->times[i];
    room->right[i] = root;
  }
  int result = out_least_squares(room->matrix, room->right, points->count, attempt->columns, attempt->coefficients);
  attempt->loss = result == 0 ? judge(attempt, attempt->coefficients) : INFINITY;
  if (isfinite(attempt->loss))
    return;
  double sum = 0;
  for (uint32_t i = 0; i < points->count; i++)
    sum += points->times[i];
  for (uint32_t c = 0; c < attempt->columns; c++)
    attempt->coefficients[c] = sum / points->count / attempt->columns;
  attempt->loss = judge(attempt, attempt->coefficients);
}

/* The weight of a point in the fit: its own, less when it is far off. */
static double weight_of(const struct attempt *attempt, uint32_t point)
{
  double size = fabs(attempt->room->deviations[point]), limit = HUBER * attempt->scale;
  return attempt->points->weights[point] * (size <= limit ? 1 : limit / size);
}

/* The linear problem around the fitted times: its solution is the step to take. */
static int linearise(struct attempt *attempt, double *step)
{
  const struct out_points *points = attempt->points;
  struct out_fit_room *room = attempt->room;
  for (uint32_t i = 0; i < points->count; i++) {
    double root = sqrt(weight_of(attempt, i));
    for (uint32_t c = 0; c < attempt->columns; c++)
      column_of(attempt, room->matrix, c)[i] = root * column_of(attempt, room->columns, c)[i] / room->fitted[i];
    room->right[i] = root * room->deviations[i];
  }
  return out_least_squares(room->matrix, room->right, points->count, attempt->columns, step);
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
  double step[1 + OUT_LAW_TERMS];
  begin(attempt);
  if (!isfinite(attempt->loss))
    return -EDOM;
  for (uint32_t i = 0; i < attempt->steps; i++) {
    double before = attempt->loss;
    int result = linearise(attempt, step);
    if (result < 0)
      return result;
    if (!advance(attempt, step) || before - attempt->loss <= CONVERGED * before)
      break;
  }
  return linearise(attempt, step);
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
    sum += weight_of(attempt, i) * log(points->times[i]);
    left += weight_of(attempt, i) * attempt->room->deviations[i] * attempt->room->deviations[i];
  }
  for (uint32_t i = 0; i < points->count; i++) {
    double away = log(points->times[i]) - sum / weights;
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

static double score_of(const struct attempt *attempt)
{
  /* The deviation is one, and where the step is. */
  double count = attempt->points->count, unknowns = attempt->columns + 1 + (attempt->law->is_stepped ? 1 : 0);
  double mean = attempt->loss / count + OUT_FIT_RESOLUTION * OUT_FIT_RESOLUTION;
  return count * log(mean) + 2 * unknowns + 2 * unknowns * (unknowns + 1) / (count - unknowns - 1);
}

int out_fit(const struct out_points *points, const struct out_law *law, double scale, uint32_t steps,
            struct out_fit_room *room, struct out_fit *fit)
{
  struct attempt attempt = {.points = points,
                            .law = law,
                            .room = room,
                            .columns = 1u + law->term_count + law->is_stepped,
                            .steps = steps,
                            .scale = scale};
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
