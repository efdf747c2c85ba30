/*
 * The process's environment, which is there before the C library is.
 */
#ifndef CALLSIG_PROFILER_BASE_ENVIRONMENT_H
#define CALLSIG_PROFILER_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* Has the process privileges that its user does not have (set-user-ID, set-group-ID, file capabilities)? Anywhere. */
bool prof_is_privileged(void);

/* The environment's entries, up to a NULL: the program's, or the kernel's copy of what it was started with for as long
 * as the C library has not found it yet. Never NULL. Borrowed. Anywhere. */
char *const *prof_environment_entries(void);

/* Finds the environment. 0: what it says can be asked for from now on; or a negative errno: nobody knows what it says.
 */
long prof_environment_find(void);

/* The value of an environment variable, or NULL; always NULL in a set-user-ID program, whose environment is somebody
 * else's. In a program that was attached to it is what the command says in its place. Borrowed. */
const char *prof_environment(const char *name);

#endif
