/*
 * Notes on functions whose calls and times are not what a reader takes them for: those that a compiler split, and those
 * that call library functions which have no times.
 */
#ifndef CALLSIG_OUTPUT_NOTES_COUNTING_NOTES_H
#define CALLSIG_OUTPUT_NOTES_COUNTING_NOTES_H

#include "output/notes/notes.h"

/* Gives each of them to `note`, of the functions that `functions` (by function) has, where it is not NULL. 0, -ENOMEM
 * or what `note` returned. */
int out_counting_notes(const struct callsig_stats *stats, const uint8_t *functions, out_note_fn note, void *data);

#endif
