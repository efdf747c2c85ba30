/*
 * The notes on times where not all calls were timed.
 */
#ifndef CALLSIG_OUTPUT_NOTES_TIMED_NOTES_H
#define CALLSIG_OUTPUT_NOTES_TIMED_NOTES_H

#include <stdbool.h>

#include "output/notes/notes.h"

/* Gives them to `note`; `of_table`: below the table that was opened last. 0, -ENOMEM, or what `note` returned. */
int out_timed_notes(const struct callsig_stats *stats, bool of_table, out_note_fn note, void *data);

#endif
