/*
 * What the parts of gcc's plug-in share: its arguments, the choice of functions, and the passes.
 */
#ifndef CALLSIG_INSTRUMENT_PLUGIN_H
#define CALLSIG_INSTRUMENT_PLUGIN_H

#include "instrument/gcc_headers.h"

namespace callsig
{

/* The arguments, -fplugin-arg-callsig_sleds-NAME[=VALUE]. */
struct arguments {
  bool calls;                /* calls of the two hooks instead of sleds */
  unsigned min_instructions; /* functions of fewer, without a loop, are left out; 0: none is */
};

/* What a pass that still sees the blocks found out about the function in hand, for the pass that comes after them. */
struct findings {
  bool loop;
};

/* True when the function is one to instrument: neither an attribute nor a list of the command line excludes it. */
bool is_chosen(tree decl);

/* True when a function is too small to be worth a look, by the rule of `min_instructions`. */
bool is_too_small(const arguments &given, unsigned instructions, bool loop);

/* Remembers in each declaration that a list of the command line excludes it, while its printed name is known: at the
 * link of -flto it is not. */
opt_pass *make_exclude_pass(gcc::context *context);
/* Finds loops. */
opt_pass *make_loops_pass(gcc::context *context, findings *found);
/* Puts calls of the two hooks in. */
opt_pass *make_calls_pass(gcc::context *context, const arguments *given);
/* Puts sleds in. */
opt_pass *make_sleds_pass(gcc::context *context, const arguments *given, const findings *found);

} // namespace callsig

#endif
