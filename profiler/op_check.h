/*
 * Capture programs of an index, before they are run.
 */
#ifndef CALLSIG_OP_CHECK_H
#define CALLSIG_OP_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "callsig/format/index.h"

/* Ops of one argument at most. */
#define CS_ARG_OPS_MAX 128u

/* Is the program of one argument, ops[0, count), sound: every jump forward and inside, one EMIT at its end and nowhere
 * else, the stack never below empty nor above CS_STACK_MAX? Sizes, registers and ranges are for the caller to check.
 * Anywhere. */
bool cs_ops_sound(const struct cs_op *ops, uint32_t count);

#endif
