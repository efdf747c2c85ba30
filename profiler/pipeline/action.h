/*
 * Named actions.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_ACTION_H
#define CALLSIG_PROFILER_PIPELINE_ACTION_H

#include "format/recording.h"

/* The name record of an action, the same for all threads, made when new. NULL: no space. In a slow section. */
const struct fmt_rec_name *prof_action_name(const char *name);

#endif
