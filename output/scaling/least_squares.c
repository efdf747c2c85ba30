/* Solves linear least squares by Householder reflections. */
#include "output/scaling/least_squares.h"

#include <errno.h>
#include <math.h>

/* What is left of a column of length 1 when the others are taken off it, at least: less is rounding. */
#define INDEPENDENT 1e-10

struct problem {
  double *matrix, *right;
  uint32_t rows, columns;
  double scale[OUT_LEAST_SQUARES_MAX];                        /* by column: what it was divided by */
  double upper[OUT_LEAST_SQUARES_MAX][OUT_LEAST_SQUARES_MAX]; /* R of the factorisation, by row and column */
  double reflection[OUT_LEAST_SQUARES_MAX];                   /* 2 / |v|^2 of each reflection; v is in the matrix */
};

static double *column_of(const struct problem *problem, uint32_t column)
{
  return problem->matrix + (uint64_t)column * problem->rows;
}

/* The length of `count` numbers, without overflow. */
static double length_of(const double *numbers, uint32_t count)
{
  double largest = 0, sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    double size = fabs(numbers[i]);
    if (!(size <= largest))
      largest = size;
  }
  if (largest == 0 || !isfinite(largest))
    return largest;
  for (uint32_t i = 0; i < count; i++)
    sum += numbers[i] / largest * (numbers[i] / largest);
  return largest * sqrt(sum);
}

/* The same of numbers that are parts of a column of length 1. */
static double length_of_part(const double *numbers, uint32_t count)
{
  double sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += numbers[i] * numbers[i];
  return sqrt(sum);
}

static int scale_columns(struct problem *problem)
{
  for (uint32_t i = 0; i < problem->columns; i++) {
    double *column = column_of(problem, i);
    problem->scale[i] = length_of(column, problem->rows);
    if (!isnormal(problem->scale[i]))
      return -EDOM;
    for (uint32_t row = 0; row < problem->rows; row++)
      column[row] /= problem->scale[i];
  }
  return 0;
}

/* Applies the reflection that column `step` holds to `numbers`. */
static void reflect(const struct problem *problem, uint32_t step, double *numbers)
{
  const double *mirror = column_of(problem, step);
  double product = 0;
  for (uint32_t row = step; row < problem->rows; row++)
    product += mirror[row] * numbers[row];
  product *= problem->reflection[step];
  for (uint32_t row = step; row < problem->rows; row++)
    numbers[row] -= product * mirror[row];
}

/* Turns the columns into R and the reflections that made it, and the right side with them. */
static int factor(struct problem *problem)
{
  for (uint32_t step = 0; step < problem->columns; step++) {
    double *column = column_of(problem, step);
    for (uint32_t row = 0; row < step; row++)
      problem->upper[row][step] = column[row];
    double length = length_of_part(column + step, problem->rows - step);
    if (!(length > INDEPENDENT) || !isfinite(length))
      return -EDOM;
    double pivot = column[step] > 0 ? -length : length;
    problem->upper[step][step] = pivot;
    column[step] -= pivot;
    double mirror = length_of_part(column + step, problem->rows - step);
    problem->reflection[step] = 2 / (mirror * mirror);
    for (uint32_t other = step + 1; other < problem->columns; other++)
      reflect(problem, step, column_of(problem, other));
    reflect(problem, step, problem->right);
  }
  return 0;
}

static int substitute(const struct problem *problem, double *solution)
{
  double found[OUT_LEAST_SQUARES_MAX] = {0};
  for (uint32_t i = problem->columns; i-- > 0;) {
    double rest = problem->right[i];
    for (uint32_t j = i + 1; j < problem->columns; j++)
      rest -= problem->upper[i][j] * found[j];
    found[i] = rest / problem->upper[i][i];
    if (!isfinite(found[i]))
      return -EDOM;
  }
  for (uint32_t i = 0; i < problem->columns; i++)
    solution[i] = found[i] / problem->scale[i];
  return 0;
}

/* Replaces the reflections by the first columns of their product. The last is undone first, so that each column is free
 * when its turn comes. */
static void make_base(struct problem *problem)
{
  for (uint32_t step = problem->columns; step-- > 0;) {
    double *column = column_of(problem, step);
    for (uint32_t other = step + 1; other < problem->columns; other++)
      reflect(problem, step, column_of(problem, other));
    double top = 1 - problem->reflection[step] * column[step] * column[step];
    double factor_below = -problem->reflection[step] * column[step];
    for (uint32_t row = 0; row < step; row++)
      column[row] = 0;
    for (uint32_t row = step + 1; row < problem->rows; row++)
      column[row] *= factor_below;
    column[step] = top;
  }
}

int out_least_squares(double *matrix, double *right, uint32_t rows, uint32_t columns, double *solution)
{
  struct problem problem = {.matrix = matrix, .right = right, .rows = rows, .columns = columns};
  if (rows < columns || columns == 0 || columns > OUT_LEAST_SQUARES_MAX)
    return -EDOM;
  int result = scale_columns(&problem);
  if (result == 0)
    result = factor(&problem);
  if (result == 0)
    result = substitute(&problem, solution);
  if (result == 0)
    make_base(&problem);
  return result;
}
