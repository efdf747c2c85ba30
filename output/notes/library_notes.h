/* Says how much of what functions computed was in code without hooks that they called, and in which files. */
#ifndef CALLSIG_OUTPUT_NOTES_LIBRARY_NOTES_H
#define CALLSIG_OUTPUT_NOTES_LIBRARY_NOTES_H

#include "output/notes/notes.h"

/* Gives the note to `note`, if it is much: by the samples of runs, where all recordings have them. Its error, or
 * -ENOMEM. */
int out_library_notes(const struct callsig_stats *stats, out_note_fn note, void *data);

#endif
