/*
 * What one instruction does to the values that flow.h follows.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_FLOW_INSTRUCTIONS_H
#define CALLSIG_SYMBOLS_FLOW_FLOW_INSTRUCTIONS_H

#include "symbols/flow/decode.h"
#include "symbols/flow/flow.h"

/* Does what the instruction at flow->at does to registers and memory; jumps are for the caller. False: it is none that
 * is followed, and the path ends before it. */
bool sym_flow_execute(struct sym_flow *flow, const struct sym_instruction *instruction);

#endif
