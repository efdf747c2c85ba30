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
struct sym_scan {
  struct base_arena *arena;
  const char *at;      /* NUL-terminated rest of the line */
  const char *problem; /* NULL while there is none */
  bool no_memory;
};

/* Skips blanks. True when nothing but a comment is left. */
bool sym_scan_end(struct sym_scan *scan);

/* Takes `word` when it is the next whole word. */
bool sym_scan_word(struct sym_scan *scan, const char *word);

/* Takes `text` when it comes next, blanks skipped. */
bool sym_scan_text(struct sym_scan *scan, const char *text);

/* Takes an identifier or "$N"; NULL and a problem that says `what` was wanted. */
const char *sym_scan_identifier(struct sym_scan *scan, const char *what);

/* Takes everything up to a ':' that is not part of '::', blanks trimmed, and the ':'. */
const char *sym_scan_name(struct sym_scan *scan, const char *what);

/* Takes a decimal number without sign; false without a problem when there is none. */
bool sym_scan_number(struct sym_scan *scan, uint64_t *number);

/* Takes a "quoted" text, in which \" and \\ stand for themselves. */
const char *sym_scan_quoted(struct sym_scan *scan);

/* Takes a path; with `spans`, it may end in [from..to]. */
struct sym_rule_path *sym_scan_path(struct sym_scan *scan, bool spans);

/* Keeps a problem; returns false. */
bool sym_scan_fail(struct sym_scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
