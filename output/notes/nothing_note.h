/*
 * Why there is nothing to show: what `callsig run` says when it ends, for who reads the recording later.
 */
#ifndef CALLSIG_OUTPUT_NOTES_NOTHING_NOTE_H
#define CALLSIG_OUTPUT_NOTES_NOTHING_NOTE_H

#include "output/notes/notes.h"

/* Which of the two it was no recording tells. */
#define OUT_NOTHING_TEXT "nothing was recorded: no instrumented function ran, or all of them were filtered out"

/* Gives the note where no call was recorded, and neither losses nor a pause tell why. The errors of out_notes(). */
int out_nothing_note(const struct callsig_stats *stats, out_note_fn note, void *data);

#endif
