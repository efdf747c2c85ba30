/*
 * Why a rule cannot be carried out in a module.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_PROBLEM_H
#define CALLSIG_SYMBOLS_PLAN_PROBLEM_H

#include "base/arena.h"

/* The deeper the names were found, the more likely it is what was meant.
 */
enum sym_problem_depth {
  SYM_PROBLEM_NONE,
  SYM_PROBLEM_NAME,      /* no such function or type */
  SYM_PROBLEM_DECLARED,  /* a function of another module */
  SYM_PROBLEM_PARAMETER, /* no such parameter */
  SYM_PROBLEM_FIELD,     /* no such field */
  SYM_PROBLEM_KIND,      /* everything exists and is of the wrong kind */
};

struct sym_problem {
  enum sym_problem_depth depth;
  const char *text; /* in the arena of the caller */
};

/* Keeps a problem, unless one is kept already; returns -EINVAL, or -ENOMEM. */
int sym_problem_set(struct sym_problem *problem, struct base_arena *arena, enum sym_problem_depth depth,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
