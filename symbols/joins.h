/*
 * Which integer parameter says how long the array behind a pointer is, judged by names and types alone. docs/rules.md
 * states the rules in the words of a user; this is where they are carried out.
 */
#ifndef CALLSIG_SYMBOLS_JOINS_H
#define CALLSIG_SYMBOLS_JOINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/* What a parameter is to a join. */
enum cs_join_role {
  CS_JOIN_OTHER,     /* neither: float, struct, bool, enum, char, function pointer, reference, this, pointer to array */
  CS_JOIN_INTEGER,   /* may be a length */
  CS_JOIN_VOID,      /* pointers, by what they point to */
  CS_JOIN_CHAR,      /* plain char: text as often as an array */
  CS_JOIN_NUMBER,    /* integer, bool, enum or float */
  CS_JOIN_AGGREGATE, /* struct, union, class, known or only declared */
  CS_JOIN_POINTER,   /* pointer to pointer */
};

struct cs_join_parameter {
  const char *name;
  enum cs_join_role role;
  uint32_t element_size; /* of what a pointer points to, bytes; 0 unknown */
  int length;            /* result: index of the length parameter, -1 for none */
  const char *why;       /* result: of a join its reason; else a near miss and why it was not made; "" for neither */
};

/* Fills `length` and `why` of `count` parameters; texts are made in `arena`. -ENOMEM. */
int cs_joins_find(struct cs_arena *arena, struct cs_join_parameter *parameters, size_t count);

#endif
