/*
 * What an argument of a signature is worth where it is compared: a number, a range of them, a text, or unknown.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_ARGUMENT_VALUE_H
#define CALLSIG_OUTPUT_PROFILE_ARGUMENT_VALUE_H

#include "output/profile/profile.h"
#include "output/profile/signature.h"

/* What an argument, or a part of a condition, stands for in one call. Texts are borrowed from the profile. */
struct out_value {
  enum {
    OUT_VALUE_UNKNOWN, /* not recorded, or not comparable */
    OUT_VALUE_RANGE,   /* an integer from low to high; one value when they are equal */
    OUT_VALUE_FLOAT,
    OUT_VALUE_STRING,
    OUT_VALUE_NULL,
    OUT_VALUE_NOT_NULL,
    OUT_VALUE_NAME,     /* an enumerator or a function by its name */
    OUT_VALUE_FUNCTION, /* a function pointer */
  } kind;
  __int128 low, high;
  double number;
  const char *text; /* of STRING its bytes, of NAME and FUNCTION the name */
  size_t length;
  bool cut;                          /* of a STRING: more followed */
  const struct fmt_index_type *type; /* of an enum's value, to look names up in; else NULL */
};

/* Beyond every 64-bit integer: the open end of a range. */
#define OUT_UNBOUNDED ((__int128)1 << 100)

struct out_value out_value_range(__int128 low, __int128 high);
struct out_value out_value_unknown(void);

/* A word of this type. */
struct out_value out_value_integer(const struct fmt_index_type *type, uint64_t word);

/* Argument `number` of a signature whose arguments are in `index`. */
struct out_value out_argument_value(const struct out_profile *profile, const struct fmt_index *index,
                                    const struct out_arguments *arguments, uint32_t number);

/* Element `wanted` of a list that was read. */
struct out_value out_argument_element(const struct fmt_index *index, const struct out_argument *argument,
                                      uint32_t wanted);

/* How many elements or bytes it has: a.len. */
struct out_value out_argument_length(const struct out_profile *profile, const struct fmt_index *index,
                                     const struct out_arguments *arguments, uint32_t number);

/* What the bits of a float or double are. */
double out_float_value(const struct fmt_index_type *type, uint64_t bits);

#endif
