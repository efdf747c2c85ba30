/*
 * The title that a forked child gives itself: what it wrote over the command line that it was born with
 * (`nginx: worker process`), in whose place it is noted in the recording. Where there is no space for it, what was
 * noted stays.
 */
#ifndef CALLSIG_PROFILER_LIFETIME_TITLE_H
#define CALLSIG_PROFILER_LIFETIME_TITLE_H

#include "format/recording.h"

/* Notes the title by /proc, which knows it wherever the process has moved it. When the process ends, with signals
 * blocked. */
void prof_title_note(struct fmt_rec_header *header);

/* Notes the title where it is seen to be another one, for a process that a signal or _exit() ends. In a slow section of
 * a process that records. No file is opened, which a sandbox may have forbidden by then: memory is read where the
 * kernel put the arguments. */
void prof_title_look(void);

#endif
