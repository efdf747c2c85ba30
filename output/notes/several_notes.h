/*
 * What a reader of several recordings has to know of them together.
 */
#ifndef CALLSIG_OUTPUT_NOTES_SEVERAL_NOTES_H
#define CALLSIG_OUTPUT_NOTES_SEVERAL_NOTES_H

#include "output/notes/notes.h"

/* Gives a note to `note` for each process that more than one recording is of, as a snapshot and what was recorded in
 * the end are: what both have counted is added up twice; and one where their clocks are of different kinds.
 * `processes`: as out_process_order() has them. 0, -ENOMEM or what `note` returned. */
int out_several_notes(const struct callsig_stats *stats, const uint32_t *processes, out_note_fn note, void *data);

#endif
