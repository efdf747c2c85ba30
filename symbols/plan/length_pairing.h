/*
 * Which integer parameter says how long the array behind a pointer is, judged by names and types alone. docs/rules.md
 * states the rules in the words of a user; this is where they are carried out.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_LENGTH_PAIRING_H
#define CALLSIG_SYMBOLS_PLAN_LENGTH_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* What a parameter is to a join. */
enum sym_pairing_role {
  SYM_PAIRING_OTHER, /* neither: float, struct, bool, enum, char, function pointer, reference, this, pointer to array */
  SYM_PAIRING_INTEGER,   /* may be a length */
  SYM_PAIRING_VOID,      /* pointers, by what they point to */
  SYM_PAIRING_HANDLE,    /* void by a name of its own, as bzip2's BZFILE: one object */
  SYM_PAIRING_CHAR,      /* plain char: text as often as an array */
  SYM_PAIRING_NUMBER,    /* integer, bool, enum or float */
  SYM_PAIRING_AGGREGATE, /* struct, union, class, known or only declared */
  SYM_PAIRING_POINTER,   /* pointer to pointer */
};

struct sym_pairing_parameter {
  const char *name;
  enum sym_pairing_role role;
  uint32_t element_size; /* of what a pointer points to, bytes; 0 unknown */
  int length;            /* result: index of the length parameter, -1 for none */
  const char *why;       /* result: of a join its reason; else a near miss and why it was not made; "" for neither */
};

/* Fills `length` and `why` of `count` parameters; texts are made in `arena`. -ENOMEM. */
int sym_length_pairing_find(struct base_arena *arena, struct sym_pairing_parameter *parameters, size_t count);

#endif
