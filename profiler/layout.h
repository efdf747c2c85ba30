/*
 * Offsets and constants that the assembly of the hooks shares with C. layout.c asserts that they are true.
 */
#ifndef CALLSIG_LAYOUT_H
#define CALLSIG_LAYOUT_H

/* cs_thread.state: the first word that a hook reads. */
#define CS_HOOKS_SLOW     0 /* not set up, wiped by fork, or something changed: take the slow path and look */
#define CS_HOOKS_ON       1 /* recording with the time stamp counter */
#define CS_HOOKS_OFF      2 /* disabled: return at once */
#define CS_HOOKS_CLOCK    3 /* recording with another clock: the generic path */
#define CS_HOOKS_BUSY     4 /* in a slow section: count and return */

/* cs_thread.mode and cs_rec_edge.mode: an edge may take the fast path when they are equal. */
#define CS_MODE_PLAIN     0 /* thread: no recursion is open. edge: not active while recursion is open */
#define CS_MODE_RECURSION 1 /* thread: recursion is open. edge: active, so that a call of it is outermost in no group */
#define CS_MODE_NEVER     2 /* edge only: the generic path decides */

#define CS_SKIP_SLOTS     64

#endif
