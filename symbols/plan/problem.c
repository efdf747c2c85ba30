/*
 * Keeps the first problem of a rule, in words.
 */
#include "symbols/plan/problem.h"

#include <errno.h>
#include <stdarg.h>

int sym_problem_set(struct sym_problem *problem, struct base_arena *arena, enum sym_problem_depth depth,
                    const char *format, ...)
{
  if (problem->depth != SYM_PROBLEM_NONE)
    return -EINVAL;
  va_list list;
  va_start(list, format);
  problem->text = base_arena_vprintf(arena, format, list);
  va_end(list);
  if (!problem->text)
    return -ENOMEM;
  problem->depth = depth;
  return -EINVAL;
}
