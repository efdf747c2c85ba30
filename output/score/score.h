/*
 * What leaving each function out of a profile would save and lose, and the smallest set of functions whose leaving out
 * keeps the run within a budget.
 */
#ifndef CALLSIG_OUTPUT_SCORE_SCORE_H
#define CALLSIG_OUTPUT_SCORE_SCORE_H

#include "output/score/cost.h"
#include "output/stats/stats_object.h"

/* While sizes are looked for: some copy of the function has no size. */
#define OUT_SCORE_SIZE_UNKNOWN UINT32_MAX

/* out_score_wanted.matters, where the caller says nothing. */
#define OUT_SCORE_MATTERS .01

/* Why a function is never left out. */
enum out_score_reason {
  OUT_SCORE_NONE,
  OUT_SCORE_TIME,     /* it matters */
  OUT_SCORE_ASKED,    /* a glob of the caller's matches */
  OUT_SCORE_NAMESAKE, /* another function of the same name is kept, and filters go by names */
  OUT_SCORE_ACTION,   /* an action or a task: no compiler and no filter knows it */
  OUT_SCORE_NAMELESS, /* known by its address alone */
  OUT_SCORE_REASONS
};

/* A function that was called. */
struct out_score_function {
  uint32_t row;  /* of the rows by function */
  uint32_t name; /* string */
  const struct out_score_cost *cost;
  uint32_t instructions;     /* out_score_find_sizes(); 0: unknown */
  bool has_loop;             /* the same */
  uint32_t rows, signatures; /* of the report by signature; those of them that show arguments */
  double worth;              /* saving per loss: out_score_worth() */
  enum out_score_reason reason;
  bool left_out;
};

struct out_score_wanted {
  const char *keep; /* globs, one a line; NULL: none */
  double factor;    /* of the budget; 0: none */
  double matters;   /* what surely takes more than this part of the program's own time is kept */
};

struct out_score {
  struct callsig_stats *stats;
  struct out_score_wanted wanted;
  struct out_score_costs costs;
  struct base_vector functions; /* struct out_score_function: worth most first; where no cost is known, most calls */
  uint32_t rows;                /* of all */
  /* Of the budget. */
  uint32_t left_out; /* functions */
  double saved;      /* seconds, of those */
  double most;       /* seconds: what leaving out all that may be left out would save */
  bool possible;     /* the budget can be kept */
};

/* Scores the functions of an object, which is prepared by function when this returns 0. Else -EINVAL or -ENOMEM; `told`
 * is set after a message. Free in any case. */
int out_score_make(struct callsig_stats *stats, const struct out_score_wanted *wanted, struct out_score *score,
                   bool *told);
void out_score_free(struct out_score *score);

static inline struct out_score_function *out_score_at(const struct out_score *score, uint32_t number)
{
  return base_vector_at(&score->functions, number);
}

/* By function of the profile its number in score.functions, FMT_NONE: it was not called. The caller frees it. NULL when
 * memory is short. */
uint32_t *out_score_by_function(const struct out_score *score);

static inline bool out_score_is_known(const struct out_score *score)
{
  return score->costs.unknown == FMT_NONE;
}

/* budget.c: says of each function whether, and why, it is kept. 0; -EINVAL, `told` set, for a glob that matches
 * nothing; -ENOMEM. */
int out_score_find_kept(struct out_score *score, bool *told);
/* budget.c: chooses what is left out to keep the budget. Costs must be known. 0 or -ENOMEM. */
int out_score_keep_budget(struct out_score *score);

/* "", "time", "asked", "namesake", "action", "no name". */
const char *out_score_reason_name(enum out_score_reason reason);

#endif
