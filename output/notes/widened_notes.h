/*
 * What a reader of signatures has to know of arguments that were widened.
 */
#ifndef CALLSIG_OUTPUT_NOTES_WIDENED_NOTES_H
#define CALLSIG_OUTPUT_NOTES_WIDENED_NOTES_H

#include "output/notes/notes.h"

/* Gives a note to `note` for each function that has widened arguments; where `functions` (by function) is not NULL, for
 * the first few of those that it has, and adds how many are left out to *left_out. 0, -ENOMEM or what `note` returned.
 */
int out_widened_notes(const struct callsig_stats *stats, const uint8_t *functions, uint32_t *left_out, out_note_fn note,
                      void *data);

#endif
