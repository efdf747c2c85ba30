/*
 * The values that flow.h follows, and the memory that they are stored in.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_FLOW_VALUES_H
#define CALLSIG_SYMBOLS_FLOW_FLOW_VALUES_H

#include "symbols/flow/flow.h"

static const struct sym_flow_value sym_flow_unknown;

/* A value that one op pushes. */
struct sym_flow_value sym_flow_one(uint8_t code, uint8_t reg, int64_t imm);
/* Adds an op to a value; a value that would need too many is unknown. */
struct sym_flow_value sym_flow_with(struct sym_flow_value value, uint8_t code, uint8_t size, uint8_t flags,
                                    int64_t imm);
/* The low `from` bytes of a value, extended to 8. */
struct sym_flow_value sym_flow_extended(struct sym_flow_value value, uint8_t from, bool is_signed);
/* `value` with the ops of `other` after it and then the operation `code` on both. */
struct sym_flow_value sym_flow_combined(struct sym_flow_value value, const struct sym_flow_value *other, uint8_t code);
struct sym_flow_value sym_flow_plus(struct sym_flow_value value, int64_t offset);
/* Whether a value is what a register held at the hook, plus a constant. */
bool sym_flow_is_sum(const struct sym_flow_value *value, uint8_t *base, int64_t *offset);

/* What is known of the `size` bytes at a register's value at the hook + `offset`: *value when it is SYM_FLOW_STORED. */
enum sym_flow_memory sym_flow_look_up(const struct sym_flow *flow, uint8_t base, int64_t offset, uint8_t size,
                                      struct sym_flow_value *value);
struct sym_flow_value sym_flow_load(const struct sym_flow *flow, struct sym_flow_value address, uint8_t size);
/* False: there were too many stores. */
bool sym_flow_store(struct sym_flow *flow, const struct sym_flow_value *address, uint8_t size,
                    struct sym_flow_value value);

#endif
