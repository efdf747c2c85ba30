/*
 * Where the assembly of the hooks finds the fields of C structures, which asm_offsets.c holds against the structures.
 *
 * Nothing but macros: it is included by assembly.
 */
#ifndef CALLSIG_PROFILER_HOOK_ASM_OFFSETS_H
#define CALLSIG_PROFILER_HOOK_ASM_OFFSETS_H

#include "profiler/arch/registers.h"
#include "profiler/stack/modes.h"
#include "profiler/tree/edge_codes.h"

/* struct prof_library_call */
#define PROF_L_TARGET 0
#define PROF_L_SLOT   8
#define PROF_A_SIZE   72 /* struct prof_asking: with the return address whole 16 bytes */

/* struct prof_request */
#define PROF_REQUEST_ASKED 0
#define PROF_REQUEST_TAKEN 8

/* fmt_rec_edge.flags */
#define PROF_E_FLAG_BACK    0x1   /* FMT_EDGE_BACK */
#define PROF_E_FLAG_MODULE  0x24  /* FMT_EDGE_MODULE or FMT_EDGE_STAGE_MODULE */
#define PROF_E_FLAG_SAMPLED 0x40  /* FMT_EDGE_SAMPLED */
#define PROF_E_FLAG_LOOKS   0x400 /* FMT_EDGE_LOOKS */

/* struct prof_thread */
#define PROF_T_STATE       0
#define PROF_T_MODE        4
#define PROF_T_TOP         8
#define PROF_T_LIMIT       16
#define PROF_T_STACK_LOW   24
#define PROF_T_CACHE       32
#define PROF_T_MARKED      40
#define PROF_T_RECURSION   48
#define PROF_T_EXIT        56
#define PROF_T_TIMELINE    64
#define PROF_T_SAMPLE      72
#define PROF_T_SAMPLE_MASK 76
#define PROF_T_RANDOM      80
#define PROF_T_CODES       88
#define PROF_T_PENDING     96
#define PROF_T_CACHE_MASK  104
#define PROF_T_CODES_MASK  108
#define PROF_T_IS_BOUNDED  112

/* struct fmt_rec_frame */
#define PROF_F_EDGE  0
#define PROF_F_START 8
#define PROF_F_CFA   16
#define PROF_F_FLAGS 24
#define PROF_F_SIZE  32

/* struct fmt_rec_edge */
#define PROF_E_SITE      8
#define PROF_E_FROM      16
#define PROF_E_TO        24
#define PROF_E_AFTER     32
#define PROF_E_COUNTERS  40
#define PROF_E_SITE_INFO 48
#define PROF_E_MODE      56
#define PROF_E_CFA       60
#define PROF_E_FUNCTION  64
#define PROF_E_CALLS     72
#define PROF_E_CHILDREN  88
#define PROF_E_MIN       96
#define PROF_E_MAX       104
#define PROF_E_RECURSION 112
#define PROF_E_FLAGS     128
#define PROF_E_HISTOGRAM 144
#define PROF_E_WORDS     152

/* struct fmt_rec_sampling, which ends where its edge begins */
#define PROF_S_IMPUTED -24

/* struct fmt_rec_recursion */
#define PROF_X_CALLS      8
#define PROF_X_PRIMITIVE  24
#define PROF_X_CUMULATIVE 120
#define PROF_X_ACTIVE     216
/* enum fmt_group, and the place of the edge's own word */
#define PROF_X_FUNCTION        0
#define PROF_X_SIGNATURE       1
#define PROF_X_FUNCTION_PAIR   2
#define PROF_X_SIGNATURE_PAIR  3
#define PROF_X_SIGNATURE_STAGE 6
#define PROF_X_EDGE            11

/* struct fmt_rec_histogram of calls: 2^3 counters an octave */
#define PROF_H_OCTAVES  16
#define PROF_H_SUB_BITS 3

/* struct fmt_rec_variant */
#define PROF_V_LAST 24

/* struct prof_fast_compare and struct prof_fast_compare_op */
#define PROF_C_ACTIVE    0
#define PROF_C_COUNT     8
#define PROF_C_WORDS     12
#define PROF_C_OPS       64
#define PROF_C_OP_SIZE   8
#define PROF_C_OP_KIND   0
#define PROF_C_OP_REG    1
#define PROF_C_OP_SHIFT  2
#define PROF_C_OP_FLAGS  3
#define PROF_C_OP_OFFSET 4

#endif
