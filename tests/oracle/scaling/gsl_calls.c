/*
 * Calls functions of the GNU Scientific Library over some decades of sizes, by the machine's own clock.
 *
 *     gsl_calls REPEAT
 */
#include <stdlib.h>

#include "given.h"

/* GSL's headers are there where its sources are, which is not where this file is checked. */
enum { ROW_MAJOR = 101, NO_TRANSPOSITION = 111, UPPER = 121, NON_UNIT = 131 };
double gsl_stats_mean(const double *data, size_t stride, size_t n);
double gsl_stats_variance(const double *data, size_t stride, size_t n);
double gsl_stats_covariance(const double *a, size_t stride, const double *b, size_t other_stride, size_t n);
double gsl_stats_skew(const double *data, size_t stride, size_t n);
double gsl_stats_lag1_autocorrelation(const double *data, size_t stride, size_t n);
double gsl_stats_absdev(const double *data, size_t stride, size_t n);
void gsl_stats_minmax(double *least, double *most, const double *data, size_t stride, size_t n);
double gsl_stats_wmean(const double *weights, size_t weight_stride, const double *data, size_t stride, size_t n);
double gsl_stats_correlation(const double *a, size_t stride, const double *b, size_t other_stride, size_t n);
double gsl_stats_spearman(const double *a, size_t stride, const double *b, size_t other_stride, size_t n, double *room);
double gsl_stats_median_from_sorted_data(const double *data, size_t stride, size_t n);
double gsl_stats_quantile_from_sorted_data(const double *data, size_t stride, size_t n, double part);
double gsl_stats_Sn0_from_sorted_data(const double *data, size_t stride, size_t n, double *room);
double gsl_stats_Qn0_from_sorted_data(const double *data, size_t stride, size_t n, double *room, int *counts);
void gsl_sort(double *data, size_t stride, size_t n);
void gsl_sort_index(size_t *order, const double *data, size_t stride, size_t n);
void gsl_heapsort(void *array, size_t count, size_t size, int (*compare)(const void *a, const void *b));
int gsl_permute(const size_t *order, double *data, size_t stride, size_t n);
size_t gsl_interp_bsearch(const double *points, double x, size_t low, size_t high);
int gsl_fft_complex_radix2_forward(double *data, size_t stride, size_t n);
int gsl_fft_real_radix2_transform(double *data, size_t stride, size_t n);
int gsl_dft_complex_forward(const double *data, size_t stride, size_t n, double *result);
int gsl_poly_dd_init(double *differences, const double *x, const double *y, size_t size);
double cblas_ddot(int n, const double *x, int x_step, const double *y, int y_step);
void cblas_daxpy(int n, double factor, const double *x, int x_step, double *y, int y_step);
double cblas_dnrm2(int n, const double *x, int x_step);
size_t cblas_idamax(int n, const double *x, int x_step);
void cblas_dtrsv(int order, int part, int transposed, int diagonal, int n, const double *a, int width, double *x,
                 int step);
void cblas_dsyr(int order, int part, int n, double factor, const double *x, int step, double *a, int width);
void cblas_dgemv(int order, int transposed, int m, int n, double factor, const double *a, int width, const double *x,
                 int x_step, double other_factor, double *y, int y_step);
void cblas_dger(int order, int m, int n, double factor, const double *x, int x_step, const double *y, int y_step,
                double *a, int width);
void cblas_dgemm(int order, int a_transposed, int b_transposed, int m, int n, int k, double factor, const double *a,
                 int a_width, const double *b, int b_width, double other_factor, double *c, int c_width);

enum { MOST = 1 << 16, SIDE = 512, CUBE = 96 };

static double given[MOST * 2], other[MOST * 2], changed[MOST * 2], sorted[MOST], weights[MOST], ranks[2 * MOST];
static double left[SIDE * SIDE], right[SIDE * SIDE], product[SIDE * SIDE];
static size_t order[MOST], shuffled[MOST];
static int counts[MOST];

/* What is to be changed, as it was given. */
QUIET static double *fresh(size_t count)
{
  for (size_t i = 0; i < count; i++)
    changed[i] = given[i];
  return changed;
}

QUIET static void shuffle(size_t count)
{
  for (size_t i = 0; i < count; i++)
    shuffled[i] = i;
  for (size_t i = count; i-- > 1;) {
    size_t j = next_random() % (i + 1), index = shuffled[i];
    shuffled[i] = shuffled[j];
    shuffled[j] = index;
  }
}

QUIET static void call_statistics(size_t n)
{
  double least, most;
  gsl_stats_mean(given, 1, n);
  gsl_stats_variance(given, 1, n);
  gsl_stats_covariance(given, 1, other, 1, n);
  gsl_stats_skew(given, 1, n);
  gsl_stats_lag1_autocorrelation(given, 1, n);
  gsl_stats_absdev(given, 1, n);
  gsl_stats_minmax(&least, &most, given, 1, n);
  gsl_stats_wmean(weights, 1, given, 1, n);
  gsl_stats_correlation(given, 1, other, 1, n);
  gsl_stats_spearman(given, 1, other, 1, n, ranks);
  gsl_stats_median_from_sorted_data(sorted, 1, n);
  gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.25);
  gsl_stats_Sn0_from_sorted_data(sorted, 1, n, ranks);
  gsl_stats_Qn0_from_sorted_data(sorted, 1, n, ranks, counts);
}

QUIET static void call_sorts(size_t n)
{
  gsl_sort(fresh(n), 1, n);
  gsl_sort_index(order, given, 1, n);
  gsl_heapsort(fresh(n), n, sizeof(double), by_value);
  shuffle(n);
  gsl_permute(shuffled, fresh(n), 1, n);
  gsl_interp_bsearch(sorted, (double)n / 3, 0, n);
}

QUIET static void call_vectors(int n)
{
  cblas_ddot(n, given, 1, other, 1);
  cblas_daxpy(n, 0.5, given, 1, changed, 1);
  cblas_dnrm2(n, given, 1);
  cblas_idamax(n, given, 1);
}

QUIET static void call_squares(size_t n)
{
  gsl_dft_complex_forward(given, 1, n, changed);
  gsl_poly_dd_init(changed, sorted, given, n);
  for (size_t i = 0; i < n * n; i++)
    left[i] = 1 + (double)(i % 7);
  cblas_dtrsv(ROW_MAJOR, UPPER, NO_TRANSPOSITION, NON_UNIT, (int)n, left, (int)n, fresh(n), 1);
  cblas_dsyr(ROW_MAJOR, UPPER, (int)n, 0.5, given, 1, left, (int)n);
}

QUIET static void call_pairs(int m, int n)
{
  cblas_dgemv(ROW_MAJOR, NO_TRANSPOSITION, m, n, 1, left, n, given, 1, 0, changed, 1);
  cblas_dger(ROW_MAJOR, m, n, 0.5, given, 1, other, 1, product, n);
}

QUIET static void call_all(void)
{
  for (size_t n = 128; n <= MOST / 2; n = n * 9 / 5) {
    call_statistics(n);
    call_sorts(n);
    call_vectors((int)n);
  }
  for (size_t n = 128; n <= MOST / 2; n *= 2) {
    gsl_fft_complex_radix2_forward(fresh(2 * n), 1, n);
    gsl_fft_real_radix2_transform(fresh(n), 1, n);
  }
  for (size_t n = 24; n <= SIDE; n = n * 3 / 2)
    call_squares(n);
  for (int m = 24; m <= SIDE; m *= 2)
    for (int n = 24; n <= SIDE; n *= 2)
      call_pairs(m, n);
  for (int m = 6; m <= CUBE; m *= 2)
    for (int n = 6; n <= CUBE; n *= 2)
      for (int k = 6; k <= CUBE; k *= 2)
        cblas_dgemm(ROW_MAJOR, NO_TRANSPOSITION, NO_TRANSPOSITION, m, n, k, 1, left, k, right, n, 0, product, n);
}

QUIET int main(int argc, char **argv)
{
  for (size_t i = 0; i < MOST * 2; i++) {
    given[i] = (double)(next_random() % 1000000) / 1000;
    other[i] = (double)(next_random() % 1000000) / 1000;
  }
  for (size_t i = 0; i < MOST; i++) {
    sorted[i] = (double)i;
    weights[i] = 1 + (double)(i % 3);
  }
  for (int repeat = argc > 1 ? atoi(argv[1]) : 1; repeat > 0; repeat--)
    call_all();
  return 0;
}
