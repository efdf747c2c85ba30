/*
 * How an edge tells the hooks' assembly where its frame lies, and which arguments to compare.
 *
 * Nothing but macros: it is included by assembly.
 */
#ifndef CALLSIG_PROFILER_TREE_EDGE_CODES_H
#define CALLSIG_PROFILER_TREE_EDGE_CODES_H

/* fmt_rec_edge.cfa: the canonical frame address is the base plus the number without its low three bits. */
#define PROF_CFA_STRICT 1 /* must be below the caller's: not an inlined site */
#define PROF_CFA_RBP    2 /* the base is rbp; else rsp before the call of the hook */

/* prof_fast_compare_op.kind: what is compared with the edge's word. The assembly relies on their order. */
#define PROF_COMPARE_REG        0 /* the low bytes of a register + offset: shifted left by `shift`, both are equal */
#define PROF_COMPARE_REG_NULL   1 /* is a register + offset not 0? */
#define PROF_COMPARE_FRAME8     2 /* 8, 4, 2 or 1 bytes at a register + offset */
#define PROF_COMPARE_FRAME4     3
#define PROF_COMPARE_FRAME2     4
#define PROF_COMPARE_FRAME1     5
#define PROF_COMPARE_FRAME_NULL 6 /* are the 8 bytes at a register + offset not 0? */
#define PROF_COMPARE_SKIP       7 /* nothing: a constant, equal whenever the site is */
#define PROF_COMPARE_RETURN     9 /* no word: the 8 bytes at a register + offset are the 8 bytes behind this op */
#define PROF_COMPARE_LOG2       8 /* the log2 bucket of a register's low bytes, signed when FMT_OPF_SIGNED is in `flags` */
/* What lies behind a pointer: the low bytes of so many at a register + offset, 8, 4, 2 or 1 by `shift`. They may be in
 * memory that is not there: then no word is equal. The hooks' assembly leaves it to the probe (edge_probe.h). */
#define PROF_COMPARE_LOAD 10
/* A text that a register leads to, at most `shift` + 1 bytes: as many words as it takes. Likewise; its program begins
 * at the site's op `offset`. */
#define PROF_COMPARE_TEXT 11
/* No word: the 8 bytes at a register + offset, as of PROF_COMPARE_LOAD, are where the next op's begins. */
#define PROF_COMPARE_STEP 12
/* Only in comparisons whose `count` is 0, which nothing but a probe runs: all the words of an arg whose program begins
 * at the site's op `offset`. */
#define PROF_COMPARE_PROGRAM 13

/* prof_fast_compare_op.flags, beside FMT_OPF_SIGNED: it begins where the op before it, a PROF_COMPARE_STEP, leads; and
 * of PROF_COMPARE_LOAD, that the word is the log2 bucket of the value. */
#define PROF_COMPARE_BEHIND 0x80
#define PROF_COMPARE_BUCKET 0x40

#endif
