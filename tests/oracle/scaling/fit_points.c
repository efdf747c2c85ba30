/*
 * The numerics of callsig scaling on numbers from standard input, for tests that know the answers.
 *
 *   fit_points solve    "ROWS COLUMNS", then ROWS lines of COLUMNS numbers and the right side: prints the solution, and
 * each row's leverage fit_points choose   "POINTS CANDIDATES", then POINTS lines of CANDIDATES values and a time:
 * prints "KIND NAME", the coefficients, the deviation, and the rivals; any number of such sets
 *
 * Numbers are printed in hexadecimal, so that nothing is lost.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/scaling/choose.h"
#include "output/scaling/least_squares.h"

static double read_number(void)
{
  double number;
  if (scanf("%lf", &number) != 1)
    exit(2);
  return number;
}

static int solve(void)
{
  unsigned rows, columns;
  if (scanf("%u %u", &rows, &columns) != 2)
    return 2;
  double *matrix = calloc(rows * columns + 1u, sizeof *matrix), *right = calloc(rows + 1u, sizeof *right);
  double solution[OUT_LEAST_SQUARES_MAX];
  for (unsigned i = 0; matrix && right && i < rows; i++) {
    for (unsigned j = 0; j < columns; j++)
      matrix[j * rows + i] = read_number();
    right[i] = read_number();
  }
  int result = matrix && right ? out_least_squares(matrix, right, rows, columns, solution) : -1;
  if (result == 0) {
    for (unsigned j = 0; j < columns; j++)
      printf("%a ", solution[j]);
    for (unsigned i = 0; i < rows; i++) {
      double leverage = 0;
      for (unsigned j = 0; j < columns; j++)
        leverage += matrix[j * rows + i] * matrix[j * rows + i];
      printf("%a ", leverage);
    }
    puts("");
  } else {
    puts("none");
  }
  free(matrix);
  free(right);
  return 0;
}

static void print_choice(const struct out_choice *choice)
{
  static const char *const kinds[] = {"law", "constant", "none"}, *const names[] = {"a", "b", "c"};
  struct out_text text = {0};
  out_law_name(&choice->fit.law, names, &text);
  printf("%s\t%s\t", kinds[choice->kind], out_text_string(&text));
  for (unsigned i = 0; i <= choice->fit.law.term_count; i++)
    printf("%a ", choice->fit.coefficients[i]);
  printf("\t%a\t", choice->fit.deviation);
  for (uint32_t i = 0; i < choice->rivals.count; i++) {
    out_text_clear(&text);
    out_law_name(base_vector_at(&choice->rivals, i), names, &text);
    printf("%s;", out_text_string(&text));
  }
  puts("");
  out_text_free(&text);
}

static int choose(void)
{
  unsigned count, candidates;
  while (scanf("%u %u", &count, &candidates) == 2) {
    double *values = calloc(count * candidates, sizeof *values), *times = calloc(count, sizeof *times);
    double *weights = calloc(count, sizeof *weights);
    for (unsigned i = 0; values && times && weights && i < count; i++) {
      for (unsigned j = 0; j < candidates; j++)
        values[i * candidates + j] = read_number();
      times[i] = read_number();
      weights[i] = 1;
    }
    struct out_points points = {
        .count = count, .candidates = candidates, .values = values, .times = times, .weights = weights};
    struct out_choice choice;
    const bool is_chosen = values && times && weights && out_choose(&points, &choice) == 0;
    if (is_chosen) {
      print_choice(&choice);
      out_choice_free(&choice);
    }
    free(values);
    free(times);
    free(weights);
    if (!is_chosen)
      return 1;
  }
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 2 && strcmp(argv[1], "solve") == 0)
    return solve();
  return argc == 2 && strcmp(argv[1], "choose") == 0 ? choose() : 2;
}
