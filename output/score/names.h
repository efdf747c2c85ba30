/*
 * Every function of the profiled modules, called or not, as a filter sees it: what a filter would hit.
 */
#ifndef CALLSIG_OUTPUT_SCORE_NAMES_H
#define CALLSIG_OUTPUT_SCORE_NAMES_H

#include "base/strings.h"
#include "output/score/score.h"

struct out_score_name {
  uint32_t seen;     /* of strings: its name in the filter; 0: it has none */
  uint32_t place;    /* of strings: "a.c:12(scan)" */
  uint32_t function; /* of score.functions; FMT_NONE: it was not called */
};

struct out_score_names {
  struct base_strings *strings;
  struct base_vector list; /* struct out_score_name, by `seen` and `place`, each pair once */
};

/* Appends what a filter sees of the function that an index describes; nothing where it cannot name it. */
typedef void (*out_score_see_fn)(const struct fmt_index *index, const struct fmt_index_function *entry,
                                 struct out_text *seen);

/* 0 or -ENOMEM. Free in any case. */
int out_score_names_make(const struct out_score *score, out_score_see_fn see, struct out_score_names *names);
void out_score_names_free(struct out_score_names *names);

static inline struct out_score_name *out_score_name_at(const struct out_score_names *names, uint32_t number)
{
  return base_vector_at(&names->list, number);
}

static inline const char *out_score_seen(const struct out_score_names *names, uint32_t number)
{
  return base_strings_at(names->strings, out_score_name_at(names, number)->seen);
}

#endif
