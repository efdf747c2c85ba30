/*
 * What a reader of the times has to know of processes that wait for others: callsig delays these, and no one but who
 * waits for them has that time.
 */
#ifndef CALLSIG_OUTPUT_NOTES_STARTED_NOTE_H
#define CALLSIG_OUTPUT_NOTES_STARTED_NOTE_H

#include "output/notes/notes.h"

/* Gives a note to `note` where beginning and ending the recordings of processes that others of the prepared object's
 * started may be a good part of what is known to be waited. 0, -ENOMEM or what `note` returned. */
int out_started_note(const struct callsig_stats *stats, out_note_fn note, void *data);

#endif
