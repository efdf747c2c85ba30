/*
 * What a function only copies for others that it calls.
 *
 * A caller of clang's need not write what a function it knows reads nothing of, and that is so too where the function
 * copies it to where it passes something of its own by value, to another function that reads nothing of that.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_HANDED_ON_H
#define CALLSIG_SYMBOLS_FLOW_HANDED_ON_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/flow/step.h"

/* Whether the instruction at `at`, of the code that ends at `high`, loads something that straight code behind it only
 * puts on the stack, for a call of a function whose own code reads nothing of that. `depth`: how many such functions
 * may be looked at one after another. */
bool sym_is_handed_on_unread(const struct sym_hook *hook, uint64_t at, uint64_t high, unsigned depth);

#endif
