/*
 * What `callsig attach` left for the runtime that it loaded into a running program: format/attach.h.
 */
#ifndef CALLSIG_PROFILER_BASE_ATTACHED_H
#define CALLSIG_PROFILER_BASE_ATTACHED_H

/* The settings: texts "NAME=value", an empty one at the end. NULL where the program was started with the runtime.
 * Borrowed, for ever. Anywhere. */
const char *prof_attached_settings(void);

#endif
