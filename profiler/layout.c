/*
 * layout.h is true: what the assembly reads is where C put it.
 */
#include "histogram.h"
#include "internal.h"

#define CHECK(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type "." #member)

CHECK(struct cs_thread, state, CS_T_STATE);
CHECK(struct cs_thread, mode, CS_T_MODE);
CHECK(struct cs_thread, top, CS_T_TOP);
CHECK(struct cs_thread, limit, CS_T_LIMIT);
CHECK(struct cs_thread, stack_low, CS_T_STACK_LOW);
CHECK(struct cs_thread, cache, CS_T_CACHE);
CHECK(struct cs_thread, marked, CS_T_MARKED);
CHECK(struct cs_thread, recursion, CS_T_RECURSION);
CHECK(struct cs_thread, exit_least, CS_T_EXIT);
CHECK(struct cs_thread, timeline_min, CS_T_TIMELINE);
_Static_assert(sizeof(struct cs_thread) <= 4096, "a control block fits a page");

CHECK(struct cs_rec_frame, edge, CS_F_EDGE);
CHECK(struct cs_rec_frame, start_ticks, CS_F_START);
CHECK(struct cs_rec_frame, cfa, CS_F_CFA);
CHECK(struct cs_rec_frame, flags, CS_F_FLAGS);
_Static_assert(sizeof(struct cs_rec_frame) == CS_F_SIZE, "struct cs_rec_frame");

CHECK(struct cs_rec_edge, site, CS_E_SITE);
CHECK(struct cs_rec_edge, from, CS_E_FROM);
CHECK(struct cs_rec_edge, to, CS_E_TO);
CHECK(struct cs_rec_edge, after, CS_E_AFTER);
CHECK(struct cs_rec_edge, counters, CS_E_COUNTERS);
CHECK(struct cs_rec_edge, site_info, CS_E_SITE_INFO);
CHECK(struct cs_rec_edge, mode, CS_E_MODE);
CHECK(struct cs_rec_edge, cfa, CS_E_CFA);
CHECK(struct cs_rec_edge, function_address, CS_E_FUNCTION);
CHECK(struct cs_rec_edge, calls, CS_E_CALLS);
CHECK(struct cs_rec_edge, total, CS_E_CALLS + 8);
CHECK(struct cs_rec_edge, children, CS_E_CHILDREN);
CHECK(struct cs_rec_edge, min, CS_E_MIN);
CHECK(struct cs_rec_edge, max, CS_E_MAX);
CHECK(struct cs_rec_edge, recursion, CS_E_RECURSION);
CHECK(struct cs_rec_edge, flags, CS_E_FLAGS);
CHECK(struct cs_rec_edge, histogram, CS_E_HISTOGRAM);
CHECK(struct cs_rec_edge, words, CS_E_WORDS);
_Static_assert((CS_EDGE_MODULE | CS_EDGE_STAGE_MODULE) == CS_E_FLAG_MODULE, "CS_EDGE_MODULE");
_Static_assert(offsetof(struct cs_rec_recursion, total) == offsetof(struct cs_rec_recursion, calls) + 8,
               "an edge's and a recursion record's counters are laid out alike");

CHECK(struct cs_rec_recursion, calls, CS_X_CALLS);
CHECK(struct cs_rec_recursion, primitive, CS_X_PRIMITIVE);
CHECK(struct cs_rec_recursion, cumulative, CS_X_CUMULATIVE);
CHECK(struct cs_rec_recursion, active, CS_X_ACTIVE);
_Static_assert(CS_GROUP_SIGNATURE == CS_X_SIGNATURE && CS_GROUP_FUNCTION_PAIR == CS_X_FUNCTION_PAIR &&
                   CS_GROUP_SIGNATURE_PAIR == CS_X_SIGNATURE_PAIR && CS_GROUP_SIGNATURE_STAGE == CS_X_SIGNATURE_STAGE &&
                   CS_X_EDGE == CS_GROUP_RESERVED - 1,
               "groups");

CHECK(struct cs_rec_histogram, octaves, CS_H_OCTAVES);
_Static_assert(CS_CALL_SUB_BITS == CS_H_SUB_BITS, "buckets");

CHECK(struct cs_rec_variant, last, CS_V_LAST);

CHECK(struct cs_plan, active, CS_P_ACTIVE);
CHECK(struct cs_plan, count, CS_P_COUNT);
CHECK(struct cs_plan, words, CS_P_WORDS);
CHECK(struct cs_plan, ops, CS_P_OPS);
CHECK(struct cs_plan_op, kind, CS_P_OP_KIND);
CHECK(struct cs_plan_op, reg, CS_P_OP_REG);
CHECK(struct cs_plan_op, shift, CS_P_OP_SHIFT);
CHECK(struct cs_plan_op, flags, CS_P_OP_FLAGS);
CHECK(struct cs_plan_op, offset, CS_P_OP_OFFSET);
_Static_assert(sizeof(struct cs_plan_op) == CS_P_OP_SIZE, "struct cs_plan_op");

_Static_assert(CS_OPF_SIGNED == 1, "CS_OPF_SIGNED");

CHECK(struct cs_registers, general, 0);
CHECK(struct cs_registers, pc, CS_R_SIZE);
