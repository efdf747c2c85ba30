/*
 * The call patterns that the cost of an enter+exit pair is measured on. Every function of calls.c is instrumented by
 * whatever tool is being measured; measure.c, which holds the clock, never is.
 */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <stdint.h>

enum { TABLE_SIZE = 200, CHAIN_LENGTH = 3, FIB_ARGUMENT = 20, FIB_CALLS = 21891 };

/* Each runs its pattern `rounds` times and returns a value that depends on every call. */
uint64_t run_fib(uint64_t rounds);       /* FIB_CALLS calls a round: recursion, 21 values of one argument */
uint64_t run_chain(uint64_t rounds);     /* CHAIN_LENGTH calls a round, without arguments */
uint64_t run_two_args(uint64_t rounds);  /* CHAIN_LENGTH calls a round, two scalar arguments that never change */
uint64_t run_four_sigs(uint64_t rounds); /* CHAIN_LENGTH calls a round, two scalar arguments, four values in turn */
uint64_t run_table(uint64_t rounds);     /* TABLE_SIZE calls a round, one to each of as many functions */

#endif
