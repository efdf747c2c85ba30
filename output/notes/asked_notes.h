/*
 * Notes on what was asked the allocator for, where a table has columns of it.
 */
#ifndef CALLSIG_OUTPUT_NOTES_ASKED_NOTES_H
#define CALLSIG_OUTPUT_NOTES_ASKED_NOTES_H

#include "output/notes/notes.h"

/* Gives each of them to `note`. 0, -ENOMEM, or what `note` returned. */
int out_asked_notes(const struct callsig_stats *stats, out_note_fn note, void *data);

#endif
