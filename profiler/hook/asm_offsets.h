/*
 * Offsets and constants that the assembly of the hooks shares with C. layout.c asserts that they are true.
 */
#ifndef CALLSIG_PROFILER_HOOK_ASM_OFFSETS_H
#define CALLSIG_PROFILER_HOOK_ASM_OFFSETS_H

/* prof_thread.state: the first word that a hook reads. */
#define PROF_HOOKS_SLOW  0 /* not set up, wiped by fork, or something changed: take the slow path and look */
#define PROF_HOOKS_ON    1 /* recording with the time stamp counter */
#define PROF_HOOKS_OFF   2 /* disabled: return at once */
#define PROF_HOOKS_CLOCK 3 /* recording with another clock: the generic path */
#define PROF_HOOKS_BUSY  4 /* in a slow section: count and return */
#define PROF_HOOKS_GONE  5 /* the thread's data was folded: count and return */

/* prof_thread.mode and fmt_rec_edge.mode: an edge may take the fast path when they are equal. */
#define PROF_MODE_PLAIN 0 /* thread: no recursion is open. edge: not active while recursion is open */
#define PROF_MODE_RECURSION                                                                                            \
  1                       /* thread: recursion is open. edge: active, so that a call of it is outermost in no group    \
                           */
#define PROF_MODE_NEVER 2 /* edge only: the generic path decides */
#define PROF_MODE_BACK  3 /* edge only: a back edge that is not active */
#define PROF_MODE_OPS   0x100 /* edge only, added: arguments are to be compared first */

/* fmt_rec_edge.cfa: the canonical frame address is the base plus the number without its low three bits. */
#define PROF_CFA_STRICT 1 /* must be below the caller's: not an inlined site */
#define PROF_CFA_RBP    2 /* the base is rbp; else rsp before the call of the hook */

/* fmt_rec_frame.flags: an address of counters, and in the low bits: */
#define PROF_FRAME_GENERIC 1 /* the exit takes the generic path */
#define PROF_FRAME_OPENED  2 /* the frame was counted in prof_thread.recursion */
#define PROF_FRAME_MARKED  4 /* the frame may own activation words: see recursion.c */
#define PROF_FRAME_BITS    7
/* All there is, in a frame whose edge stays 0: a call that could not be recorded. It keeps its place until it ends. */
#define PROF_FRAME_LOST 8
/* Marked and opened alone: a call of a back edge that owns exactly its signature, its pair of signatures and its edge.
 */
#define PROF_FRAME_BACK (PROF_FRAME_OPENED | PROF_FRAME_MARKED)

/* fmt_rec_edge.flags */
#define PROF_E_FLAG_MODULE 0x24 /* FMT_EDGE_MODULE or FMT_EDGE_STAGE_MODULE */

/* struct prof_thread */
#define PROF_T_STATE     0
#define PROF_T_MODE      4
#define PROF_T_TOP       8
#define PROF_T_LIMIT     16
#define PROF_T_STACK_LOW 24
#define PROF_T_CACHE     32
#define PROF_T_MARKED    40
#define PROF_T_RECURSION 48
#define PROF_T_EXIT      56
#define PROF_T_TIMELINE  64

/* prof_thread.cache: edges by their caller and probe site, one a place, 0 where none was. */
#define PROF_CACHE_BITS 11
#define PROF_CACHE_FACTOR                                                                                              \
  0x9E3779B9 /* 2^32 divided by the golden ratio: multiples modulo 2^32 spread over the top bits */

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

/* struct fmt_rec_recursion */
#define PROF_X_CALLS      8
#define PROF_X_PRIMITIVE  24
#define PROF_X_CUMULATIVE 120
#define PROF_X_ACTIVE     216
/* enum fmt_group, and the place of the edge's own word */
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

/* struct prof_plan and struct prof_plan_op */
#define PROF_P_ACTIVE    0
#define PROF_P_COUNT     8
#define PROF_P_WORDS     12
#define PROF_P_OPS       48
#define PROF_P_OP_SIZE   8
#define PROF_P_OP_KIND   0
#define PROF_P_OP_REG    1
#define PROF_P_OP_SHIFT  2
#define PROF_P_OP_FLAGS  3
#define PROF_P_OP_OFFSET 4

/* prof_plan_op.kind: what is compared with the edge's word. The assembly relies on their order. */
#define PROF_PLAN_REG        0 /* the low bytes of a register + offset: shifted left by `shift`, both are equal */
#define PROF_PLAN_REG_NULL   1 /* is a register + offset not 0? */
#define PROF_PLAN_FRAME8     2 /* 8, 4, 2 or 1 bytes at a register + offset */
#define PROF_PLAN_FRAME4     3
#define PROF_PLAN_FRAME2     4
#define PROF_PLAN_FRAME1     5
#define PROF_PLAN_FRAME_NULL 6 /* are the 8 bytes at a register + offset not 0? */
#define PROF_PLAN_SKIP       7 /* nothing: a constant, equal whenever the site is */
#define PROF_PLAN_RETURN     9 /* no word: the 8 bytes at a register + offset are the 8 bytes behind this op */
#define PROF_PLAN_LOG2       8 /* the log2 bucket of a register's low bytes, signed when FMT_OPF_SIGNED is in `flags` */

/* struct prof_registers, as the enter hook saves it: general[16] fills the red zone below the return address. */
#define PROF_R_SIZE 128

#endif
