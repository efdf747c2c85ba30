/*
 * The words of one line of the rules language.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_RULE_LEXER_H
#define CALLSIG_SYMBOLS_PLAN_RULE_LEXER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "symbols/plan/rules.h"

/* One line while it is read. The first mistake is kept in `problem` and everything after it fails. */
struct sym_rule_lexer {
  struct base_arena *arena;
  const char *at;      /* NUL-terminated rest of the line */
  const char *problem; /* NULL while there is none */
  bool no_memory;
};

/* Skips blanks. True when nothing but a comment is left. */
bool sym_rule_lexer_end(struct sym_rule_lexer *lexer);

/* Takes `word` when it is the next whole word. */
bool sym_rule_lexer_word(struct sym_rule_lexer *lexer, const char *word);

/* Takes `text` when it comes next, blanks skipped. */
bool sym_rule_lexer_text(struct sym_rule_lexer *lexer, const char *text);

/* Takes an identifier or "$N"; NULL and a problem that says `what` was wanted. */
const char *sym_rule_lexer_identifier(struct sym_rule_lexer *lexer, const char *what);

/* Takes everything up to a ':' that is not part of '::', blanks trimmed, and the ':'. */
const char *sym_rule_lexer_name(struct sym_rule_lexer *lexer, const char *what);

/* Takes a decimal number without sign; false without a problem when there is none. */
bool sym_rule_lexer_number(struct sym_rule_lexer *lexer, uint64_t *number);

/* Takes a "quoted" text, in which \" and \\ stand for themselves. */
const char *sym_rule_lexer_quoted(struct sym_rule_lexer *lexer);

/* Takes a path; with `spans`, it may end in [from..to]. */
struct sym_rule_path *sym_rule_lexer_path(struct sym_rule_lexer *lexer, bool spans);

/* Keeps a problem; returns false. */
bool sym_rule_lexer_fail(struct sym_rule_lexer *lexer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads "(enum NAME)", or "(NAME)" of a typedef, where one stands: gives NAME. NULL: there is none, or it fails. */
const char *sym_rule_lexer_cast(struct sym_rule_lexer *lexer);

#endif
