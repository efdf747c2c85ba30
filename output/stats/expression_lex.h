/*
 * The words of a condition.
 */
#ifndef CALLSIG_OUTPUT_STATS_EXPRESSION_LEX_H
#define CALLSIG_OUTPUT_STATS_EXPRESSION_LEX_H

#include "output/stats/expression_tree.h"

enum out_token_kind {
  OUT_TOKEN_END,
  OUT_TOKEN_INTEGER,
  OUT_TOKEN_FLOAT,
  OUT_TOKEN_STRING,
  OUT_TOKEN_PATH,
  OUT_TOKEN_COMPARISON,
  OUT_TOKEN_OR,
  OUT_TOKEN_AND,
  OUT_TOKEN_NOT,
  OUT_TOKEN_BIT_AND,
  OUT_TOKEN_BIT_OR,
  OUT_TOKEN_OPEN,
  OUT_TOKEN_CLOSE,
};

struct out_token {
  enum out_token_kind kind;
  uint32_t column; /* from 1 */
  size_t size;     /* bytes of the expression's text */
  enum out_comparison comparison;
  __int128 integer;
  double number;
  const char *text; /* of a STRING its bytes, of a PATH its name without indexes; in the arena */
  size_t length;
  uint32_t index;
};

/* The token at byte `at` of the expression's text or after the blanks there. -EINVAL after a message, -ENOMEM. */
int out_expression_lex(struct out_expression *expression, size_t at, struct out_token *token);

/* -EINVAL, after a message that shows where in the expression the mistake is. */
int out_expression_fail(const struct out_expression *expression, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
