/*
 * What is to be said of a recording whose times are those of a run that was sampled beside it.
 */
#ifndef CALLSIG_OUTPUT_NOTES_SAMPLED_NOTES_H
#define CALLSIG_OUTPUT_NOTES_SAMPLED_NOTES_H

#include "output/notes/notes.h"
#include "output/profile/profile.h"

/* Gives the notes on the samples of `info` to `note`, each with `prefix` before it: what was run and how it was
 * sampled, how near that is, and where its time went that no row has; or how many samples of its own run say what hooks
 * took, when they are off (`is_compensated`). 0, -ENOMEM, or what `note` returned. */
int out_sampled_notes(const struct out_profile *profile, const struct out_recording_info *info, bool is_compensated,
                      const char *prefix, out_note_fn note, void *data);

#endif
