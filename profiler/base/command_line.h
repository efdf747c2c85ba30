/*
 * The command line that the process is named by.
 */
#ifndef CALLSIG_PROFILER_BASE_COMMAND_LINE_H
#define CALLSIG_PROFILER_BASE_COMMAND_LINE_H

#include "format/recording.h"

/* Notes the command line as the kernel has it. When the recording is made. */
void prof_command_line_note(struct fmt_rec_header *header);

/* What a forked child wrote over the command line that it was born with is its own title (`nginx: worker process`): it
 * takes that one's place. When the process ends, with signals blocked: before, the child has not yet come to it, or
 * goes on to change it. Where there is no space, or no /proc any more, what was noted stays. */
void prof_command_line_note_title(struct fmt_rec_header *header);

#endif
