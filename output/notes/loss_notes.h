/*
 * What recordings have not, and what was put together in them, as their counters of losses say.
 */
#ifndef CALLSIG_OUTPUT_NOTES_LOSS_NOTES_H
#define CALLSIG_OUTPUT_NOTES_LOSS_NOTES_H

#include "output/notes/notes.h"

/* Gives a note to `note` for each loss for which rows lack calls, and where the recording found no place, of the
 * `number`-th recording, in the order that `order` has of all. A loss that more than two recordings have is told of
 * once, at the first of them, as its sum. 0, -ENOMEM or what `note` returned.
 */
int out_missing_notes(const struct out_profile *profile, const uint32_t *order, uint32_t number, out_note_fn note,
                      void *data);

/* The same for each other loss: what was counted with less, or is in nothing but the rows. */
int out_loss_notes(const struct out_profile *profile, const uint32_t *order, uint32_t number, out_note_fn note,
                   void *data);

#endif
