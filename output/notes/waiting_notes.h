/*
 * What a reader of the times has to know of threads that waited: a wall clock goes on for them.
 */
#ifndef CALLSIG_OUTPUT_NOTES_WAITING_NOTES_H
#define CALLSIG_OUTPUT_NOTES_WAITING_NOTES_H

#include <stdbool.h>

#include "output/notes/notes.h"

/* Is so much of the prepared object's time known to be waited that a reader has to be told? */
bool out_waiting_is_much(const struct callsig_stats *stats);

/* Is that a bound alone? Of a hundredth of the time, or more, nobody tells whether threads waited. */
bool out_waiting_is_bound(const struct callsig_stats *stats);

/* Gives a note to `note` when a good part of the prepared object's time was waited: how much, and in which functions,
 * where the recordings or samples of the runs tell; else how long the processes ran, where their threads' times are
 * more than that. 0, -ENOMEM or what `note` returned. */
int out_waiting_notes(const struct callsig_stats *stats, out_note_fn note, void *data);

#endif
