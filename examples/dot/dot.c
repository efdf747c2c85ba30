/*
 * A program that profiles a part of itself and prints its own tables: by function, as other profilers do, and by
 * function and arguments. Started on its own; `callsig run` is not needed.
 *
 * An array knows the type and shape of its elements. The rule below makes that a part of each signature, so that the
 * same dot() on arrays of two sizes makes two rows.
 */
#include <callsig/callsig.h>
#include <callsig/stats.h>
#include <stdio.h>
#include <string.h>

enum dtype { FLOAT32, FLOAT64 };

struct array {
  enum dtype dtype;
  int ndim;
  long shape[2];
  const void *data;
};

CALLSIG_TYPE(array, "dtype=dtype, shape=shape[0..ndim]");

static long len(const struct array *a)
{
  return a->shape[0];
}

/* What is counted is what the machine calls: as small a function would be inlined, and have no row. */
static double __attribute__((noinline)) dot(const struct array *a, const struct array *b)
{
  double sum = 0;
  for (long i = 0, n = len(a); i < n; i++)
    sum += a->dtype == FLOAT32 ? (double)(((const float *)a->data)[i] * ((const float *)b->data)[i])
                               : ((const double *)a->data)[i] * ((const double *)b->data)[i];
  return sum;
}

/* Prints what has been recorded up to now, with rows by function, or by function and arguments. */
CALLSIG_NO_INSTRUMENT static int print_table(unsigned by)
{
  struct callsig_stats *stats = NULL;
  int error = callsig_stats_snapshot(&stats);
  if (error == 0)
    error = callsig_stats_group(stats, by);
  if (error == 0)
    error = callsig_stats_strip_dirs(stats);
  if (error == 0)
    error = callsig_stats_sort(stats, "stdname");
  if (error == 0)
    error = callsig_stats_print(stats, stdout, NULL, 0);
  callsig_stats_free(stats);
  return error;
}

CALLSIG_NO_INSTRUMENT int main(void)
{
  static float floats[16];
  static double doubles[64];
  for (int i = 0; i < 64; i++)
    doubles[i] = floats[i % 16] = (float)(i % 16);
  const struct array small = {FLOAT32, 1, {16}, floats}, large = {FLOAT64, 1, {64}, doubles};

  /* A program with sleds records from its beginning, so that options for callsig_start() would come too late: what is
   * to be set, as the recording's place, is set in the environment (see the Makefile). */
  int error = callsig_enable();
  double sum = dot(&small, &small) + dot(&large, &large);
  if (error == 0)
    error = callsig_disable();

  if (error == 0)
    error = print_table(CALLSIG_BY_FUNCTION);
  if (error == 0)
    error = print_table(CALLSIG_BY_SIGNATURE);
  if (error < 0)
    fprintf(stderr, "dot: %s\n", strerror(-error));
  return error < 0 || sum != 6200;
}
