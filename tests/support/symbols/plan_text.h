/*
 * Indexes of the fixtures, and their plans as text.
 */
#ifndef CALLSIG_TESTS_PLAN_TEXT_H
#define CALLSIG_TESTS_PLAN_TEXT_H

#include "format/open.h"
#include "symbols/index/build.h"

/* An index built for a test. Messages are collected, a line each. */
struct plan_index {
  void *data;
  size_t size;
  struct fmt_index index;
  int result; /* of sym_index_build() */
  struct sym_rules *rules;
  int rules_result; /* of sym_rules_parse() */
  char messages[8192];
};

/* Builds the index of `path` with `rules` as the text of "rules.txt", NULL for none. */
void plan_build(struct plan_index *built, const char *path, const char *rules);
void plan_free(struct plan_index *built);

/* Appends a message: a base_message_fn whose data is a struct plan_index. */
void plan_message(const char *line, void *data);

/* The args of a function, "a: nullness float*[n]; n: value size_t", children of groups in braces; "(none)" when the
 * index has no such function. Valid until the next call. */
const char *plan_text(const struct plan_index *built, const char *function);

/* The type of the function's first arg called `name`, or NULL. */
const struct fmt_index_type *plan_type(const struct plan_index *built, const char *function, const char *name);

/* What the compilers that the fixtures are compiled by call types in debug information. */
#ifdef __clang__
#define PLAN_SHORT         "short"
#define PLAN_UNSIGNED_LONG "unsigned long"
#define PLAN_COMPLEX       "complex"
#else
#define PLAN_SHORT         "short int"
#define PLAN_UNSIGNED_LONG "long unsigned int"
#define PLAN_COMPLEX       "complex double"
#endif

#endif
