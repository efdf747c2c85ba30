/*
 * The words of a condition.
 */
#ifndef CALLSIG_OUTPUT_EXPRESSION_LEX_H
#define CALLSIG_OUTPUT_EXPRESSION_LEX_H

#include "expression_tree.h"

enum cs_token_kind {
  CS_TOKEN_END,
  CS_TOKEN_INTEGER,
  CS_TOKEN_FLOAT,
  CS_TOKEN_STRING,
  CS_TOKEN_PATH,
  CS_TOKEN_COMPARISON,
  CS_TOKEN_OR,
  CS_TOKEN_AND,
  CS_TOKEN_NOT,
  CS_TOKEN_BIT_AND,
  CS_TOKEN_BIT_OR,
  CS_TOKEN_OPEN,
  CS_TOKEN_CLOSE,
};

struct cs_token {
  enum cs_token_kind kind;
  uint32_t column; /* from 1 */
  size_t size;     /* bytes of the expression's text */
  enum cs_comparison comparison;
  __int128 integer;
  double number;
  const char *text; /* of a STRING its bytes, of a PATH its name without indexes; in the arena */
  size_t length;
  uint32_t index;
};

/* The token at byte `at` of the expression's text or after the blanks there. -EINVAL after a message, -ENOMEM. */
int cs_expression_lex(struct cs_expression *expression, size_t at, struct cs_token *token);

/* -EINVAL, after a message that shows where in the expression the mistake is. */
int cs_expression_fail(const struct cs_expression *expression, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
