/*
 * What a reader of the numbers has to know: what was widened, merged, lost, unwound or still open.
 */
#ifndef CALLSIG_OUTPUT_NOTES_H
#define CALLSIG_OUTPUT_NOTES_H

#include "object.h"

/* Receives one note: a sentence without newline. */
typedef int (*cs_note_fn)(const char *note, void *data);

/* Gives every note of the prepared object to `note`, which returns 0 or an error that ends it and is returned. */
int cs_notes(const struct callsig_stats *stats, cs_note_fn note, void *data);

#endif
