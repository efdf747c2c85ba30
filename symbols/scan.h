/*
 * The words of one line of the rules language.
 */
#ifndef CALLSIG_SYMBOLS_SCAN_H
#define CALLSIG_SYMBOLS_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "rules.h"

/* One line while it is read. The first mistake is kept in `problem` and everything after it fails. */
struct cs_scan {
  struct cs_arena *arena;
  const char *at;      /* NUL-terminated rest of the line */
  const char *problem; /* NULL while there is none */
  bool no_memory;
};

/* Skips blanks. True when nothing but a comment is left. */
bool cs_scan_end(struct cs_scan *scan);

/* Takes `word` when it is the next whole word. */
bool cs_scan_word(struct cs_scan *scan, const char *word);

/* Takes `text` when it comes next, blanks skipped. */
bool cs_scan_text(struct cs_scan *scan, const char *text);

/* Takes an identifier or "$N"; NULL and a problem that says `what` was wanted. */
const char *cs_scan_identifier(struct cs_scan *scan, const char *what);

/* Takes everything up to a ':' that is not part of '::', blanks trimmed, and the ':'. */
const char *cs_scan_name(struct cs_scan *scan, const char *what);

/* Takes a decimal number without sign; false without a problem when there is none. */
bool cs_scan_number(struct cs_scan *scan, uint64_t *number);

/* Takes a "quoted" text, in which \" and \\ stand for themselves. */
const char *cs_scan_quoted(struct cs_scan *scan);

/* Takes a path; with `spans`, it may end in [from..to]. */
struct cs_rule_path *cs_scan_path(struct cs_scan *scan, bool spans);

/* Keeps a problem; returns false. */
bool cs_scan_fail(struct cs_scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
