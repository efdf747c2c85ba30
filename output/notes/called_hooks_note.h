/*
 * What a reader of times has to know of programs that call their hooks.
 */
#ifndef CALLSIG_OUTPUT_NOTES_CALLED_HOOKS_NOTE_H
#define CALLSIG_OUTPUT_NOTES_CALLED_HOOKS_NOTE_H

#include "output/notes/notes.h"

/* Says it where a module has sites that are calls of hooks. What the hooks themselves take is known and taken off the
 * times; what their calls keep a compiler from (inlining, registers) no run of that program tells. What `note`
 * returned, or -ENOMEM. */
int out_called_hooks_note(const struct callsig_stats *stats, out_note_fn note, void *data);

#endif
