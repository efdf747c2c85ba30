/*
 * What a reader of the numbers has to know: what was widened, merged, lost, unwound or still open.
 */
#ifndef CALLSIG_OUTPUT_NOTES_NOTES_H
#define CALLSIG_OUTPUT_NOTES_NOTES_H

#include "output/stats/stats_object.h"

/* What a table has behind the name of a row whose times are uncertain; the notes explain it. */
#define OUT_UNCERTAIN_MARK " [~]"

/* Receives one note: a sentence without newline. */
typedef int (*out_note_fn)(const char *note, void *data);

/* Gives every note of the prepared object to `note`, which returns 0 or an error that ends it and is returned. */
int out_notes(const struct callsig_stats *stats, out_note_fn note, void *data);

/* Gives the notes of the table that was opened last; `few`: the first ones, of functions those that have a row in it,
 * and a note that counts the others. The same errors. */
int out_notes_of_table(const struct callsig_stats *stats, bool few, out_note_fn note, void *data);

/* A receiver of notes that writes each as a string into `json`, a struct out_json. Returns 0; the writer keeps its
 * error.
 */
int out_note_json(const char *note, void *json);

/* Gives every note to the message callback: for what has no place for them. 0 or a negative errno. */
int out_notes_tell(const struct callsig_stats *stats);

#endif
