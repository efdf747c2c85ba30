/*
 * Holds every number of asm_offsets.h against the C structure that it speaks of, when the compiler comes here.
 */
#include "profiler/hook/asm_offsets.h"

#include <stddef.h>

#include "format/index.h"
#include "format/recording.h"
#include "profiler/base/histogram_record.h"
#include "profiler/base/request.h"
#include "profiler/hook/library_hooks.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/capture.h"
#include "profiler/tree/fast_compare.h"

#define CHECK(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type "." #member)

CHECK(struct prof_library_call, target, PROF_L_TARGET);
CHECK(struct prof_library_call, slot, PROF_L_SLOT);
_Static_assert(sizeof(struct prof_asking) == PROF_A_SIZE, "struct prof_asking");

CHECK(struct prof_request, asked, PROF_REQUEST_ASKED);
CHECK(struct prof_request, taken, PROF_REQUEST_TAKEN);

CHECK(struct prof_thread, state, PROF_T_STATE);
CHECK(struct prof_thread, mode, PROF_T_MODE);
CHECK(struct prof_thread, top, PROF_T_TOP);
CHECK(struct prof_thread, limit, PROF_T_LIMIT);
CHECK(struct prof_thread, stack_low, PROF_T_STACK_LOW);
CHECK(struct prof_thread, cache, PROF_T_CACHE);
CHECK(struct prof_thread, marked, PROF_T_MARKED);
CHECK(struct prof_thread, recursion, PROF_T_RECURSION);
CHECK(struct prof_thread, exit_least, PROF_T_EXIT);
CHECK(struct prof_thread, timeline_min, PROF_T_TIMELINE);
CHECK(struct prof_thread, sample_next, PROF_T_SAMPLE);
CHECK(struct prof_thread, sample_mask, PROF_T_SAMPLE_MASK);
CHECK(struct prof_thread, random, PROF_T_RANDOM);
CHECK(struct prof_thread, codes, PROF_T_CODES);
CHECK(struct prof_thread, pending, PROF_T_PENDING);
CHECK(struct prof_thread, cache_mask, PROF_T_CACHE_MASK);
CHECK(struct prof_thread, codes_mask, PROF_T_CODES_MASK);
CHECK(struct prof_thread, is_bounded, PROF_T_IS_BOUNDED);
_Static_assert(sizeof(struct prof_thread) <= 4096, "a control block fits a page");

CHECK(struct fmt_rec_frame, edge, PROF_F_EDGE);
CHECK(struct fmt_rec_frame, start_ticks, PROF_F_START);
CHECK(struct fmt_rec_frame, cfa, PROF_F_CFA);
CHECK(struct fmt_rec_frame, flags, PROF_F_FLAGS);
_Static_assert(FMT_START_COUNTED == (uint64_t)PROF_COUNTED_UNOWNED, "FMT_START_COUNTED");
_Static_assert(sizeof(struct fmt_rec_frame) == PROF_F_SIZE, "struct fmt_rec_frame");

CHECK(struct fmt_rec_edge, site, PROF_E_SITE);
CHECK(struct fmt_rec_edge, from, PROF_E_FROM);
CHECK(struct fmt_rec_edge, to, PROF_E_TO);
CHECK(struct fmt_rec_edge, after, PROF_E_AFTER);
CHECK(struct fmt_rec_edge, counters, PROF_E_COUNTERS);
CHECK(struct fmt_rec_edge, site_info, PROF_E_SITE_INFO);
CHECK(struct fmt_rec_edge, mode, PROF_E_MODE);
CHECK(struct fmt_rec_edge, cfa, PROF_E_CFA);
CHECK(struct fmt_rec_edge, function_address, PROF_E_FUNCTION);
CHECK(struct fmt_rec_edge, calls, PROF_E_CALLS);
CHECK(struct fmt_rec_edge, total, PROF_E_CALLS + 8);
CHECK(struct fmt_rec_edge, children, PROF_E_CHILDREN);
CHECK(struct fmt_rec_edge, min, PROF_E_MIN);
CHECK(struct fmt_rec_edge, max, PROF_E_MAX);
CHECK(struct fmt_rec_edge, recursion, PROF_E_RECURSION);
CHECK(struct fmt_rec_edge, flags, PROF_E_FLAGS);
CHECK(struct fmt_rec_edge, histogram, PROF_E_HISTOGRAM);
CHECK(struct fmt_rec_edge, words, PROF_E_WORDS);
_Static_assert((FMT_EDGE_MODULE | FMT_EDGE_STAGE_MODULE) == PROF_E_FLAG_MODULE, "FMT_EDGE_MODULE");
_Static_assert(FMT_EDGE_SAMPLED == PROF_E_FLAG_SAMPLED, "FMT_EDGE_SAMPLED");
_Static_assert(FMT_EDGE_LOOKS == PROF_E_FLAG_LOOKS, "FMT_EDGE_LOOKS");
_Static_assert((int)offsetof(struct fmt_rec_sampling, imputed) - (int)sizeof(struct fmt_rec_sampling) == PROF_S_IMPUTED,
               "struct fmt_rec_sampling");
_Static_assert(offsetof(struct fmt_rec_recursion, total) == offsetof(struct fmt_rec_recursion, calls) + 8,
               "an edge's and a recursion record's counters are laid out alike");

CHECK(struct fmt_rec_recursion, calls, PROF_X_CALLS);
CHECK(struct fmt_rec_recursion, primitive, PROF_X_PRIMITIVE);
CHECK(struct fmt_rec_recursion, cumulative, PROF_X_CUMULATIVE);
CHECK(struct fmt_rec_recursion, active, PROF_X_ACTIVE);
_Static_assert(FMT_EDGE_BACK == PROF_E_FLAG_BACK, "PROF_E_FLAG_BACK");
_Static_assert(FMT_GROUP_FUNCTION == PROF_X_FUNCTION && FMT_GROUP_SIGNATURE == PROF_X_SIGNATURE &&
                   FMT_GROUP_FUNCTION_PAIR == PROF_X_FUNCTION_PAIR &&
                   FMT_GROUP_SIGNATURE_PAIR == PROF_X_SIGNATURE_PAIR &&
                   FMT_GROUP_SIGNATURE_STAGE == PROF_X_SIGNATURE_STAGE && PROF_X_EDGE == FMT_GROUP_RESERVED - 1,
               "groups");

CHECK(struct fmt_rec_histogram, octaves, PROF_H_OCTAVES);
_Static_assert(PROF_CALL_SUB_BITS == PROF_H_SUB_BITS, "buckets");

CHECK(struct fmt_rec_variant, last, PROF_V_LAST);

CHECK(struct prof_fast_compare, active, PROF_C_ACTIVE);
CHECK(struct prof_fast_compare, count, PROF_C_COUNT);
CHECK(struct prof_fast_compare, words, PROF_C_WORDS);
CHECK(struct prof_fast_compare, ops, PROF_C_OPS);
CHECK(struct prof_fast_compare_op, kind, PROF_C_OP_KIND);
CHECK(struct prof_fast_compare_op, reg, PROF_C_OP_REG);
CHECK(struct prof_fast_compare_op, shift, PROF_C_OP_SHIFT);
CHECK(struct prof_fast_compare_op, flags, PROF_C_OP_FLAGS);
CHECK(struct prof_fast_compare_op, offset, PROF_C_OP_OFFSET);
_Static_assert(sizeof(struct prof_fast_compare_op) == PROF_C_OP_SIZE, "struct prof_fast_compare_op");

_Static_assert(FMT_OPF_SIGNED == 1, "FMT_OPF_SIGNED");

CHECK(struct prof_registers, general, 0);
CHECK(struct prof_registers, pc, PROF_R_SIZE);
