/*
 * The numerics of callsig scaling on numbers from standard input, for tests that know the answers.
 *
 *   fit_points solve    "ROWS COLUMNS", then ROWS lines of COLUMNS numbers and the right side: prints the solution, and
 * each row's leverage fit_points choose   "POINTS CANDIDATES", then POINTS lines of CANDIDATES values and a time:
 * prints "KIND NAME", the coefficients, the deviation, and the rivals; any number of such sets
 *   fit_points judge    the same, but of what is left of the law once it was doubted and laws with a step were asked
 *   fit_points shortest the same, with the shortest call behind each point's time, which is asked too
 *   fit_points near     the same by a clock that hardly tells times below the one that goes before all sets
 *   fit_points step     sorted readings of a clock: prints its step
 *
 * Numbers are printed in hexadecimal, so that nothing is lost.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/scaling/choose.h"
#include "output/scaling/clock_near.h"
#include "output/scaling/doubt.h"
#include "output/scaling/least_squares.h"
#include "output/scaling/shortest.h"
#include "output/scaling/steps.h"

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

/* What becomes of the choice where it is doubted, and the shortest calls and laws with a step are asked. */
static int judge(const struct out_points *points, const double *shortest, double near, struct out_choice *choice)
{
  struct out_scaling_argument arguments[OUT_LAW_CANDIDATES] = {0};
  struct out_scaling_samples samples = {.arguments = BASE_VECTOR_OF(struct out_scaling_argument)};
  uint32_t candidates[OUT_LAW_CANDIDATES];
  double *calls = calloc(points->count, sizeof *calls);
  int result = calls && base_vector_add(&samples.arguments, points->candidates) ? 0 : -1;
  for (uint32_t i = 0; i < points->candidates && result == 0; i++) {
    *out_scaling_argument(&samples, i) = arguments[i];
    candidates[i] = i;
  }
  for (uint32_t i = 0; i < points->count && result == 0; i++)
    calls[i] = OUT_SCALING_TRIMMED;
  struct out_scaling_finding finding = {.kind = (enum out_scaling_kind)choice->kind,
                                        .verdict = *choice,
                                        .points = *points,
                                        .candidates = candidates,
                                        .calls = calls,
                                        .near = near,
                                        .shortest = shortest};
  if (result == 0 && finding.kind == OUT_SCALING_LAW)
    result = out_scaling_doubt(&samples, &finding);
  if (result == 0)
    result = out_scaling_ask_shortest(&samples, OUT_WAITS_NONE, &finding);
  if (result == 0)
    result = out_scaling_ask_steps(OUT_WAITS_NONE, &finding);
  *choice = finding.verdict;
  choice->kind = (enum out_choice_kind)finding.kind;
  base_vector_free(&samples.arguments);
  free(calls);
  return result;
}

static int choose(bool is_judged, bool has_shortest, double near)
{
  unsigned count, candidates;
  while (scanf("%u %u", &count, &candidates) == 2) {
    double *values = calloc(count * candidates, sizeof *values), *times = calloc(count, sizeof *times);
    double *weights = calloc(count, sizeof *weights), *shortest = calloc(count, sizeof *shortest);
    for (unsigned i = 0; values && times && weights && shortest && i < count; i++) {
      for (unsigned j = 0; j < candidates; j++)
        values[i * candidates + j] = read_number();
      times[i] = read_number();
      shortest[i] = has_shortest ? read_number() : 0;
      weights[i] = 1;
    }
    struct out_points points = {
        .count = count, .candidates = candidates, .values = values, .times = times, .weights = weights};
    struct out_choice choice;
    const bool is_chosen = values && times && weights && shortest && out_choose(&points, &choice) == 0 &&
                           (!is_judged || judge(&points, has_shortest ? shortest : NULL, near, &choice) == 0);
    if (is_chosen) {
      print_choice(&choice);
      out_choice_free(&choice);
    }
    free(values);
    free(times);
    free(weights);
    free(shortest);
    if (!is_chosen)
      return 1;
  }
  return 0;
}

static int find_step(void)
{
  uint64_t readings[256];
  uint32_t count = 0;
  double reading;
  while (count < sizeof readings / sizeof *readings && scanf("%lf", &reading) == 1)
    readings[count++] = (uint64_t)reading;
  printf("%g\n", out_scaling_step_of(readings, count));
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 2 && strcmp(argv[1], "solve") == 0)
    return solve();
  if (argc == 2 && strcmp(argv[1], "choose") == 0)
    return choose(false, false, 0);
  if (argc == 2 && strcmp(argv[1], "judge") == 0)
    return choose(true, false, 0);
  if (argc == 2 && strcmp(argv[1], "near") == 0)
    return choose(true, true, read_number());
  if (argc == 2 && strcmp(argv[1], "step") == 0)
    return find_step();
  return argc == 2 && strcmp(argv[1], "shortest") == 0 ? choose(true, true, 0) : 2;
}
