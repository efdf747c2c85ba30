/*
 * The helper command that makes a missing index, invisible to the program.
 */
#ifndef CALLSIG_PROFILER_MODULE_HELPER_H
#define CALLSIG_PROFILER_MODULE_HELPER_H

#include <stdbool.h>

#include "profiler/base/settings.h"

/* Runs `callsig index --cache FILE` and waits for it. It is no child that wait() or SIGCHLD would show, holds no
 * descriptor of the program's, and says nothing. 0, or a negative errno after one message. Signals are blocked by the
 * caller. */
int prof_helper_index(const struct prof_settings *settings, const char *file);

/* The same where there is an index, which the command makes anew if that is worth it. False, and no message: it could
 * not be asked. */
bool prof_helper_index_again(const struct prof_settings *settings, const char *file);

#endif
