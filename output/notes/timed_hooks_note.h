/*
 * What a reader of times has to know of recordings of which nothing is taken off.
 */
#ifndef CALLSIG_OUTPUT_NOTES_TIMED_HOOKS_NOTE_H
#define CALLSIG_OUTPUT_NOTES_TIMED_HOOKS_NOTE_H

#include "output/notes/notes.h"

/* Where every call was timed, times are what the clock read, hooks and all, unless they are asked to be compensated:
 * says what the hooks took by their calibration, and how to take it off, where that is at least one part in fifty of
 * the times; and of times by CPU time that nobody knows how much of them it is. `told` becomes true if it was said.
 * What `note` returned, or -ENOMEM. */
int out_timed_hooks_note(const struct callsig_stats *stats, bool *told, out_note_fn note, void *data);

#endif
