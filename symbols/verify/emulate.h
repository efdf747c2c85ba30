/*
 * The instructions after a hook's call, run on a machine with arbitrary contents, to see what a description that holds
 * only later means at the hook. It knows the moves that compilers put there, and sums, bits and shifts of registers;
 * what another instruction writes is not known afterwards.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_EMULATE_H
#define CALLSIG_SYMBOLS_VERIFY_EMULATE_H

#include "symbols/verify/code.h"
#include "symbols/verify/machine.h"

/* Makes the registers what they are on entry to a function. */
void vf_emulate_entry(struct vf_machine *machine);

/* Forgets what a call may change. `machine` must have its own `stores`. */
void vf_emulate_return(struct vf_machine *machine);

/* Runs the instruction at `*address` and goes on to the next. False: it leaves the straight line, or is not known at
 * all. */
bool vf_emulate(const struct vf_code *code, struct vf_machine *machine, uint64_t *address);

/* The same, but that a conditional jump ahead over straight code is run as one instruction: what its two ways leave
 * otherwise is not known any more. */
bool vf_emulate_over(const struct vf_code *code, struct vf_machine *machine, uint64_t *address);

#endif
