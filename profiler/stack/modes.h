/*
 * What a thread does, and what its frames and edges need: the numbers that the hooks' assembly shares with C.
 *
 * Nothing but macros: it is included by assembly.
 */
#ifndef CALLSIG_PROFILER_STACK_MODES_H
#define CALLSIG_PROFILER_STACK_MODES_H

/* prof_thread.state: the first word that a hook reads. */
#define PROF_HOOKS_SLOW  0 /* not set up, wiped by fork, or something changed: take the slow path and look */
#define PROF_HOOKS_ON    1 /* recording with the time stamp counter */
#define PROF_HOOKS_OFF   2 /* disabled: return at once */
#define PROF_HOOKS_CLOCK 3 /* recording with another clock: the generic path */
#define PROF_HOOKS_BUSY  4 /* in a slow section: count and return */
#define PROF_HOOKS_GONE  5 /* the thread's data was folded: count and return */

/* prof_thread.mode and fmt_rec_edge.mode: an edge may take the fast path when they are equal. */
#define PROF_MODE_PLAIN 0 /* thread: no recursion is open. edge: not active while recursion is open */
/* thread: recursion is open, or was a moment ago. edge: active, so that a call of it is outermost in no group */
#define PROF_MODE_RECURSION 1
#define PROF_MODE_NEVER     2 /* edge only: the generic path decides */
#define PROF_MODE_BACK      3 /* edge only: a back edge that is not active */
#define PROF_MODE_APART                                                                                                \
  0x80 /* edge only, added: it is not active, and its calls are timed though those inside are drawn, or it has         \
          FMT_EDGE_LOOKS */
#define PROF_MODE_OPS         0x100  /* edge only, added: arguments are to be compared first */
#define PROF_MODE_SAMPLED     0x200  /* edge only, added: not every call is timed */
#define PROF_MODE_MODULE      0x400  /* edge only, added: FMT_EDGE_MODULE or FMT_EDGE_STAGE_MODULE, with a code */
#define PROF_MODE_OWNING      0x800  /* edge only, added: its frames own their groups from their beginning */
#define PROF_MODE_EVER_ACTIVE 0x1000 /* link of a site only, added: its function was active once */
#define PROF_MODE_DECIDES     0x1ff  /* what decides the path that an entry takes */
/* Above these, in the upper half of an edge's mode: the number of the code of its site that compares it, 0 for none. */
#define PROF_MODE_CODE_SHIFT 16

/* fmt_rec_frame.flags: an address of counters, and in the low bits: */
#define PROF_FRAME_GENERIC 1 /* the exit takes the generic path */
#define PROF_FRAME_OPENED  2 /* the frame was counted in prof_thread.recursion */
#define PROF_FRAME_MARKED  4 /* the frame may own activation words: see recursion.c */
#define PROF_FRAME_BITS    7
/* All there is, in a frame whose edge stays 0: a call that could not be recorded. It keeps its place until it ends. */
#define PROF_FRAME_LOST 8
/* fmt_rec_frame.start_ticks of a frame whose call was counted when it began: as the outermost one in all of its groups;
 * of an edge that was active; or as what it is in a function that was active, though it owns none of the groups that it
 * is the outermost one in (once it has to, later calls of its edge do from their beginning). */
#define PROF_COUNTED         (-2)
#define PROF_COUNTED_INSIDE  (-3)
#define PROF_COUNTED_UNOWNED (-4)
/* Until such a frame is marked, its flags are no address of counters, but so much less than its canonical frame
 * address: what the stack pointer is in the hooks of its sleds. */
#define PROF_COUNTED_BELOW 16
/* Bits of fmt_rec_frame.start_ticks that are 0 where the exit of a timed call looks whether something is asked of the
 * process: of those that begin in 256 ticks of 16384: every few microseconds, or, of a counter of 25 MHz, every
 * 0.7 milliseconds. */
#define PROF_START_LOOKS 0x3f00
/* A marked frame without GENERIC is ended by the exit's fast path. With OPENED: a call of a back edge that owns exactly
 * its signature, its pair of signatures, its signature in its stage and its edge. MARKED alone: it owns its edge, and
 * of these and its pair of functions what its words say; it was counted in prof_thread.recursion if its edge is a back
 * edge.
 */
#define PROF_FRAME_BACK (PROF_FRAME_OPENED | PROF_FRAME_MARKED)

/* prof_thread.cache: edges by their caller and probe site, one a place, 0 where none was. So many places at most. */
#define PROF_CACHE_BITS 11
/* prof_thread.probes: edges by their caller, comparison and words, likewise. */
#define PROF_PROBE_BITS 13
/* prof_thread.codes: edges by the caller's edge, the site and the arguments, one a place, 0 where none was. */
#define PROF_CODE_BITS 13
/* The lowest bits of a hash of 32 that choose a place there; their upper end is the hash's when the table is full. */
#define PROF_CODE_SHIFT (32 - PROF_CODE_BITS - 3)
/* 2^32 divided by the golden ratio: multiples modulo 2^32 spread over the top bits, and their low halves among
 * themselves. */
#define PROF_CACHE_FACTOR 0x9E3779B9

#endif
