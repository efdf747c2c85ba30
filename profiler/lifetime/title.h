/*
 * The title that a forked child gives itself.
 */
#ifndef CALLSIG_PROFILER_LIFETIME_TITLE_H
#define CALLSIG_PROFILER_LIFETIME_TITLE_H

#include "format/recording.h"

/* What a forked child wrote over the command line that it was born with is its own title (`nginx: worker process`): it
 * takes that one's place. When the process ends, with signals blocked: before, the child has not yet come to it, or
 * goes on to change it. Where there is no space, or no /proc any more, what was noted stays. */
void prof_title_note(struct fmt_rec_header *header);

#endif
