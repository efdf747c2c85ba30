/*
 * The end of a thread.
 */
#ifndef CALLSIG_FOLD_H
#define CALLSIG_FOLD_H

#include "internal.h"

/* Ends the calling thread's recording: open frames are closed, its tree is kept or folded, its control block freed.
 * Later calls of the thread count as CS_LOSS_LATE. Outside of a slow section. */
void cs_thread_ended(struct cs_thread *t);

#endif
