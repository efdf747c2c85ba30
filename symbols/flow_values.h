/*
 * The values that flow.h follows, and the memory that they are stored in.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_VALUES_H
#define CALLSIG_SYMBOLS_FLOW_VALUES_H

#include "flow.h"

static const struct cs_flow_value cs_flow_unknown;

/* A value that one op pushes. */
struct cs_flow_value cs_flow_one(uint8_t code, uint8_t reg, int64_t imm);
/* Adds an op to a value; a value that would need too many is unknown. */
struct cs_flow_value cs_flow_with(struct cs_flow_value value, uint8_t code, uint8_t size, uint8_t flags, int64_t imm);
/* The low `from` bytes of a value, extended to 8. */
struct cs_flow_value cs_flow_extended(struct cs_flow_value value, uint8_t from, bool is_signed);
/* `value` with the ops of `other` after it and then the operation `code` on both. */
struct cs_flow_value cs_flow_combined(struct cs_flow_value value, const struct cs_flow_value *other, uint8_t code);
struct cs_flow_value cs_flow_plus(struct cs_flow_value value, int64_t offset);
/* Whether a value is what a register held at the hook, plus a constant. */
bool cs_flow_is_sum(const struct cs_flow_value *value, uint8_t *base, int64_t *offset);

/* What is known of the `size` bytes at a register's value at the hook + `offset`: *value when it is CS_FLOW_STORED. */
enum cs_flow_memory cs_flow_look_up(const struct cs_flow *flow, uint8_t base, int64_t offset, uint8_t size,
                                    struct cs_flow_value *value);
struct cs_flow_value cs_flow_load(const struct cs_flow *flow, struct cs_flow_value address, uint8_t size);
/* False: there were too many stores. */
bool cs_flow_store(struct cs_flow *flow, const struct cs_flow_value *address, uint8_t size, struct cs_flow_value value);

#endif
