/*
 * What the name of an integer parameter says about being a length.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_LENGTHNAME_H
#define CALLSIG_SYMBOLS_PLAN_LENGTHNAME_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols/base/identifier_words.h"

enum sym_length_form {
  SYM_LENGTH_NOT, /* not a length by name, unless it is some pointer's name with a length word run into it: "buflen" */
  SYM_LENGTH_PLAIN,  /* "n", "size", "nmemb": of whatever stands before it */
  SYM_LENGTH_SUFFIX, /* "src_size", "dstCapacity": the stem is what it is the length of */
  SYM_LENGTH_PREFIX, /* "n_rows", "numRows", "nByte" */
};

enum sym_length_unit {
  SYM_UNIT_COUNT,  /* n, count, num, nmemb: elements */
  SYM_UNIT_LENGTH, /* len, length: elements of an array of numbers; of a struct perhaps bytes */
  SYM_UNIT_SIZE,   /* size, sz, capacity: the same */
  SYM_UNIT_BYTES,  /* bytes, nByte: bytes */
};

struct sym_length_name {
  const char *name;
  struct sym_identifier_words words;
  enum sym_length_form form;
  enum sym_length_unit unit;
  size_t stem_first, stem_count; /* words of the stem */
  bool counts_units;             /* a prefix form whose stem names elements, not a variable: "nItems" */
  bool underscore;               /* a prefix form with an underscore: "n_samples" */
  bool size_of_one; /* a suffix form that names the size of one thing, or a bound: "page_size", "max_len" */
};

/* Judges `name` (borrowed). */
void sym_length_name(const char *name, struct sym_length_name *length);

/* How surely `length` is, by name, the length of the pointer `pointer`: 0 not at all, 3 exactly. `unit` is what it
 * counts in (it differs from length->unit for names that are run together, such as "buflen"). */
int sym_length_names(const struct sym_length_name *length, const char *pointer, enum sym_length_unit *unit);

/* Whether a length that says of what it is the size may be that of a pointer with another name: its stem shortens that
 * name ("wksp_size", "workspace") or says nothing of what is measured ("buf_size"). "stream_size" is not the size of
 * "version". */
bool sym_length_may_measure(const struct sym_length_name *length, const char *pointer);

#endif
