/*
 * The call patterns that the cost of an enter+exit pair is measured on. Every function of calls.c is instrumented by
 * whatever tool is being measured; measure.c, which holds the clock, never is.
 */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <stdint.h>

enum { TABLE_SIZE = 200, CHAIN_LENGTH = 3, FIB_ARGUMENT = 20, FIB_CALLS = 21891, RANDOM_VALUES = 4096 };

/* What a pattern hands over by its address; bench/workloads/patterns.rules says what is read of it. */
struct node {
  struct node *next;
  int kind;
};

/* Each runs its pattern `rounds` times and returns a value that depends on every call. */
uint64_t run_fib(uint64_t rounds);       /* FIB_CALLS calls a round: recursion, 21 values of one argument */
uint64_t run_chain(uint64_t rounds);     /* CHAIN_LENGTH calls a round, without arguments */
uint64_t run_two_args(uint64_t rounds);  /* CHAIN_LENGTH calls a round, two scalar arguments that never change */
uint64_t run_four_sigs(uint64_t rounds); /* CHAIN_LENGTH calls a round, two scalar arguments, four values in turn */
uint64_t run_table(uint64_t rounds);     /* TABLE_SIZE calls a round, one to each of as many functions */
uint64_t run_random_16(uint64_t rounds); /* the same, 16 values at random */
uint64_t run_random_256(uint64_t rounds);
uint64_t run_leaf(uint64_t rounds);    /* one call a round of a function that calls none, two scalar arguments */
uint64_t run_frame(uint64_t rounds);   /* one call a round of a function that calls one without hooks */
uint64_t run_pointer(uint64_t rounds); /* one call a round, with a pointer to a struct */
uint64_t run_nulls(uint64_t rounds);   /* one call a round of one that calls none, with a pointer and NULL in turn */
uint64_t run_string(uint64_t rounds);  /* one call a round, with a string */

/* Of measure.c: a call that no tool sees. */
uint64_t without_hooks(long n);

#endif
