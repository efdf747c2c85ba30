/*
 * The rules language of docs/rules.md: what a user adds to what types and names already say.
 *
 * Parsing needs no module. Whether a rule's names exist is found while modules are planned (plan.h).
 */
#ifndef CALLSIG_SYMBOLS_RULES_H
#define CALLSIG_SYMBOLS_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "symbols.h"

/* Parses `size` bytes of rules text (copied). Errors name `origin` and the line. -EINVAL, -ENOMEM. */
int cs_rules_parse(const char *text, size_t size, const char *origin, cs_message_fn message, void *data,
                   struct cs_rules **rules);

#endif
