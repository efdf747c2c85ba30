/*
 * Linear least squares of a few columns.
 *
 * By Householder reflections on columns scaled to one length (Golub and Van Loan, Matrix Computations, 5.2 and 5.3.2),
 * so that neither the units of a column (n beside n^3) nor a normal matrix loses digits.
 */
#ifndef CALLSIG_OUTPUT_SCALING_LEAST_SQUARES_H
#define CALLSIG_OUTPUT_SCALING_LEAST_SQUARES_H

#include <stdint.h>

#define OUT_LEAST_SQUARES_MAX 4u /* columns */

/*
 * Finds the `solution` (one number a column) for which |matrix * solution - right| is smallest. `matrix` is `columns`
 * columns of `rows` numbers, one after the other. Both are overwritten: `matrix` with an orthonormal base of the
 * columns, so that the sum of the squares in row i is that row's leverage.
 *
 * -EDOM when the columns do not tell their coefficients apart (fewer rows than columns, or a column that the others
 * make up to 1 part in 10^10) or a number is not finite; then `solution` is not set.
 */
int out_least_squares(double *matrix, double *right, uint32_t rows, uint32_t columns, double *solution);

#endif
