/*
 * How a function of MPI is defined here: by the list of its parameters, pairs (type, name), its arguments are collected
 * in a structure, for which MPI's own is called when the row is open.
 *
 * MPI 4 has two of each function that counts elements, one with an int and one, named with _c behind, with MPI_Count.
 * Sources with such functions are compiled twice, the second time with CALLSIG_MPI_LARGE_COUNTS. Both have one row.
 */
#ifndef CALLSIG_PROFILER_MPI_WRAP_H
#define CALLSIG_PROFILER_MPI_WRAP_H

#include <mpi.h>

#define MPI_EXPORTED __attribute__((visibility("default")))

#ifdef CALLSIG_MPI_LARGE_COUNTS
typedef MPI_Count mpi_count; /* of elements */
typedef MPI_Aint mpi_place;  /* where a part of them lies */
#define MPI_WRAP(name, ...) MPI_WRAP_AS(name, name##_c, P##name##_c, __VA_ARGS__)
#else
typedef int mpi_count;
typedef int mpi_place;
#define MPI_WRAP(name, ...) MPI_WRAP_AS(name, name, P##name, __VA_ARGS__)
#endif

/* X pair, for each of up to 13 pairs; and the same of an X that begins with a comma, without the first of these. */
/* clang-format off */
#define MPI_EACH_1(X, pair) X pair
#define MPI_EACH_2(X, pair, ...) X pair MPI_EACH_1(X, __VA_ARGS__)
#define MPI_EACH_3(X, pair, ...) X pair MPI_EACH_2(X, __VA_ARGS__)
#define MPI_EACH_4(X, pair, ...) X pair MPI_EACH_3(X, __VA_ARGS__)
#define MPI_EACH_5(X, pair, ...) X pair MPI_EACH_4(X, __VA_ARGS__)
#define MPI_EACH_6(X, pair, ...) X pair MPI_EACH_5(X, __VA_ARGS__)
#define MPI_EACH_7(X, pair, ...) X pair MPI_EACH_6(X, __VA_ARGS__)
#define MPI_EACH_8(X, pair, ...) X pair MPI_EACH_7(X, __VA_ARGS__)
#define MPI_EACH_9(X, pair, ...) X pair MPI_EACH_8(X, __VA_ARGS__)
#define MPI_EACH_10(X, pair, ...) X pair MPI_EACH_9(X, __VA_ARGS__)
#define MPI_EACH_11(X, pair, ...) X pair MPI_EACH_10(X, __VA_ARGS__)
#define MPI_EACH_12(X, pair, ...) X pair MPI_EACH_11(X, __VA_ARGS__)
#define MPI_EACH_13(X, pair, ...) X pair MPI_EACH_12(X, __VA_ARGS__)
#define MPI_PICK_14(a, b, c, d, e, f, g, h, i, j, k, l, m, picked, ...) picked
#define MPI_EXPANDED(macro, ...) macro(__VA_ARGS__)
#define MPI_EACH(X, ...) \
  MPI_EXPANDED(MPI_PICK_14(__VA_ARGS__, MPI_EACH_13, MPI_EACH_12, MPI_EACH_11, MPI_EACH_10, MPI_EACH_9, MPI_EACH_8, \
                           MPI_EACH_7, MPI_EACH_6, MPI_EACH_5, MPI_EACH_4, MPI_EACH_3, MPI_EACH_2, MPI_EACH_1, ), \
               X, __VA_ARGS__)
#define MPI_WITHOUT_FIRST(first, ...) __VA_ARGS__
#define MPI_LIST(X, ...) MPI_EXPANDED(MPI_WITHOUT_FIRST, MPI_EACH(X, __VA_ARGS__))
#define MPI_FIELD(type, name) type name;
#define MPI_PARAMETER(type, name) , type name
#define MPI_NAME(type, name) , name
#define MPI_PASSED(type, name) , a->name
/* clang-format on */

/* Defines `exported`, for which MPI's own is `own`, with a row of `name`: what follows is the body of a function to
 * which the arguments are given as `a`, and which gives what is returned. */
#define MPI_WRAP_AS(name, exported, own, ...)                                                                          \
  struct name##_arguments {                                                                                            \
    MPI_EACH(MPI_FIELD, __VA_ARGS__)                                                                                   \
  };                                                                                                                   \
  static int run_##name(void *data)                                                                                    \
  {                                                                                                                    \
    const struct name##_arguments *a = data;                                                                           \
    return own(MPI_LIST(MPI_PASSED, __VA_ARGS__));                                                                     \
  }                                                                                                                    \
  static int take_##name(struct name##_arguments *a);                                                                  \
  MPI_EXPORTED int exported(MPI_LIST(MPI_PARAMETER, __VA_ARGS__))                                                      \
  {                                                                                                                    \
    struct name##_arguments a = {MPI_LIST(MPI_NAME, __VA_ARGS__)};                                                     \
    return take_##name(&a);                                                                                            \
  }                                                                                                                    \
  static int take_##name(struct name##_arguments *a)

/* The call of it, in that body. */
#define MPI_CALL(name) mpi_call_of(OF_##name, run_##name, a)

#endif
