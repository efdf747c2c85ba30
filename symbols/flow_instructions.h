/*
 * What one instruction does to the values that flow.h follows.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_INSTRUCTIONS_H
#define CALLSIG_SYMBOLS_FLOW_INSTRUCTIONS_H

#include "decode.h"
#include "flow.h"

/* Does what the instruction at flow->at does to registers and memory; jumps are for the caller. False: it is none that
 * is followed, and the path ends before it. */
bool cs_flow_execute(struct cs_flow *flow, const struct cs_instruction *instruction);

#endif
