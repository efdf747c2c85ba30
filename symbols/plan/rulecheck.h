/*
 * Whether the rules of a rules file found what they name, judged over all modules that they were given for.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_RULECHECK_H
#define CALLSIG_SYMBOLS_PLAN_RULECHECK_H

#include "base/message.h"
#include "format/open.h"
#include "symbols/plan/rules.h"

/* After the last module that `rules` were given for: gives an error line, with the file and line, for each rule that
 * names something which none of those modules has, and returns -EINVAL when there is one. `later`, or NULL: what may
 * come that has it ("a library that is loaded later"). sym_rules_seen() tells the rules of a module's index, made now
 * or found in the cache. */
int sym_rules_seen(const struct sym_rules *rules, const struct fmt_index *index);
int sym_rules_check(const struct sym_rules *rules, const char *later, base_message_fn message, void *data);

#endif
