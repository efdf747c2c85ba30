/*
 * A note on calls that were open when their recordings ended, or are.
 */
#ifndef CALLSIG_OUTPUT_NOTES_OPEN_NOTES_H
#define CALLSIG_OUTPUT_NOTES_OPEN_NOTES_H

#include "output/notes/notes.h"

/* Gives a note to `note` of each end that processes came to with calls open: of all that came to it together.
 * `processes`: as out_process_order() has them. 0, -ENOMEM or what `note` returned. */
int out_open_notes(const struct callsig_stats *stats, const uint32_t *processes, out_note_fn note, void *data);

#endif
