/*
 * Notes on what threads waited for a processor: that is in no row, or nobody knows in which.
 */
#ifndef CALLSIG_OUTPUT_NOTES_QUEUED_NOTES_H
#define CALLSIG_OUTPUT_NOTES_QUEUED_NOTES_H

#include "output/notes/notes.h"

/* Gives a note to `note` of the waits that were taken out of times, of all processes together, from a hundredth of the
 * table's time on, and one where they could not be told. 0, -ENOMEM or what `note` returned. */
int out_queued_notes(const struct callsig_stats *stats, out_note_fn note, void *data);

#endif
