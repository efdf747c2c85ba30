/*
 * The note on how long recording was off.
 */
#ifndef CALLSIG_OUTPUT_NOTES_PAUSE_NOTES_H
#define CALLSIG_OUTPUT_NOTES_PAUSE_NOTES_H

#include "output/notes/notes.h"

/* Gives one note to `note` of the times in which nothing was recorded, of all processes together. 0, -ENOMEM or what
 * `note` returned. */
int out_pause_notes(const struct callsig_stats *stats, out_note_fn note, void *data);

#endif
