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

/* What is copied for a call, and where it is when that is made. */
struct sym_handed_on {
  uint64_t target;    /* the function that is called */
  uint64_t registers; /* the one that it was copied with, as a bit, where that still holds it */
  int64_t offset;     /* of the copy, from the canonical frame address of the function that is called */
  uint64_t size;
};

/* Whether the instruction at `at`, of the code that ends at `high`, loads something that straight code behind it only
 * puts on the stack, for a call of a function of this module. */
bool sym_is_handed_on(const struct sym_hook *hook, uint64_t at, uint64_t high, struct sym_handed_on *handed);

#endif
